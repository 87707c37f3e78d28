import type { SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it, vi } from 'vitest';
import { call, type SimRequest, say } from '../../src/sim/index.js';
import { type OneStep, withStep } from '../support/oneStep.js';

const bash = (command: string) => call('Bash', { command, description: command });
const said = (entries: readonly SessionStoreEntry[] | null) => JSON.stringify(entries);

/** The SDK tries three times, then drops the batch. */
function loseAnAppendWith({ runtime }: OneStep, words: string): () => number {
  const append = runtime.store.inner.append.bind(runtime.store.inner);
  let refused = 0;
  vi.spyOn(runtime.store.inner, 'append').mockImplementation(async (key, entries) => {
    if (refused < 3 && said(entries).includes(words)) {
      refused += 1;
      throw new Error('no room');
    }
    return append(key, entries);
  });
  return () => refused;
}

describe.concurrent('a store that could not take a batch (Z53, R1.93)', () => {
  it.each(['fresh', 'resumed'])('has it in its place when the query is over: a %s session', async (kind) => {
    const script = ({ prompt, calls }: SimRequest) => {
      if (prompt === 'First.') return say('Heard.');
      return calls.length < 3 ? bash(`echo step-${calls.length}`) : say('Finished.');
    };
    await withStep(script, {}, async (at) => {
      const { runtime, spec, events, sim } = at;
      const first = kind === 'resumed' ? await runtime.run(spec, 'First.') : null;
      const refused = loseAnAppendWith(at, 'step-1');
      const onEvent = (event: (typeof events)[number]) => events.push(event);
      const result = await runtime.run(spec, 'Work.', { resume: first?.sessionId ?? null, onEvent });
      expect(result).toMatchObject({ ok: true, text: 'Finished.' });
      expect(refused()).toBe(3);
      const told = events.filter(({ payload }) => payload.mirror_error);
      expect(told.map(({ kind: of }) => of)).toEqual(['error']);

      const key = { projectKey: runtime.projectKey, sessionId: result.sessionId ?? '' };
      const stored = said(await runtime.store.inner.load(key));
      const places = ['Work.', 'echo step-0', 'echo step-1', 'echo step-2', 'Finished.'].map((words) =>
        stored.indexOf(words),
      );
      expect(places).toEqual([...places].sort((one, other) => one - other));
      expect(places).not.toContain(-1);
      expect(runtime.books.repairs()).toEqual([]);
      await at.again().run(spec, 'And then?', { resume: result.sessionId });
      expect(JSON.stringify(sim.requests.at(-1)?.messages)).toContain('echo step-1');
    });
  });

  it('and cannot take it later either says so, and the books keep in mind that something is missing', async () => {
    const script = ({ calls }: SimRequest) => (calls.length === 0 ? bash('echo step-1') : say('Finished.'));
    await withStep(script, {}, async (at) => {
      loseAnAppendWith(at, 'step-1');
      vi.spyOn(at.runtime.store, 'importTranscript').mockImplementation(() => {
        throw new Error('still no room');
      });
      const result = await at.runtime.run(at.spec, 'Work.', { onEvent: (event) => at.events.push(event) });
      expect(result).toMatchObject({ ok: true, text: 'Finished.' });
      const told = at.events.filter(({ payload }) => payload.mirror_error).map(({ text }) => text);
      expect(told).toHaveLength(2);
      expect(told[1]).toContain('still no room');
      expect(at.runtime.books.repairs()).toHaveLength(1);

      const later = at.again();
      await later.run(at.spec, 'And then?', { resume: result.sessionId });
      expect(JSON.stringify(at.sim.requests.at(-1)?.messages)).toContain('step-1');
      expect(later.books.repairs()).toEqual([]);
    });
  });
});
