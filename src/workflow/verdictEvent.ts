import type { Verdict } from '../documents/verdict.js';
import { Event } from '../events/event.js';
import { type Locale, text } from '../locale/locale.js';
import { cutText } from '../workbench/cutText.js';

const STATE_WORDS = {
  achieved: 'verdict.state.achieved',
  not_yet: 'verdict.state.notYet',
  unreachable: 'verdict.state.unreachable',
} as const;

/** Characters. A judge may quote a whole log; all of it stands in the payload and in the report. */
const EVIDENCE_SHOWN = 300;

/** What a judge found, for the person: the ruling with its reason, then each item with its evidence, both in short. */
export function verdictEvent(verdict: Verdict, n: number, locale: Locale): Event {
  const { reason, items } = verdict;
  const state = verdict.state ? text(STATE_WORDS[verdict.state], {}, locale) : text('judging.noConclusion', {}, locale);
  const head = reason
    ? text('judging.reason', { n, state, reason: shortened(reason, 4 * EVIDENCE_SHOWN) }, locale)
    : text('judging.ruled', { n, state }, locale);
  const lines = items.map(({ number, state: found, evidence }) => {
    const shown = shortened(evidence);
    return text('judging.item', { number, state: text(`verdict.item.${found}`, {}, locale), evidence: shown }, locale);
  });
  return new Event('task', {
    text: [head, ...lines].join('\n'),
    payload: { verdict: verdict.state, n, items, reason },
  });
}

function shortened(words: string, length = EVIDENCE_SHOWN): string {
  const line = words.trim().replace(/\s+/g, ' ');
  return line.length <= length ? line : `${cutText(line, length)}...`;
}
