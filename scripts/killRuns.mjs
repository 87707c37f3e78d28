/**
 * Kills flower, and apart from that its harness, at many moments of a short run, goes on as a person would, and looks whether every
 * promise was kept: `node scripts/killRuns.mjs [kills of each] [seed] [at the same time]`, by default 250 of each, two at a time. The
 * table of `docs/reliability.md` is made from it. A single trial again: `node scripts/killRuns.mjs --again flower 12+340`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { createJiti } from 'jiti';

const jiti = createJiti(import.meta.url);
const { complaint, drawTrials, measureLife, runTrials } = await jiti.import('../test/support/killLab/series.ts');
const VICTIMS = ['flower', 'harness'];
const PHASES = ['start', 'clarify', 'set-goal', 'work', 'workers', 'judge', 'end'];
const table = new URL('../docs/reliability.md', import.meta.url);

const broken = process.argv[2] === '--again' ? await again(process.argv.slice(3)) : await series(process.argv.slice(2));
process.exit(broken > 0 ? 1 : 0);

async function again(words) {
  const outcomes = await runTrials([trialOf(words)], { parallel: 1 });
  for (const outcome of outcomes) console.log(outcome.violations.length > 0 ? complaint(outcome) : outcome);
  return outcomes.filter(isBroken).length;
}

async function series([count = '250', seed = String(Date.now() % 2 ** 31), parallel = '2']) {
  console.log(`${count} kills of each, seed ${seed}`);
  const timeline = await measureLife();
  const drawn = VICTIMS.map((victim) => drawTrials({ victim, count: Number(count), seed: Number(seed), timeline }));
  const trials = drawn
    .flatMap(scattered)
    .sort((a, b) => a.place - b.place)
    .map(({ trial }) => trial);
  const outcomes = [];
  const onEnd = (outcome) => {
    outcomes.push(outcome);
    if (isBroken(outcome)) console.log(complaint(outcome));
    const broken = outcomes.filter(isBroken).length;
    console.log(`${outcomes.length}/${trials.length} ${outcome.trial.victim} in ${outcome.phase}, ${broken} broken`);
    writeTable(outcomes, { seed, total: trials.length });
  };
  await runTrials(trials, { parallel: Number(parallel), onEnd });
  return outcomes.filter(isBroken).length;
}

/** In an order in which a series that is broken off has been everywhere: steps of the golden section. */
function scattered(trials) {
  return trials.map((trial, i) => ({ trial, place: (i * 0.6180339887) % 1 }));
}

/** Reads what `complaint` gives: `flower 12+340`, `harness 3+20`, `flower pause:books.steps:before atOnce`. */
function trialOf([victim, when = '', ...flags]) {
  const [, pausedAt, requests, afterMs] = /^(?:pause:(.+)|(\d+)\+(\d+))$/.exec(when) ?? [];
  if (!VICTIMS.includes(victim) || (pausedAt ?? requests) === undefined) {
    throw new TypeError(`a trial is a victim and a moment, such as flower 12+340, got ${victim} ${when}`);
  }
  const moment = pausedAt === undefined ? { requests: Number(requests), afterMs: Number(afterMs) } : { pausedAt };
  return { victim, moment, ...Object.fromEntries(flags.map((name) => [name, true])) };
}

function isBroken({ violations }) {
  return violations.length > 0;
}

/** After each trial, so that a series that is broken off leaves its numbers too. */
function writeTable(outcomes, { seed, total }) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const sdk = new URL('../node_modules/@anthropic-ai/claude-agent-sdk/package.json', import.meta.url);
  const { version: sdkVersion } = JSON.parse(readFileSync(sdk, 'utf8'));
  const cells = (picked) => VICTIMS.flatMap((victim) => counts(picked.filter(({ trial }) => trial.victim === victim)));
  const rows = PHASES.map((phase) => [phase, ...cells(outcomes.filter((outcome) => outcome.phase === phase))]);
  const lines = [
    `${new Date().toISOString().slice(0, 10)}, flower ${version}, Claude Agent SDK ${sdkVersion}, Node ${process.version}, ${process.platform}, ` +
      `${cpus().length} cores, seed ${seed}: ${outcomes.length} of ${total} trials done, ${outcomes.filter(isBroken).length} broke a promise.`,
    '',
    '| hit in | kills of flower | broken | kills of the harness | broken |',
    '|---|---:|---:|---:|---:|',
    ...[...rows, ['all', ...cells(outcomes)]].map((row) => `| ${row.join(' | ')} |`),
    ...outcomes.filter(isBroken).flatMap((outcome) => ['', '```', complaint(outcome), '```']),
  ];
  const text = readFileSync(table, 'utf8');
  const [before, , after] = text.split(/<!-- (?:table|end of table) -->\n/);
  writeFileSync(table, `${before}<!-- table -->\n${lines.join('\n')}\n<!-- end of table -->\n${after ?? ''}`);
}

function counts(outcomes) {
  return [outcomes.filter(({ killed }) => killed).length, outcomes.filter(isBroken).length];
}
