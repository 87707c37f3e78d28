import { text } from '../locale/locale.js';
import type { WakeState } from '../workflow/wakeState.js';
import { Exit } from './exit.js';
import type { Screen } from './screen.js';

/** What is wanted of this run. */
export interface Request {
  /** The person's words; empty means: go on. */
  readonly words: string;
  /** Begin something else, whatever is here. */
  readonly fresh: boolean;
}

/**
 * The request: typed on the command line, else at the prompt, else all of an input that is no terminal. Null if there is nothing
 * to do, because the goal is achieved and nothing new is wanted.
 *
 * @throws Exit for Ctrl-C, and for nothing said where there is nothing to go on with
 */
export async function requestOf(
  screen: Screen,
  said: string,
  options: { readonly fresh: boolean; readonly state: WakeState },
): Promise<Request | null> {
  let request = renewed(said, options.fresh);
  while (request.words === '') {
    const waking = (options.state.waking || options.state.clarifying !== null) && !request.fresh;
    const line = await nextLine(screen, text(waking ? 'start.waking' : 'start.first'));
    request = renewed(line, request.fresh);
    if (request.words !== '') break;
    if (line !== '') continue;
    if (!waking) throw new Exit(1, text('err.empty_ask'));
    const done = doneText(options.state);
    if (done === null) break;
    const more = await somethingNew(screen, done);
    if (more === '') return null;
    request = renewed(more, request.fresh);
  }
  return request;
}

/** Takes `/new` off the words: it begins something else, with the words behind it as the request. */
function renewed(said: string, fresh: boolean): Request {
  const words = said.trim();
  const command = /^\/new(?:\s+|$)/i.exec(words);
  return command ? { words: words.slice(command[0].length).trim(), fresh: true } : { words, fresh };
}

async function nextLine({ ui }: Screen, heading: string): Promise<string> {
  if (!process.stdin.isTTY) return (await ui.readAll()).trim();
  const line = await ui.readLine(heading);
  if (line === null) throw new Exit(1, text('cancelled'));
  return line.trim();
}

/** The goal is achieved already: another round would be paid for nothing, so it is asked for words instead. */
function somethingNew(screen: Screen, done: string): Promise<string> {
  if (process.stdin.isTTY) return nextLine(screen, done);
  screen.ui.notice(done.replace(/ ?‹.*›/u, ''));
  return Promise.resolve('');
}

/** Says that the goal is achieved, or the result accepted; null if it is not, or if brief or goal were edited since. */
function doneText({ outcome }: WakeState): string | null {
  if (!outcome?.unchanged || (outcome.verified !== 'achieved' && outcome.verified !== 'accepted')) return null;
  const date = new Date(outcome.endedAt * 1000).toISOString().slice(0, 10);
  const key = outcome.verified === 'accepted' ? 'start.accepted' : 'start.achieved';
  return text(key, { date, cost: outcome.costUsd.toFixed(2) });
}
