import type { HookCallback, HookInput } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import type { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import { neutralReport } from '../store/curate/cutReports.js';
import { STOP, type TurnStop } from './turnStop.js';

/**
 * Keeps the work of a worker that was stopped: the harness gives it an empty report, so its last words take that place, marked as
 * cut short. A worker that ended by itself keeps its report; what an API failure cut off is told without the failure.
 */
export class LastWords {
  readonly #stop: TurnStop;
  readonly #locale: Locale;
  /** What each worker said last, by its id. */
  readonly #words = new Map<string, string>();

  constructor(stop: TurnStop, locale: Locale) {
    this.#stop = stop;
    this.#locale = locale;
  }

  /** A worker speaks while it works; what the harness calls its last message is empty if that ends in a tool call. */
  hear({ kind, text: words, payload }: Event): void {
    if (kind === 'text' && typeof payload.agent_id === 'string' && words.trim()) {
      this.#words.set(payload.agent_id, words.trim());
    }
  }

  hooks(): Hooks {
    const onReport: HookCallback = async (input: HookInput) => {
      if (input.hook_event_name !== 'PostToolUse') return {};
      const report = input.tool_response as { agentId?: unknown; content?: unknown } | null;
      if (typeof report?.agentId !== 'string') return {};
      const words = this.#words.get(report.agentId);
      this.#words.delete(report.agentId);
      const content = this.#stop.stoppedWorkers.has(report.agentId)
        ? [{ type: 'text', text: this.#marked(words ?? text('worker.noWords', {}, this.#locale)) }]
        : this.#withoutErrorText(report.content);
      if (content === null) return {};
      return { hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: { ...report, content } } };
    };
    return { PostToolUse: [{ matcher: 'Agent', hooks: [onReport] }] };
  }

  /** Null if there is none. */
  #withoutErrorText(content: unknown): unknown {
    if (!Array.isArray(content) || typeof content[0]?.text !== 'string') return null;
    const head = neutralReport(content[0].text, text('prune.cutWorker', {}, this.#locale));
    return head === null ? null : content.with(0, { ...content[0], text: head });
  }

  #marked(words: string): string {
    if (this.#stop.reason === STOP.budget) return `${text('stop.budget', {}, this.#locale)}\n${words}`;
    return text('worker.cutShort', { words }, this.#locale);
  }
}
