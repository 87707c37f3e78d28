import { setTimeout } from 'node:timers/promises';
import { Books } from '../books/books.js';
import type { EventRow } from '../books/types.js';
import { lockHolder } from '../database/runLock.js';
import { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { Renderer } from '../terminal/renderer.js';
import { jsonRow } from './jsonRow.js';
import type { Screen } from './screen.js';

/** Rows of the past that are shown first. */
const PAST = 20;
const LOOK_EVERY_MS = 500;

/**
 * Shows a run that another process owns, from its log: the last events and then each new one, until it ends or the person leaves.
 * Nothing is sent to it. Gives the exit code.
 */
export async function follow(
  screen: Screen,
  runDir: string,
  options: { readonly json?: boolean } = {},
): Promise<number> {
  const left = new AbortController();
  const leave = () => left.abort();
  process.once('SIGINT', leave);
  const books = Books.peek(runDir);
  try {
    const run = books?.lastRun();
    if (!books || !run) {
      screen.ui.notice(text('state.none', { dir: runDir }));
      return 0;
    }
    let shownAt = run.startedAt;
    const renderer = new Renderer({
      write: (lines) => screen.ui.lines([lines.replace(/\n$/, '')]),
      columns: screen.columns,
      color: screen.color,
      verbose: screen.verbose,
      locale: screen.locale,
      now: () => shownAt * 1000,
    });
    const show = (row: EventRow) => {
      shownAt = row.at;
      if (options.json) process.stdout.write(jsonRow(row));
      else renderer.event(new Event(row.kind as Event['kind'], row));
    };
    let after = Math.max(0, books.lastSeq(run.run) - PAST);
    while (!left.signal.aborted) {
      // Looked at before the rows: what is written behind the last row is its end.
      const isOver = lockHolder(runDir) === null;
      const page = books.events(run.run, { after });
      for (const row of page.events) show(row);
      after = page.events.at(-1)?.seq ?? after;
      if (page.events.some(({ kind, text: name }) => kind === 'system' && name === 'run_ended')) break;
      if (page.more) continue;
      if (isOver) break;
      await setTimeout(LOOK_EVERY_MS, undefined, { signal: left.signal }).catch(() => {});
    }
    return 0;
  } finally {
    process.off('SIGINT', leave);
    books?.close();
  }
}
