import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The file with this user's settings, `$XDG_CONFIG_HOME/flower/.env` or `~/.config/flower/.env`. It need not exist.
 *
 * @example
 * console.log(`credentials belong in ${userEnvPath()}`);
 */
export function userEnvPath(options: { readonly env?: Environment; readonly home?: string } = {}): string {
  const { env = process.env } = options;
  return join(env.XDG_CONFIG_HOME || join(options.home ?? homeOf(env), '.config'), 'flower', '.env');
}

/** @internal */
export function homeOf(env: Environment): string {
  return env.HOME || homedir();
}
