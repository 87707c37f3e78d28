import { afterEach, describe, expect, it } from 'vitest';
import { isEphemeral } from '../../src/shell/isEphemeral.js';
import { readLookAround, readRows } from './guardsCommands.js';
import { CommandFuzzer } from './guardsFuzzer.js';
import { Scratch } from './guardsScratch.js';

const BATCH = 25;
const count = Number(process.env.SHELL_FUZZ_COUNT ?? 2000);
const seed = Number(process.env.SHELL_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

let scratch: Scratch | null = null;
afterEach(() => scratch?.remove());

/** Runs the lines in batches; a batch that leaves a trace is repeated line by line in a fresh folder, to name the culprit. */
async function traceOf(lines: readonly string[], limitS?: number): Promise<string[]> {
  scratch = new Scratch(limitS);
  const culprits: string[] = [];
  for (let at = 0; at < lines.length; at += BATCH) {
    const batch = lines.slice(at, at + BATCH);
    const traces = await scratch.run(batch);
    if (traces.length === 0) continue;
    const before = culprits.length;
    for (const line of batch) {
      scratch.remove();
      scratch = new Scratch(limitS);
      const traces = await scratch.run([line]);
      if (traces.length > 0) culprits.push(`${JSON.stringify(line)}: ${traces.join(', ')}`);
    }
    if (culprits.length === before) culprits.push(`one of ${JSON.stringify(batch)}: ${traces.join(', ')}`);
    scratch.remove();
    scratch = new Scratch(limitS);
  }
  return culprits;
}

// The scratch folder is watched by what only Linux has: inotify, /proc, setsid and timeout.
describe.skipIf(process.platform !== 'linux')('what the command check lets through, run for real', () => {
  it('sees a write, a deletion, a start, a leftover process and a line that does not end', async () => {
    for (const line of [
      'echo x > leak.txt',
      'find . -name other.txt -delete',
      'touch x',
      '/bin/sleep 20 & disown',
      '/bin/sleep 20',
      'touch_it() { : > t; }; touch_it; find t -delete',
    ]) {
      expect(await traceOf([line], 1), line).toHaveLength(1);
      scratch?.remove();
    }
  });

  it('changes nothing for any allowed row of the tables', { timeout: 120_000 }, async () => {
    const rows = [...readRows('ephemeralCases.tsv'), ...readRows('ownCases.tsv')]
      .filter((row) => row.allow)
      .map((row) => row.command);
    const lines = [...rows, ...readLookAround().filter(isEphemeral)];
    expect(lines.length).toBeGreaterThan(450);
    expect(await traceOf(lines)).toEqual([]);
  });

  it(`changes nothing for ${count} made-up lines`, { timeout: 60_000 + count * 20 }, async () => {
    console.log(`shell fuzz: seed ${seed}`);
    const fuzzer = new CommandFuzzer(seed);
    const lines = Array.from({ length: count }, () => fuzzer.next());
    const allowed = lines.filter(isEphemeral);
    // Both sides must be there, or the fuzzer tests nothing.
    expect(allowed.length).toBeGreaterThan(count / 20);
    expect(allowed.length).toBeLessThan(count * 0.8);
    expect(await traceOf(allowed), `seed ${seed}`).toEqual([]);
  });
});
