/** What the words of a failure say: worth another try, no use, or not known. */
export type ErrorKind = 'transient' | 'fatal' | 'unknown';

/**
 * Classifies a failure by its text alone: the fallback for one without structure, see `classifyFailure`. A status code in front
 * decides, as anything may follow it. Elsewhere `fatal` is looked for first: the text of a 401 often names the connection, and the
 * other order would wait for ever.
 *
 * @param text the words of an error; never those of a model or the output of a tool, which may quote any error
 * @example
 * classify('401 unauthorized: connection error'); // 'fatal'
 * classify('request took 400 ms, ECONNRESET'); // 'transient'
 */
export function classify(text: string | null | undefined): ErrorKind {
  if (!text) return 'unknown';
  const front = FRONT.exec(text);
  const kind = front && kindOfStatus(front[1]);
  if (kind) return kind === 'transient' && isSpentBalance(text) ? 'fatal' : kind;
  if (FATAL.test(text) || hasStatus(text, 'fatal')) return 'fatal';
  return TRANSIENT.test(text) || hasStatus(text, 'transient') ? 'transient' : 'unknown';
}

/**
 * True if the text says that the money is gone. The API answers that with the status of a rate limit as well, which would be tried
 * again for weeks.
 */
export function isSpentBalance(text: string): boolean {
  return SPENT.test(text.slice(0, FRONT_CHARACTERS));
}

/** The error itself stands in front; what follows may be the output of a program. */
export const FRONT_CHARACTERS = 1000;

/** A number is a status code only where one is expected: "took 400 ms" is none. */
const MARK = String.raw`(?<![a-z])(?:API Error:|HTTP(?:/\d(?:\.\d)?)?|status(?:[ _-]?code)?|code|error|rejected)["']?\s*[:=(]?\s*`;
const STATUS = new RegExp(String.raw`(?:^\s*|${MARK})(\d{3})(?![\d.])`, 'gi');
const FRONT = /^\s*(?:API Error:\s*(?:Request rejected|Repeated)?\s*)?\(?(\d{3})(?![\d.])/i;

const SPENT =
  /credit balance|no credits|out of credits|insufficient[_ ](?:quota|funds|balance)|quota exceeded|billing_error|account_on_hold/i;

const FATAL = new RegExp(
  [
    SPENT.source,
    String.raw`invalid[\W_]*api[\W_]*key`,
    'authentication|unauthorized|permission[ _]denied|invalid_request|model_not_found',
    'budget|max_turns',
    String.raw`CLINotFound|executable not found|spawn\b.*\bENOENT`,
  ].join('|'),
  'i',
);

const TRANSIENT = new RegExp(
  [
    'ENOTFOUND|EAI_AGAIN|ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETDOWN',
    'socket hang up|fetch failed|network error|connection error|can.t reach the API server|premature close',
    String.raw`overloaded|rate[\W_]*limit|too many requests|timeout|timed out|temporarily unavailable|service unavailable`,
    'internal server error|server_error|terminated',
  ].join('|'),
  'i',
);

function kindOfStatus(status: string | undefined): ErrorKind | null {
  if (/^40[0134]$/.test(status ?? '')) return 'fatal';
  return /^(?:429|50[0234]|529)$/.test(status ?? '') ? 'transient' : null;
}

function hasStatus(text: string, kind: ErrorKind): boolean {
  return [...text.matchAll(STATUS)].some(([, status]) => kindOfStatus(status) === kind);
}
