import { degraded, Handoff, handoffPrompt } from '../documents/handoff.js';
import { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import { HandInDesk } from '../tools/handIn.js';
import type { Failure, FailureClass } from './failure.js';
import { writeHandoff } from './handoffFile.js';
import { kilo } from './kilo.js';
import type { StepHost } from './stepHost.js';
import { StepResult } from './stepResult.js';
import { handInKinds, type StepRun } from './stepRun.js';

/** Why a session cannot write its handoff itself. */
export type ForcedBy = 'handoff.why.full' | 'handoff.why.broken';

export interface HandOffOptions {
  /** What the step was asked. */
  readonly task: string;
  /** Why the session cannot write it; null: it can. */
  readonly forced: ForcedBy | null;
  /** Runs the round in which it does, to its end; gives the failure that ended it, null if it ended well or was stopped. */
  write(round: StepRun, prompt: string): Promise<{ kind: FailureClass; failure: Failure } | null>;
}

/**
 * Writes what a session leaves to its successor. The session itself does it, as only it knows; where it cannot, flower writes a
 * reduced one that sends the successor to look for itself. Null if there was no way to ask the session now, and the step ends with
 * its error: the session is full but whole, and a later start asks it again.
 */
export async function handOff(host: StepHost, run: StepRun, options: HandOffOptions): Promise<Handoff | null> {
  const { result, name, watermark, policy } = run;
  const { locale } = host;
  const { task, forced } = options;
  const shown = { used: kilo(watermark, 1), window: kilo(policy.window) };
  const emit = (words: string, payload: Record<string, unknown>) =>
    run.emit(
      new Event('handoff', {
        text: words,
        payload: { step: name, context: watermark, window: policy.window, ...payload },
      }),
    );
  emit(text('handoff.writing', shown, locale), { phase: 'writing' });

  const prompt = handoffPrompt(shown.used, shown.window, locale);
  const written = forced ? whyForced(forced, host) : await writtenByItself(host, run, options, prompt);
  if (written === null) return null;
  const handoff = written instanceof Handoff ? written : degraded(name, task, { why: written.why, locale });
  if (!(written instanceof Handoff)) result.errors.push(text('handoff.degradedNote', written, locale));

  const path = writeHandoff(handoff, host.workbench, locale);
  const { doing, decided, deadends, next } = handoff;
  const sections = { doing, decided, deadends, next };
  emit(text('handoff.done', { step: name }, locale), { phase: 'done', degraded: handoff.degraded, path, sections });
  return handoff;
}

interface Unwritten {
  /** Why there is none, in words. */
  readonly why: string;
}

function whyForced(forced: ForcedBy, { locale }: StepHost): Unwritten {
  return { why: text(forced, {}, locale) };
}

/** One more turn of the full session. It is exempt from the threshold, which it is above, and from the step's own budget. */
async function writtenByItself(
  host: StepHost,
  run: StepRun,
  { write }: HandOffOptions,
  prompt: string,
): Promise<Handoff | Unwritten | null> {
  const { name, spec, result } = run;
  const { locale } = host;
  const probe = new StepResult({ step: name, sessionId: result.sessionId });
  const round: StepRun = {
    ...run,
    spec: spec.with({ maxBudgetUsd: null }),
    result: probe,
    options: { ...run.options, resume: result.sessionId, fork: false, resumeAt: null },
    desk: new HandInDesk({ kinds: handInKinds(spec, host.handoff), locale, handoffDue: () => true }),
    // What the session says here is for its successor; that somebody waits is for the person.
    emit: (event) => (event.kind === 'retry' || event.kind === 'task' ? run.emit(event) : undefined),
    stop: null,
  };
  const { open } = run;
  // The round is booked as a part of its step, while it lasts and afterwards.
  const counted = () => Math.max(open().countedUntil, round.open().countedUntil);
  run.open = () => ({ usd: probe.costUsd + round.open().usd, countedUntil: counted() });
  const ended = await write(round, prompt);
  run.open = () => ({ usd: open().usd, countedUntil: counted() });
  result.costUsd += probe.costUsd;
  result.costEstimated ||= probe.costEstimated;
  result.numTurns += probe.numTurns;
  result.errors.push(...probe.errors);

  const handoff =
    probe.handIn?.kind === 'handoff' ? probe.handIn.document : Handoff.parse(probe.text, { step: name, locale });
  handoff.step = name;
  if (handoff.complete()) return handoff;
  if (ended?.kind === 'full') return whyForced('handoff.why.full', host);
  if (ended?.kind === 'history') return whyForced('handoff.why.broken', host);
  if (probe.ok || isItsOwnFault(ended?.failure)) {
    return { why: text('handoff.why.missing', { titles: handoff.missing().join('/') }, locale) };
  }
  result.error = probe.error;
  return null;
}

/** The session was asked and had its say, only not to an end. */
function isItsOwnFault(failure: Failure | undefined): boolean {
  return failure?.terminalReason === 'max_turns' || failure?.error === 'max_output_tokens';
}
