import type { AgentSpec } from '../agent/agentSpec.js';
import { type ClarifyOptions, clarify } from '../agent/roles/clarify.js';
import { splitAmendments } from '../documents/amendments.js';
import { Brief } from '../documents/brief.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import type { StepResult } from '../runtime/stepResult.js';
import type { Ctx } from './ctx.js';
import { frozenEdit } from './frozenEdit.js';
import { amendmentsOnRecord } from './goalState.js';
import { Step, type StepOptions, type StepPrompt } from './step.js';

/** What a clarifier is told that was cut off, in the locale active when this module was loaded. */
export const CLARIFY_RESUME: string = text('clarify.resume');

export interface ClarifyStepOptions extends ClarifyOptions {
  /** Where the frozen brief lies. */
  readonly briefPath: string;
  /** What the person asked for, in the person's own words. */
  readonly prompt: StepPrompt;
  /** @default 'clarify' */
  readonly name?: string;
  /** @default the clarifier */
  readonly spec?: AgentSpec | null;
  /** Ask although there is a complete brief. @default false */
  readonly alwaysAsk?: boolean;
  readonly onFail?: StepOptions['onFail'];
  /** Further attempts for an incomplete brief. @default 1 */
  readonly retries?: number;
  readonly locale?: Locale;
}

/**
 * The step that pins down what is wanted and freezes it in a file. With a complete brief there it asks nothing and only hands its
 * text on; later steps never see the conversation.
 *
 * @example
 * clarifyStep(channel, { briefPath: '/home/ann/.flower/notes/brief.md', prompt: 'Build me a word counter.' });
 */
export function clarifyStep(channel: HumanChannel, options: ClarifyStepOptions): Step {
  const { briefPath, prompt, name = 'clarify', alwaysAsk = false, onFail, retries = 1 } = options;
  const locale = options.locale ?? activeLocale();
  const spec = options.spec ?? clarify(name, channel, options);

  return new Step(name, spec, prompt, {
    retries,
    ...(onFail && { onFail }),
    resumePrompt: () => text('clarify.resume', {}, locale),
    when: (ctx) => {
      if (alwaysAsk) return true;
      const brief = Brief.load(briefPath, { locale });
      if (!brief?.complete()) return true;
      frozenEdit(ctx, brief, { frozen: null, amendments: amendmentsOnRecord(briefPath, channel), locale });
      fill(ctx, name, brief);
      return false;
    },
    gate: (result, ctx) => {
      const brief = briefOf(result, locale);
      if (!brief.complete()) {
        ctx._brief_missing = brief.missing();
        return false;
      }
      keepAmendments(brief, briefPath);
      brief.write(briefPath);
      fill(ctx, name, brief);
      return true;
    },
    onReject: (result, ctx) => {
      const titles = ctx._brief_missing ?? [];
      return result.handIn || result.text.trim()
        ? text('clarify.incomplete', { titles: titles.join(', ') }, locale)
        : '';
    },
    reduce: (result, ctx) => ctx._brief?.promptBlock() ?? result.text,
  });
}

function briefOf(result: StepResult, locale: Locale): Brief {
  return result.handIn?.kind === 'brief' ? result.handIn.document : Brief.parse(result.text, { locale });
}

/** What the person added while the questions were being asked stands in the file already and must outlive its rewriting. */
function keepAmendments(brief: Brief, path: string): void {
  const { amendments } = splitAmendments(Brief.load(path)?.unknowns ?? '');
  if (amendments) brief.unknowns = `${splitAmendments(brief.unknowns).body.trimEnd()}\n\n${amendments}`;
}

function fill(ctx: Ctx, name: string, brief: Brief): void {
  ctx._brief = brief;
  if (brief.hash) ctx._brief_sha256 = brief.hash;
  ctx[name] = brief.promptBlock();
  delete ctx._brief_missing;
}
