/** How bad a thing is: fine, worth knowing, or a run would fail on it. */
export type FindingState = 'ok' | 'warn' | 'bad';

/** One thing that was looked at. */
export interface Finding {
  readonly state: FindingState;
  readonly text: string;
  /** What to do, if `text` does not say it. */
  readonly advice?: string;
  readonly repair?: Repair;
}

/** How a thing is put right, where that can harm nothing. */
export interface Repair {
  /** It changes something inside the run directory, so nobody may be working there. */
  readonly insideRunDir: boolean;
  /** Does it and says what was done; null if nothing could be done safely. */
  make(): Promise<string | null>;
}

export const ok = (text: string): Finding => ({ state: 'ok', text });
export const warn = (text: string, more: Pick<Finding, 'advice' | 'repair'> = {}): Finding => ({
  state: 'warn',
  text,
  ...more,
});
export const bad = (text: string, advice?: string): Finding => ({ state: 'bad', text, ...(advice && { advice }) });

/** The error code of a file operation, else its message. */
export function codeOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return typeof code === 'string' ? code : String(message ?? error);
}
