export interface ChildEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
}
export interface Child {
  readonly pid: number;
  readonly ended: Promise<ChildEnd>;
  /** Resolves once the child has written this word to its standard output. */
  said(word: string): Promise<void>;
  kill(signal?: NodeJS.Signals): boolean;
}
export function source(path: string): string;
export function startChild(code: string, parameters?: object): Child;
export function runChild(code: string, parameters?: object): Promise<ChildEnd>;
