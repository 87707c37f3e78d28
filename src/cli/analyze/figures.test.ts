import { describe, expect, it } from 'vitest';
import type { ManifestRow } from '../../books/types.js';
import { computeFigures } from './figures.js';
import { analyzeLines } from './lines.js';
import type { Thread, Turn } from './threads.js';

const turn = (at: number, cacheRead: number, output = 10): Turn => ({
  at,
  uncached: 1,
  cacheRead,
  cacheWrite: 9,
  output,
  thinking: 2,
});
const thread = (sessionId: string, isMain: boolean, more: Partial<Thread> = {}): Thread => ({
  sessionId,
  isMain,
  entries: 5,
  characters: 100,
  turns: [],
  calls: [],
  ...more,
});
const call = (tool: string, subject = '', isDenied = false) => ({ tool, subject, isDenied });
const row = (step: string, session_id: string, ended_at: number, more: Partial<ManifestRow> = {}) =>
  ({
    step,
    session_id,
    ended_at,
    started_at: ended_at - 3600,
    run: 'r1',
    cost_usd: 1,
    num_turns: 3,
    ok: true,
    attempts: 1,
    retired: [],
    resumed: false,
    ...more,
  }) as ManifestRow;

const nothing = { spill: 0, spillBytes: 0, scripts: [], artifacts: 0, notes: 0 };
const compute = (more: Partial<Parameters<typeof computeFigures>[0]>) =>
  computeFigures({ runDir: '/w/runs', rows: [], asideRows: [], threads: [], bench: nothing, ...more });

describe('the figures of a run (X3)', () => {
  it('D9.2: an empty database divides by nothing', () => {
    const figures = compute({});
    expect(JSON.stringify(figures)).not.toMatch(/NaN|Infinity/);
    expect(figures.economy.sub_output).toBeNull();
    expect(analyzeLines(figures, { columns: 80, color: false, locale: 'en' }).length).toBeGreaterThan(10);
  });

  it('bill: groups steps by run, in ids of either language; side questions have a heading of their own and count', () => {
    const { bill } = compute({
      rows: [
        row('确认需求', 's1', 10_000, { run: '' as string }),
        row('干活·判定#1', 's2', 20_000, { cost_estimated: true }),
        row('work#round2', 's3', 30_000, { attempts: 2, resumed: true, retired: ['s0'] }),
      ],
      asideRows: [row('aside', 'a', 9, { cost_usd: 0.25 })],
    });
    expect(bill.runs.map(({ run }) => run)).toEqual(['-', 'r1']);
    expect(bill.runs.flatMap(({ steps }) => steps.map(({ step }) => step))).toEqual([
      'clarify',
      'work·verdict#1',
      'work#round2',
    ]);
    expect(bill.runs[1]?.steps[0]?.estimated).toBe(true);
    expect(bill.runs[1]?.steps[1]).toMatchObject({ attempts: 2, resumed: true, handoffs: 1, hours: 1 });
    expect(bill).toMatchObject({ cost_usd: 3.25, hours: 3, aside: { questions: 1, cost_usd: 0.25 } });
  });

  it('economy: shares of the subs; the smallest output is the minimum, not the first', () => {
    const { economy } = compute({
      threads: [
        thread('s1', true, { turns: [turn(1, 0, 100)], characters: 50 }),
        thread('s1', false, { turns: [turn(1, 0, 300)], characters: 950 }),
        thread('s1', false, { turns: [turn(1, 0, 100), turn(2, 0, 50)] }),
        thread('s1', false, { turns: [turn(1, 0, 150)], characters: 0 }),
      ],
    });
    expect(economy.subs).toBe(3);
    expect(economy.sub_output).toEqual({ largest: 300, median: 150, smallest: 150 });
    expect(economy.output).toEqual({ main: 100, subs: 600, share: 6 / 7 });
    expect(economy.characters.share).toBeCloseTo(1050 / 1100);
  });

  it('D9.2: curve: sessions by time whatever their keys; drops, borders and slope', () => {
    const { curve } = compute({
      rows: [row('clarify', 'z-first', 1000), row('work', 'a-later', 2000)],
      threads: [
        thread('a-later', true, { turns: [turn(1500, 20_000), turn(1600, 10_000), turn(1700, 30_000)] }),
        thread('z-first', true, { turns: [turn(900, 40_000), turn(950, 50_000)] }),
        thread('z-first', false, { turns: [turn(920, 900_000)] }),
      ],
    });
    expect(curve.points.map(({ context }) => context)).toEqual([40_010, 50_010, 20_010, 10_010, 30_010]);
    expect(curve).toMatchObject({
      turns: 5,
      first: 40_010,
      smallest: 10_010,
      largest: 50_010,
      last: 30_010,
      slope: 5000,
    });
    expect(curve.drops.map((drop) => drop.turn)).toEqual([3, 4]);
    expect(curve.borders).toEqual([
      { turn: 1, step: 'clarify' },
      { turn: 3, step: 'work' },
    ]);
  });

  it('curve: a session that serves two rounds is split by time', () => {
    const { curve } = compute({
      rows: [row('work', 's', 1000), row('work#round2', 's', 2000)],
      threads: [thread('s', true, { turns: [turn(900, 1), turn(1900, 1)] })],
    });
    expect(curve.borders.map(({ step }) => step)).toEqual(['work', 'work#round2']);
  });

  it('curve: about twenty bars, the last turn among them', () => {
    const turns = Array.from({ length: 419 }, (_, i) => turn(i, 28_700 + 2200 * i));
    const { curve } = compute({ threads: [thread('s', true, { turns })] });
    expect(curve.points.length).toBeGreaterThanOrEqual(18);
    expect(curve.points.length).toBeLessThanOrEqual(21);
    expect(curve.points.at(-1)?.turn).toBe(419);
    expect(curve.slope).toBeCloseTo(2200);
  });

  it('cache: the parts make up the input', () => {
    const { cache } = compute({ threads: [thread('s', true, { turns: [turn(1, 90), turn(2, 0)] })] });
    expect(cache).toEqual({
      input: 110,
      hits: 90,
      hit_share: 90 / 110,
      writes: 18,
      uncached: 2,
      output: 20,
      thinking: 4,
    });
  });

  it('tools: the most used, denials by their mark, and what commands begin with', () => {
    const calls = [call('Bash', 'git status'), call('Bash', 'FOO=1 git log', true), call('Bash', 'ls'), call('Agent')];
    const { main, subs } = compute({ threads: [thread('s', true, { calls }), thread('s', false)] }).tools;
    expect(main).toMatchObject({
      calls: 4,
      denied: 1,
      denial_rate: 0.25,
      most_used: [
        { tool: 'Bash', calls: 3 },
        { tool: 'Agent', calls: 1 },
      ],
    });
    expect(main.shell_words).toEqual([
      { word: 'git', calls: 2 },
      { word: 'ls', calls: 1 },
    ]);
    expect(subs).toMatchObject({ calls: 0, denial_rate: null });
  });

  it('workbench: how often scripts are written and run', () => {
    const calls = [
      call('Write', '/w/.flower/scripts/check.sh'),
      call('Edit', '/w/.flower/scripts/check.sh'),
      call('Write', '/w/src/scripts/other.sh'),
      call('Bash', 'bash .flower/scripts/check.sh --all'),
      call('Bash', 'bash .flower/scripts/check.sh', true),
      call('Bash', '/w/.flower/scripts/check.sh; ls'),
    ];
    const bench = { spill: 2, spillBytes: 900, scripts: ['check.sh', 'never.sh'], artifacts: 1, notes: 3 };
    expect(compute({ threads: [thread('s', false, { calls })], bench }).workbench).toEqual({
      spill: 2,
      spill_bytes: 900,
      scripts: 2,
      artifacts: 1,
      notes: 3,
      script_writes: 2,
      script_runs: 2,
      scripts_run_more_than_once: 1,
      scripts_never_run: 1,
      runs_per_write: 1,
    });
  });

  it.each(['en', 'zh'] as const)('%s: bars are made of #, and fit', (locale) => {
    const turns = Array.from({ length: 30 }, (_, i) => turn(i, 1000 * i));
    const shown = analyzeLines(compute({ threads: [thread('s', true, { turns })] }), {
      columns: 80,
      color: false,
      locale,
    });
    expect(shown.some((line) => /#{40}/.test(line))).toBe(true);
    for (const line of shown) expect(line.length).toBeLessThanOrEqual(80);
  });
});
