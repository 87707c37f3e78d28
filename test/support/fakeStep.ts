import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { HandoffPolicy } from '../../src/agent/handoffPolicy.js';
import type { StepResult } from '../../src/runtime/stepResult.js';
import type { RunOptions } from '../../src/runtime/stepRun.js';
import { say } from '../../src/sim/index.js';
import { FakeHarness, type FakeTurn, type Play } from './fakeHarness.js';
import { type OneStep, oneStep } from './oneStep.js';

type Setup = NonNullable<Parameters<typeof oneStep>[1]>;

/** One step on a fake harness, for the tests of a file: closed after each of them, with a place of its own for what is learnt. */
export class FakeStep {
  #at: OneStep | null = null;
  harness = new FakeHarness(async function* () {});

  constructor() {
    beforeEach(() => {
      process.env.XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), 'flower-loop-'));
    });
    afterEach(async () => {
      await this.#at?.close();
      this.#at = null;
      delete process.env.XDG_CONFIG_HOME;
    });
  }

  /** The step that runs, or ran last. */
  get at(): OneStep {
    if (!this.#at) throw new Error('nothing was started');
    return this.#at;
  }

  /** Makes a Runtime whose harness plays this; one that was made before is closed. */
  async start(play: Play, setup: Setup = {}): Promise<OneStep> {
    await this.#at?.close();
    this.harness = new FakeHarness(play);
    const runtime = { query: this.harness.query, ...setup.runtime };
    this.#at = await oneStep(() => say('not used'), { ...setup, runtime });
    return this.#at;
  }

  /** Runs one step of a harness that plays this. */
  async run(play: Play, setup: Setup = {}, options: RunOptions = {}): Promise<StepResult> {
    const at = await this.start(play, setup);
    return at.runtime.run(at.spec, 'Do it.', {
      ...options,
      onEvent: (event) => {
        at.events.push(event);
        options.onEvent?.(event);
      },
    });
  }
}

/** Says one thing and is done. */
export async function* well(turn: FakeTurn, text = 'Done.') {
  yield turn.init();
  yield await turn.answer({ text });
  yield turn.result();
}

/** Works until a hook stops it. */
export async function* untilStopped(turn: FakeTurn, context = 1000, batches = 1000) {
  yield turn.init();
  for (let i = 0; i < batches; i += 1) {
    yield await turn.answer({ call: 'Bash', context });
    if ((await turn.boundary()) !== null) {
      yield turn.stopped();
      return;
    }
  }
  yield turn.result();
}

/** Meets an error of the service at its first request. */
export async function* fails(turn: FakeTurn, words = 'API Error: Connection dropped (ECONNRESET).', fields = {}) {
  yield turn.init();
  yield* turn.apiError(words, fields);
}

export const HANDOFF_TEXT = '## What is being done now\nHalf.\n\n## Next step\nThe other half.';

/** True for the round in which a full session is asked to hand over. */
export const asksForHandoff = (turn: FakeTurn | undefined) => turn?.prompt.includes('submit_handoff') ?? false;

/** A window that is soon full: 150 000 is the threshold. */
export const SMALL = { handoff: new HandoffPolicy({ window: 200_000 }) };
