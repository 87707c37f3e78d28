import type { HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { type Locale, text } from '../locale/locale.js';
import { ephemeralVerdict } from '../shell/isEphemeral.js';
import { preToolGuard, type ToolCall } from './preToolGuard.js';
import { HANDS_ON } from './toolNames.js';

export interface DelegateGuardOptions {
  /** Tools that are refused, joined by `|`. @default HANDS_ON */
  readonly tools?: string;
  /** Let Bash commands through that only look. @default false */
  readonly allowGlance?: boolean;
  /** Folder where the workers' long outputs go, as the model is shown it. @default none: there is no workbench */
  readonly artifactsPath?: string;
  readonly locale?: Locale;
}

/**
 * Keeps the hands of a delegating role off the work: its main thread runs no command (but a glance, if allowed) and changes no
 * file. Workers pass. The refusal says what to do instead, which is what keeps a model from trying variants.
 *
 * @example
 * const guard = delegateGuard({ allowGlance: true, artifactsPath: '/home/me/.flower-project/artifacts' });
 */
export function delegateGuard(options: DelegateGuardOptions = {}): HookCallbackMatcher {
  const { tools = HANDS_ON, allowGlance = false, artifactsPath, locale } = options;
  return preToolGuard(
    'delegate',
    (call) => {
      if (!call.mainThread) return 'pass';
      const { tool } = call;
      const refused =
        artifactsPath === undefined
          ? text('guard.delegateBare', { tool }, locale)
          : text('guard.delegate', { tool, artifacts: artifactsPath }, locale);
      if (!allowGlance || tool !== 'Bash') return { deny: refused };
      const reason = whyNoGlance(call, locale);
      return reason === null ? 'pass' : { deny: `${refused}\n${text('guard.notGlance', { reason }, locale)}` };
    },
    { matcher: tools, locale },
  );
}

function whyNoGlance({ input }: ToolCall, locale?: Locale): string | null {
  // Either would turn a look into something else: a process that outlives the turn, or one outside the sandbox.
  if (input.run_in_background) return text('shell.background', {}, locale);
  if (input.dangerouslyDisableSandbox) return text('shell.noSandbox', {}, locale);
  const { allow, reason } = ephemeralVerdict(typeof input.command === 'string' ? input.command : '', { locale });
  return allow ? null : reason;
}
