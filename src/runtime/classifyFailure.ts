import { isOverflow } from '../documents/isOverflow.js';
import { certificateFault } from './certificateFault.js';
import { classify, FRONT_CHARACTERS, isSpentBalance } from './classify.js';
import type { Failure, FailureClass } from './failure.js';
import { resetTime } from './resetTime.js';
import { STOP } from './turnStop.js';

/**
 * Says what a failed attempt means for the run, by what the harness reported in fields; its text counts only where no field says
 * anything. `subtype: 'success'` says nothing: it also stands on a turn that an API error ended.
 *
 * @param options.answered an earlier request of this session went through: an image that is refused then lies in its history, and
 * is none that was sent just now. Default false
 * @example
 * classifyFailure({ error: 'server_error', apiErrorStatus: 529 }); // 'wall'
 * classifyFailure({ error: 'server_error', apiError: 'connection_failed' }); // 'transient'
 */
export function classifyFailure(failure: Failure, options: { readonly answered?: boolean } = {}): FailureClass {
  const { terminalReason, error, apiError, subtype, apiErrorStatus: status } = failure;
  const text = (failure.text ?? '').slice(0, FRONT_CHARACTERS);
  const said = [terminalReason, error, apiError, subtype, text].flatMap((word) => MEANING.get(word ?? '') ?? []);
  const says = (meaning: Meaning) => said.includes(meaning);
  // A rate limit in the fields is no more than status 429, with which a spent balance and a usage limit come as well.
  const isOpen = said.every((meaning) => meaning === 'rate');

  if (says('full') || (said.length === 0 && isOverflow(text))) return 'full';
  if (apiError === 'tool_history_mismatch' || (isBadRequest(status, text) && BAD_HISTORY.test(text))) return 'history';
  if (terminalReason === 'image_error' && options.answered) return 'history';
  if (says('fatal') || (isOpen && isSpentBalance(text)) || certificateFault(failure)) return 'fatal';
  const isUsageLimit = isOpen && USAGE_LIMIT.test(text);
  const end = failure.resetsAt ?? resetTime(text);
  if ((says('rate') || isUsageLimit) && end !== null) return 'limit';
  if (says('lost')) return 'transient';
  if (isUsageLimit || says('overloaded') || isServerStatus(status)) return 'wall';
  if (said.length > 0 || HARNESS_ENDED.test(text)) return 'transient';
  return classify(status === undefined ? text : `${status} ${text}`);
}

type Meaning = 'full' | 'fatal' | 'rate' | 'overloaded' | 'lost' | 'server';

/** Words of the harness and of flower itself. Each has one meaning in whatever field it stands, also as a whole text. */
const WORDS: Readonly<Record<Meaning, readonly string[]>> = {
  full: ['prompt_too_long', 'blocking_limit'],
  fatal: [
    ...['authentication_failed', 'billing_error', 'model_not_found', 'invalid_request', 'image_error'],
    ...['max_output_tokens', 'max_turns', 'budget_exhausted', 'error_max_turns', 'error_max_budget_usd'],
  ],
  rate: ['rate_limit'],
  overloaded: ['overloaded'],
  lost: ['connection_failed', 'stream_idle_timeout', STOP.silence],
  server: ['server_error'],
};
const MEANING: ReadonlyMap<string, Meaning> = new Map(
  Object.entries(WORDS).flatMap(([meaning, words]) => words.map((word) => [word, meaning as Meaning] as const)),
);

const BAD_HISTORY = /messages\.\d|\btool_(?:use|result)\b|thinking\W{0,3}blocks?\b|text content blocks?\b|\bimages?\b/i;

const USAGE_LIMIT =
  /\b(?:usage|session|weekly|daily|monthly|hour(?:ly)?|opus|sonnet|haiku)[ -]limit\b|(?<!rate[ _-]?)\blimit reached\b|\bhit your\b.{0,40}\blimit\b|\bTPD\b|tokens per day/i;

const HARNESS_ENDED = /\bprocess (?:exited with code|terminated by signal)\b/i;

function isBadRequest(status: number | undefined, text: string): boolean {
  return status === undefined ? /^\s*(?:API Error:\s*)?400\b/i.test(text) : status === 400;
}

function isServerStatus(status: number | undefined): boolean {
  return status !== undefined && status >= 500 && status < 600;
}
