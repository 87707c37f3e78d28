import { FlowerError } from '../errors.js';
import { text } from '../locale/locale.js';

/** Ends the program with one clear line on standard error. Deliberate: never shown with a stack. */
export class Exit extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs a command and turns what it throws into one line and an exit code. A stack is shown only for a fault of flower's own, with `-v`. */
export async function guarded(verbose: boolean, command: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await command();
  } catch (error) {
    process.exitCode = error instanceof Exit ? error.code : 1;
    process.stderr.write(`${lineFor(error, verbose)}\n`);
  }
}

function lineFor(error: unknown, verbose: boolean): string {
  if (error instanceof Exit || FlowerError.isInstance(error)) return error.message;
  if (verbose && error instanceof Error && error.stack) return error.stack;
  return text('error.internal', { why: error instanceof Error ? error.message : String(error) });
}
