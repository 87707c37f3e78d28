import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { call, type SimRequest, say } from '../../src/sim/index.js';
import { type OneStep, processesOf, withStep } from '../support/oneStep.js';

const bash = (command: string) => call('Bash', { command, description: 'Work', timeout: 120_000 });

describe.runIf(process.platform === 'linux').concurrent('what a query started is ended', () => {
  it('after a kill of its harness, before the session goes on: its command does not work on beside it', async () => {
    const seen: number[] = [];
    const script = (request: SimRequest) => {
      if (!request.prompt.includes('cut off')) return bash('for i in $(seq 600); do echo $i >> ticks; sleep 0.1; done');
      seen.push(commandsOf(at).length);
      return say('Done after all.');
    };
    let at!: OneStep;
    await withStep(script, {}, async (opened) => {
      at = opened;
      let killed: Promise<void> | undefined;
      const result = await at.runtime.run(at.spec, 'Do it.', {
        onEvent: ({ kind }) => {
          if (kind === 'tool_call') killed ??= killHarness(at);
        },
      });
      await killed;
      expect(result).toMatchObject({ ok: true, text: 'Done after all.', attempts: 2 });
      expect(seen).toEqual([0]);
      expect(processesOf(at.runtime)).toEqual([]);
      const ticks = readTicks(at);
      await setTimeout(500);
      expect(readTicks(at)).toBe(ticks);
    });
  });

  it('when its run ends, if a worker left it running on purpose: a later step may need it', async () => {
    const script = ({ turn }: SimRequest) => (turn === 0 ? bash('(sleep 41 &)') : say('It runs.'));
    await withStep(script, {}, async (at) => {
      expect(await at.runtime.run(at.spec, 'Start it.')).toMatchObject({ ok: true, text: 'It runs.' });
      expect(commandsOf(at)).toEqual(['sleep 41']);
      await at.runtime.close();
      expect(processesOf(at.runtime)).toEqual([]);
    });
  });
});

/** Kills it once its command is at work. */
async function killHarness(at: OneStep): Promise<void> {
  while (!existsSync(join(at.workspace, 'ticks'))) await setTimeout(50);
  for (const { pid } of harnessesOf(at)) process.kill(pid, 'SIGKILL');
}

function harnessesOf({ runtime }: OneStep) {
  return processesOf(runtime).filter(({ parent }) => parent === process.pid);
}

/** Command lines of what the harnesses of a Runtime started. */
function commandsOf(at: OneStep): string[] {
  const harnesses = harnessesOf(at).map(({ pid }) => pid);
  return processesOf(at.runtime).flatMap(({ pid }) => (harnesses.includes(pid) ? [] : commandLine(pid)));
}

function commandLine(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
}

function readTicks({ workspace }: OneStep): string {
  return readFileSync(join(workspace, 'ticks'), 'utf8');
}
