import { HandoffPolicy } from '../agent/handoffPolicy.js';
import { Books } from '../books/books.js';
import { lockHolder } from '../database/runLock.js';
import { FlowerError } from '../errors.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { text } from '../locale/locale.js';
import type { RuntimeOptions } from '../runtime/runtimeOptions.js';
import { Layout } from '../terminal/layout.js';
import { Exit } from './exit.js';
import { passGates } from './gates.js';
import { heldText, passLock } from './lockGate.js';
import { type CliPlaces, placesFor } from './places.js';
import type { GlobalFlags } from './program.js';
import { layoutOf, type Screen, withScreen } from './screen.js';
import { loadSettingsFor, showSettings } from './settings.js';
import { startUpdateCheck } from './updateCheck.js';

/**
 * What `go`, `run` and `once` have in common: settings, credentials, a run directory that nobody else works in. Then the command
 * itself. Gives the exit code.
 */
export async function openRun(
  flags: GlobalFlags & { readonly json?: boolean },
  command: (screen: Screen, places: CliPlaces) => Promise<number>,
): Promise<number> {
  const places = placesFor(flags);
  const settings = loadSettingsFor(places.workspace, flags);
  const news = startUpdateCheck();
  return withScreen(flags, async (screen) => {
    showSettings(screen, settings);
    for (const line of flags.pointless) screen.ui.notice(line, 'dim', '- ');
    await passGates(screen, places.workspace);
    const watched = await passLock(screen, places.runDir);
    if (watched !== null) return watched;
    try {
      const code = await command(screen, places);
      const found = news();
      if (found !== null) screen.ui.notice(found, 'dim', '- ');
      return code;
    } catch (error) {
      // Somebody else was quicker, and may be writing just now.
      const isTaken = FlowerError.isInstance(error) && ['run_locked', 'database_locked'].includes(error.code);
      const holder = isTaken ? lockHolder(places.runDir) : null;
      throw holder ? new Exit(1, heldText(places.runDir, holder), { cause: error }) : error;
    }
  });
}

/** When sessions hand over, as the flags say; undefined leaves it to the settings. */
export function handoffOf(
  screen: Screen,
  flags: { readonly window?: number; readonly noHandoff?: boolean },
): RuntimeOptions['handoff'] {
  if (flags.noHandoff) return false;
  const policy = new HandoffPolicy(flags.window === undefined ? {} : { window: flags.window });
  if (policy.at < HandoffPolicy.STARTUP_FLOOR) {
    screen.ui.notice(text('notice.window_small', { window: policy.window, at: policy.at }), 'yellow', '! ');
  }
  return flags.window === undefined ? undefined : policy;
}

/**
 * Sets the ceiling that was given and says what was spent already.
 *
 * @param fresh nothing counts as spent yet
 * @throws Exit if the ceiling, this one or that of an earlier start, is spent
 */
export function checkBudget(
  screen: Screen,
  runDir: string,
  options: { readonly budget: number | undefined; readonly fresh: boolean },
): void {
  const { budget, fresh } = options;
  const books = Books.peek(runDir);
  const spent = fresh ? 0 : (books?.spentUsd() ?? 0);
  const ceiling = budget ?? books?.budgetUsd() ?? null;
  books?.close();
  if (budget !== undefined) {
    keepBudget(runDir, budget);
    const figures = { ceiling: budget.toFixed(2), spent: spent.toFixed(2) };
    screen.ui.notice(text('budget.ceiling', figures), 'dim', '- ');
  }
  if (ceiling === null || spent < ceiling) return;
  const layout = new Layout(layoutOf(screen), '');
  const figures = { ceiling: ceiling.toFixed(2), spent: spent.toFixed(2) };
  throw new Exit(
    5,
    [
      ...layout.hang('! ', text('budget.usedUp', figures), layout.paint.yellow),
      ...layout.hang('  ', text('budget.how')),
    ].join('\n'),
  );
}

/** Says how a run decides by itself, where nobody is there to be asked. */
export function warnWithoutPerson({ ui }: Screen, channel: HumanChannel | null): void {
  if (channel !== null && channel.timeoutS !== 0 && !process.stdin.isTTY)
    ui.notice(text('warn.no_tty'), 'yellow', '! ');
}

/** The ceiling counts from now on, also if nothing runs this time. */
function keepBudget(runDir: string, budgetUsd: number): void {
  const books = Books.open(runDir);
  books.setBudgetUsd(budgetUsd);
  books.close();
}
