import type { Verdict } from '../documents/verdict.js';
import { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';

const STATE_WORDS = {
  achieved: 'verdict.state.achieved',
  not_yet: 'verdict.state.notYet',
  unreachable: 'verdict.state.unreachable',
} as const;

/** What a judge found, for the person: the ruling with its reason, then each item with its evidence. */
export function verdictEvent(verdict: Verdict, n: number, locale: Locale): Event {
  const { reason, items } = verdict;
  const state = verdict.state ? text(STATE_WORDS[verdict.state], {}, locale) : text('judging.noConclusion', {}, locale);
  const head = reason
    ? text('judging.reason', { n, state, reason }, locale)
    : text('judging.ruled', { n, state }, locale);
  const lines = items.map(({ number, state: found, evidence }) =>
    text('judging.item', { number, state: text(`verdict.item.${found}`, {}, locale), evidence }, locale),
  );
  return new Event('task', {
    text: [head, ...lines].join('\n'),
    payload: { verdict: verdict.state, n, items, reason },
  });
}
