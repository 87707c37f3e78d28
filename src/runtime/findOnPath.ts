import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program as a shell would find it; null if there is none. */
export function findOnPath(program: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, program);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Not here; the next folder.
    }
  }
  return null;
}
