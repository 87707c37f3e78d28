import { degraded, Handoff, handoffPrompt } from '../documents/handoff.js';
import { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { HandInDesk } from '../tools/handIn.js';
import { writeHandoff } from './handoffFile.js';
import { kilo } from './kilo.js';
import type { StepHost } from './stepHost.js';
import { StepResult } from './stepResult.js';
import { handInKinds, type StepRun } from './stepRun.js';
import type { StepSession } from './stepSession.js';

/** Why a session cannot write its handoff itself. */
export type ForcedBy = 'handoff.why.full' | 'handoff.why.broken';

/**
 * Writes what a session leaves to its successor. The session itself does it, as only it knows; where it cannot, flower writes a
 * reduced one that sends the successor to look for itself.
 *
 * @param task what the step was asked
 * @param forced why the session cannot; null: it can
 */
export async function handOff(
  host: StepHost,
  run: StepRun,
  session: StepSession,
  { task, forced }: { readonly task: string; readonly forced: ForcedBy | null },
): Promise<Handoff> {
  const { result, name, watermark, policy } = run;
  const { locale } = host;
  const shown = { used: kilo(watermark, 1), window: kilo(policy.window) };
  const emit = (words: string, payload: Record<string, unknown>) =>
    run.emit(
      new Event('handoff', {
        text: words,
        payload: { step: name, context: watermark, window: policy.window, ...payload },
      }),
    );
  emit(text('handoff.writing', shown, locale), { phase: 'writing' });

  const written = forced
    ? null
    : await writingRound(host, run, session, handoffPrompt(shown.used, shown.window, locale));
  const missing = written?.missing() ?? [];
  const why = forced
    ? text(forced, {}, locale)
    : missing.length > 0
      ? text('handoff.why.missing', { titles: missing.join('/') }, locale)
      : null;
  const handoff = written && why === null ? written : degraded(name, task, { why: why ?? '', locale });
  if (why !== null) result.errors.push(text('handoff.degradedNote', { why }, locale));

  const path = writeHandoff(handoff, host.workbench, locale);
  const { doing, decided, deadends, next } = handoff;
  const sections = { doing, decided, deadends, next };
  emit(text('handoff.done', { step: name }, locale), { phase: 'done', degraded: handoff.degraded, path, sections });
  return handoff;
}

/** One more turn of the full session. It is exempt from the threshold, which it is above, and from the step's own budget. */
async function writingRound(host: StepHost, run: StepRun, session: StepSession, prompt: string): Promise<Handoff> {
  const { name, spec, result } = run;
  const { locale, account } = host;
  const probe = new StepResult({ step: name, sessionId: result.sessionId });
  const desk = new HandInDesk({ kinds: handInKinds(spec, host.handoff), locale, handoffDue: () => true });
  const round: StepRun = { ...run, result: probe, desk, emit: () => undefined, stop: null };
  const usd = Number.isFinite(account.restUsd) ? account.restUsd : null;
  await session.query(round, { prompt, resume: result.sessionId, fork: false, resumeAt: null }, { usd, writing: true });
  result.costUsd += probe.costUsd;
  result.numTurns += probe.numTurns;
  if (probe.handIn?.kind !== 'handoff') return Handoff.parse(probe.text, { step: name, locale });
  probe.handIn.document.step = name;
  return probe.handIn.document;
}
