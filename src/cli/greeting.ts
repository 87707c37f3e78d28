import { hasDamagedLineage, lineageRecords, olderLineageRecords } from '../books/lineageRecords.js';
import { text } from '../locale/locale.js';
import { tokens } from '../terminal/figures.js';
import { Layout } from '../terminal/layout.js';
import type { WakeState } from '../workflow/wakeState.js';
import { type CliPlaces, tilde } from './places.js';
import { layoutOf, type Screen } from './screen.js';
import { lookInto, storedContext, untakenMail } from './storedSessions.js';

/** Says where the run goes on, or why it cannot, and what of the person's words still waits. */
export function greet(screen: Screen, places: CliPlaces, state: WakeState): void {
  const { ui } = screen;
  const session = state.steps.work;
  const context = session === undefined ? 0 : lookInto(places.runDir, (database) => storedContext(database, session));
  const lost = session === undefined ? foreignRecord(places) : context === null ? text('banner.lost.session') : null;
  if (lost === null) ui.lines(bannerLines(screen, places, state, context ?? 0));
  else ui.notice(text('banner.lost', { why: lost }), 'yellow', '! ');
  const mail = lookInto(places.runDir, untakenMail) ?? 0;
  if (mail > 0) ui.notice(text('mail.waiting', { n: mail }), 'dim', '- ');
}

function bannerLines(screen: Screen, { workspace }: CliPlaces, state: WakeState, context: number): string[] {
  const parts = [
    text('banner.brief'),
    ...(state.checks > 0 ? [text('banner.goal', { n: state.checks })] : []),
    ...(context > 0 ? [text('banner.context', { size: tokens(context) })] : []),
  ];
  const layout = new Layout(layoutOf(screen), '');
  const wake = text('banner.wake', { n: state.woke + 1 });
  return layout.own(
    '',
    text('banner.line', { place: tilde(workspace), parts: parts.join(' · '), wake }),
    layout.paint.cyan,
  );
}

/** Why there is a brief but no session, if a record says so: it belongs to another place, or nothing can be read in it. */
function foreignRecord({ workspace, runDir }: CliPlaces): string | null {
  try {
    const stored = lookInto(runDir, ({ handle }) => lineageRecords(handle));
    if (stored === null && hasDamagedLineage(runDir)) return text('banner.lost.file');
    const records = stored ?? olderLineageRecords(runDir);
    const other = records.find((record) => record.workspace !== workspace && record.steps.length > 0);
    return other ? text('banner.lost.path', { path: tilde(other.workspace) }) : null;
  } catch {
    return text('banner.lost.file');
  }
}
