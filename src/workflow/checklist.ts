import { basename, relative, sep } from 'node:path';
import type { RuntimeLike } from './runtimeLike.js';

/** Lists above this length were mostly conduct and the unprovable, and cost hours. */
const LONG = 7;

/** True for a checklist that is longer than nearly any task needs. */
export function isLong(checks: readonly string[]): boolean {
  return checks.length > LONG;
}

/** True for an item about something that is built or run, on which a judge who may only read has to guess. */
export function isAboutRunning(check: string): boolean {
  return (
    /`[^`]*\s[^`]*`/.test(check) ||
    /\b(?:binary|executable|build|builds|compiles?|installs?|installer|image|server|starts?|runs?|prints?|exit code)\b/i.test(
      check,
    ) ||
    /二进制|可执行|构建|编译|安装|镜像|启动|运行|输出|退出码/.test(check)
  );
}

/**
 * The items that name a folder of flower itself (workbench, run directory). Those change by its own work, so "stays untouched" can
 * never be met, and nothing in them is handed over.
 */
export function aboutOwnFolders(checks: readonly string[], runtime: RuntimeLike | undefined): string[] {
  const patterns = ownFolders(runtime).map(mentionOf);
  return checks.filter((check) => patterns.some((pattern) => pattern.test(check)));
}

/** By absolute path, and where they lie in the workspace by the path from there. */
function ownFolders({ workspace, runDir, workbench }: RuntimeLike = { run: () => Promise.reject() }): string[] {
  const folders = [workbench?.root, runDir].filter((path) => path !== undefined);
  const inside = folders
    .filter((path) => workspace !== undefined && path.startsWith(workspace + sep))
    .map((path) =>
      relative(workspace ?? '', path)
        .split(sep)
        .join('/'),
    );
  const hidden = workbench ? [basename(workbench.root)].filter((name) => name.startsWith('.')) : ['.flower'];
  return [...new Set([...folders, ...inside, ...hidden])];
}

/** A folder with an ordinary name, such as `runs`, is meant only where a slash follows. */
function mentionOf(folder: string): RegExp {
  const name = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const isPlainWord = /^[\w-]+$/.test(folder);
  return new RegExp(`(?:^|[^\\w./-]|(?<![\\w.])\\./)${name}${isPlainWord ? '/' : '(?![\\w-])'}`);
}
