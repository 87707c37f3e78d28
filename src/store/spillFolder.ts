import { createHash } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { isInside } from '../workbench/paths.js';
import type { Spill } from './curate/trim.js';
import type { TrimPolicy } from './trimPolicy.js';

/**
 * The folder that trimmed results go to. A file is named by its content, so the same result has the same name at every load. Inside
 * the workspace its path is shown relative to it, as the model works there.
 */
export function spillFolder(workspace: string, policy: TrimPolicy): Spill {
  const root = resolve(workspace);
  const folder = policy.spillDir === null ? join(root, policy.spillDirname) : resolve(policy.spillDir);
  return (bytes, extension) => {
    const path = join(folder, `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.${extension}`);
    try {
      if (!existsSync(path)) {
        mkdirSync(folder, { recursive: true });
        writeFileAtomic.sync(path, typeof bytes === 'string' ? bytes : Buffer.from(bytes));
      }
    } catch {
      return null;
    }
    return isInside(root, path) && !isAbsolute(relative(root, path)) ? relative(root, path).split(sep).join('/') : path;
  };
}
