/**
 * Why a command line isn't harmless. Each has a text `shell.<why>` that is told to the model; `what` is the piece of the command
 * line that it is about.
 */
export type Why =
  | 'empty'
  | 'tooLong'
  | 'control'
  | 'syntax'
  | 'construct'
  | 'substitution'
  | 'background'
  | 'redirect'
  | 'assignment'
  | 'spelling'
  | 'unlisted'
  | 'lonelyCd'
  | 'variable'
  | 'expands'
  | 'writes'
  | 'starts'
  | 'changes'
  | 'endless'
  | 'unknown';

export interface Refusal {
  readonly why: Why;
  readonly what: string;
}

export function refuse(why: Why, what = ''): Refusal {
  return { why, what };
}

export function isRefusal(value: object): value is Refusal {
  return 'why' in value;
}
