import { FlowerError } from '../errors.js';
import { type LocaleKey, text } from '../locale/locale.js';

/** Ends the program with a message on standard error. Deliberate: never shown with a stack. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/**
 * Runs a command and turns what it throws into a message and an exit code. A stack is shown only with `-v`, of what flower itself
 * did not foresee.
 */
export async function guarded(verbose: boolean, command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    showExit(error instanceof Exit ? error : new Exit(1, messageOf(error), { cause: error }), { verbose });
  }
}

/** Writes the message and sets the exit code. */
export function showExit({ code, message, cause }: Exit, options: { readonly verbose?: boolean } = {}): void {
  process.exitCode = code;
  const stack = options.verbose && cause instanceof Error ? cause.stack : undefined;
  process.stderr.write(`${stack ? `${message}\n${stack}` : message}\n`);
}

function messageOf(error: unknown): string {
  if (FlowerError.isInstance(error)) return error.message;
  const { code, path, dest } = Object(error) as NodeJS.ErrnoException & { dest?: string };
  const why = WHY_NO_FILE.find(([codes]) => codes.some((one) => one === code))?.[1];
  if (why && path) return text('error.file', { path: dest ?? path, why: text(why) });
  return text('error.internal', { why: error instanceof Error ? error.message : String(error) });
}

/** Errors of the file system that a person can do something about. */
const WHY_NO_FILE = [
  [['EISDIR', 'ENOTEMPTY'], 'error.file.isFolder'],
  [['ENOTDIR', 'EEXIST'], 'error.file.isFile'],
  [['EACCES', 'EPERM', 'EROFS'], 'error.file.denied'],
  [['ENOSPC', 'EDQUOT'], 'error.file.full'],
] as const satisfies readonly (readonly [readonly string[], LocaleKey])[];
