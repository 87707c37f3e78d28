import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs something in a folder of its own, with a workspace `work` in it, and removes it afterwards. */
export async function inFolder(run) {
  const folder = mkdtempSync(join(tmpdir(), 'flower-bench-'));
  mkdirSync(join(folder, 'work'));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** How a Runtime or a program finds the scripted service, and nothing of this machine. */
export function settingsFor(url) {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-fake' };
}
