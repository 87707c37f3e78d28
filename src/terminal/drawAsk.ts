import type { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import type { Layout } from './layout.js';
import type { Style } from './paint.js';
import { cutToWidth } from './width.js';

/**
 * A question at the moment it is asked or settled. `wasAsked` says whether it has been on screen before: one that never waited
 * for anybody is shown with its outcome, so that a log tells what was decided alone.
 */
export function drawQuestion(event: Event, layout: Layout, { wasAsked }: { wasAsked: boolean }): string[] {
  const { paint, locale } = layout;
  const { state, answer, default: fallback } = event.payload;
  const mark = (sign: string, words: string, style: Style) => layout.hang(sign, words, style);
  switch (state) {
    case 'asked':
      return askedLines(event, layout);
    case 'answered':
      return mark('+ ', String(answer ?? ''), paint.green);
    case 'timeout': {
      const words = fallback
        ? text('ask.timeout_default', { answer: String(fallback) }, locale)
        : text(wasAsked ? 'ask.timeout' : 'ask.auto', {}, locale);
      return [...(wasAsked ? [] : askedLines(event, layout)), ...mark('! ', words, paint.yellow)];
    }
    case 'over_budget':
      return mark('! ', text('ask.over', {}, locale), paint.yellow);
    case 'declined':
      return mark('. ', text('ask.skipped', {}, locale), paint.dim);
    case 'invalid':
      return mark('! ', text('ask.invalid', {}, locale), paint.yellow);
    default:
      return [];
  }
}

function askedLines(event: Event, layout: Layout): string[] {
  const { paint, locale } = layout;
  const { options, remaining, default: fallback, from } = event.payload;
  const question = event.text.replace(/\*\*([^*]+)\*\*/g, '$1');
  const lines = ['', ...layout.hang('? ', workerRole(from) + question, (words) => paint.bold(paint.yellow(words)))];
  for (const [index, option] of (Array.isArray(options) ? options : []).entries()) {
    lines.push(...layout.hang(`${String(index + 1).padStart(4)}) `, String(option), paint.yellow));
  }
  const remarks = [
    typeof remaining === 'number' && remaining >= 0 ? text('ask.left', { n: remaining }, locale) : '',
    fallback ? text('ask.default', { answer: String(fallback) }, locale) : '',
  ];
  return [...lines, ...remarks.flatMap((remark) => layout.hang('  ', remark, paint.dim))];
}

/** The main thread's questions need no name. */
function workerRole(from: unknown): string {
  const { role, agent_id } = (from ?? {}) as { role?: unknown; agent_id?: unknown };
  return agent_id ? `(${role}) ` : '';
}

/** A receipt for what the person said: one when it is taken down, one when the agent has it. */
export function drawMail(event: Event, layout: Layout): string[] {
  const { paint, locale } = layout;
  if (event.payload.state === 'delivered') {
    const words = cutToWidth(event.text, layout.width - 12);
    return layout.line('+ ', [[text('mail.delivered', {}, locale)], [words, paint.dim]], paint.green);
  }
  const kept = keptWords(event, layout);
  const receipt = event.payload.workers ? 'mail.received_urgent' : 'mail.received';
  return layout.own('+ ', text(receipt, { kept }, locale), paint.green);
}

function keptWords(event: Event, { locale }: Layout): string {
  switch (event.payload.kept) {
    case 'appended':
      return text('mail.appended', {}, locale);
    case 'until_frozen':
      return text('mail.until_frozen', {}, locale);
    case 'failed':
      return text('mail.kept_failed', { why: String(event.payload.why ?? '?') }, locale);
    default:
      return text('mail.kept_only', {}, locale);
  }
}
