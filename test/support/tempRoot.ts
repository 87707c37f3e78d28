import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Gives all tests one temporary folder and removes it after the last of them: what a test leaves behind, or a program that it killed,
 * does not pile up on the machine.
 */
export default function tempRoot(): () => void {
  // A short name: paths in it are shown on lines of 80 characters.
  const root = mkdtempSync(join(tmpdir(), 'fl-'));
  // Some commands are tried as another user, who must be able to pass through.
  chmodSync(root, 0o711);
  process.env.TMPDIR = root;
  return () => rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
