/**
 * A failure that a caller is meant to handle. `code` is stable and for programs; the message is for people: what happened, what
 * it means for the run, what to do.
 *
 * @example
 * try { await workflow.run(runtime) } catch (error) {
 *   if (FlowerError.isInstance(error) && error.code === 'run_locked') console.error(error.message);
 *   else throw error;
 * }
 */
export class FlowerError extends Error {
  readonly code: string;
  readonly #marker = true;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'FlowerError';
    this.code = code;
  }

  /** True for a FlowerError. Safe for any value. */
  static isInstance(value: unknown): value is FlowerError {
    return typeof value === 'object' && value !== null && #marker in value;
  }
}
