import type { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import { isEphemeral } from '../shell/isEphemeral.js';

const MAX_SHOWN = 20;
const MAX_LENGTH = 120;
/** More are of no use to anybody, and a run can last for days. */
const MAX_KEPT = 500;

/** A command that ended, and how. */
interface RoundCommand {
  readonly command: string;
  /** The first line of what it said, if it failed. */
  readonly failure: string | null;
}

/** The shell commands of one work round, as the harness ran them: what a report claims about them can be held against it. */
export class RoundCommands {
  readonly #open = new Map<string, string>();
  #ended: RoundCommand[] = [];

  /** A new round begins. */
  begin(): void {
    this.#open.clear();
    this.#ended = [];
  }

  hear({ kind, tool, payload, text }: Event): void {
    if (kind === 'tool_call' && tool === 'Bash') {
      const { command } = (payload.input ?? {}) as { command?: unknown };
      if (typeof command === 'string') this.#open.set(String(payload.id), command);
    }
    if (kind !== 'tool_result') return;
    const id = String(payload.tool_use_id);
    const command = this.#open.get(id);
    if (command === undefined) return;
    this.#open.delete(id);
    const failure = payload.is_error === true ? (text.trim().split('\n', 1)[0] ?? '') : null;
    this.#ended.push({ command, failure });
    if (this.#ended.length > MAX_KEPT) this.#ended.shift();
  }

  /** The newest commands that did more than look, a line each. */
  shown(locale: Locale): string {
    const lines = this.#ended
      .filter(({ command }) => !isEphemeral(command))
      .slice(-MAX_SHOWN)
      .map(({ command, failure }) => {
        const shown = short(command);
        if (failure === null) return text('judging.commandOk', { command: shown }, locale);
        return text('judging.commandFailed', { command: shown, why: short(failure) }, locale);
      });
    return lines.join('\n') || text('judging.noCommands', {}, locale);
  }
}

function short(words: string): string {
  const line = words.replace(/\s+/g, ' ').replaceAll('`', "'").trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
}
