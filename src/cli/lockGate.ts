import { setTimeout } from 'node:timers/promises';
import { type LockHolder, lockHolder } from '../database/runLock.js';
import { text } from '../locale/locale.js';
import { routeLine } from '../terminal/routeLine.js';
import { Exit } from './exit.js';
import { tilde } from './places.js';
import type { Screen } from './screen.js';

/** A look at a lock holds it for an instant, so that one refusal proves nothing. */
const PATIENCE_MS = 1000;
const LOOK_EVERY_MS = 100;

/**
 * Sees that no other flower works in the run directory. If one does, a person may watch it: `watch` then shows it and gives the
 * exit code. Null: nobody is there.
 *
 * @throws Exit if the directory is in use and nobody wants to watch
 */
export async function passLock(screen: Screen, runDir: string): Promise<number | null> {
  const holder = await holderOf(runDir);
  if (holder === null) return null;
  const held = heldText(runDir, holder);
  if (!screen.ui.isTerminal) throw new Exit(1, held);
  screen.ui.notice(held, 'yellow');
  const choices = [text('lock.watch'), text('lock.leave')];
  const answer = await screen.ui.readLine(choices.map((choice, i) => `  ${i + 1}) ${choice}`).join('\n'));
  const chosen = routeLine(answer ?? '', { id: '', options: choices });
  if (chosen.to !== 'answer' || chosen.words !== choices[0]) return 1;
  const { follow } = await import('./follow.js');
  return follow(screen, runDir);
}

/** Who holds a run directory, and how to run something else at the same time. */
export function heldText(runDir: string, { pid, startedAt }: LockHolder): string {
  const since = startedAt === null ? '?' : new Date(startedAt * 1000).toLocaleString('sv').slice(0, 16);
  return `${text('lock.held', { dir: tilde(runDir), pid: pid ?? '?', since })}\n${text('lock.other')}`;
}

async function holderOf(runDir: string): Promise<LockHolder | null> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const holder = lockHolder(runDir);
    if (holder === null || performance.now() > until) return holder;
    await setTimeout(LOOK_EVERY_MS);
  }
}
