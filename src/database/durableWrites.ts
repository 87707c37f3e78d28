let observer: ((name: string) => void) | null = null;

/**
 * Called right before each write that must outlast the process: `commit`, `view manifest.json`, `project.json` and so on. Production
 * code has no observer; a crash test installs one that kills the process at the n-th call.
 */
export function beforeDurableWrite(name: string): void {
  observer?.(name);
}

/**
 * Installs the observer of `beforeDurableWrite`, or takes it away with null.
 *
 * @example
 * let left = 3;
 * observeDurableWrites(() => { if (--left === 0) process.kill(process.pid, 'SIGKILL'); });
 */
export function observeDurableWrites(observe: ((name: string) => void) | null): void {
  observer = observe;
}
