import { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import type { Mended } from '../store/curate/mended.js';
import type { PruningSessionStore } from '../store/pruningSessionStore.js';

/**
 * Turns into events what happens in a session store: that entries wait in memory because they cannot be written, that they are
 * written again, and that a history had to be mended on its way to the model. The last is told once for each session, and again
 * only if there is more to mend.
 */
export function hearStore(store: PruningSessionStore, locale: Locale, announce: (event: Event) => void): void {
  const told = new Map<string, number>();

  store.onFault = (fault) => {
    if (!fault) return announce(new Event('system', { text: 'store_recovered' }));
    const { kind, message, waiting } = fault;
    const words = text('store.waiting', { why: message }, locale);
    announce(new Event('error', { text: words, payload: { store_fault: { kind, waiting } } }));
  };

  store.onLoad = ({ sessionId, subpath }, report) => {
    const count = subpath === undefined ? sum(report.mended) : 0;
    if (count <= (told.get(sessionId) ?? 0)) return;
    told.set(sessionId, count);
    const { mended, faults } = report;
    announce(
      new Event('system', {
        text: 'history_mended',
        payload: { session_id: sessionId, ...mended, faults: faults ?? [] },
      }),
    );
  };
}

function sum(mended: Mended | undefined): number {
  return mended ? Object.values(mended).reduce((total, count) => total + count, 0) : 0;
}
