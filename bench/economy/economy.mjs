import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { round } from '../frame/figures.mjs';
import { MODEL } from '../frame/plainSession.mjs';
import { approaches } from './approaches.mjs';
import { common, shapes } from './shapes.mjs';

const measureJob = fileURLToPath(new URL('measureJob.mjs', import.meta.url));
const execute = promisify(execFile);
const [BARE, SMALL, LOOP, FLOWER] = Object.keys(approaches);
const [BIG_JOB] = Object.keys(shapes);
const OTHER_MODELS = ['claude-opus-5-5', 'claude-opus-5', 'claude-sonnet-5', 'claude-fable-5-2'];

export const economy = {
  name: 'economy',
  title: 'What a job costs',
  question:
    'The same scripted tool calls, made by one plain Claude Code session that compacts by itself, by a loop of fresh plain sessions, and by flower: what is charged at list price?',
  run: benchEconomy,
};

async function benchEconomy({ base }) {
  const runs = await allOf(base);
  return {
    tables: [
      ...Object.keys(shapes).map((shape) => tableOf(shape, runs)),
      record(runs[BIG_JOB][FLOWER]),
      await otherPrices(base, runs[BIG_JOB]),
      { title: 'What is assumed', rows: assumptions(), notes: ASSUMED },
    ],
    ratios: ratios(runs),
  };
}

/** Each job in each way, two processes at a time: nothing here depends on the clock of the machine. */
async function allOf(base) {
  const open = Object.keys(shapes).flatMap((shape) =>
    [BARE, FLOWER, LOOP, SMALL].map((approach) => ({ shape, approach })),
  );
  const runs = {};
  const work = async () => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { shape, approach } = next;
      const { stdout } = await execute(process.execPath, [measureJob, shape, approach, base.href], {
        env: { PATH: process.env.PATH },
      });
      runs[shape] = { ...runs[shape], [approach]: JSON.parse(stdout) };
      console.log(`  ${shape}, ${approach}: ${runs[shape][approach].seconds} s`);
    }
  };
  await Promise.all([work(), work()]);
  for (const shape of Object.keys(shapes)) checkSameWork(shape, runs[shape]);
  return runs;
}

function checkSameWork(shape, runs) {
  for (const [approach, { calls, expectedCalls, errors, sameWork }] of Object.entries(runs)) {
    const wrong = [
      ...errors,
      ...(calls === expectedCalls ? [] : [`${calls} of ${expectedCalls} calls`]),
      ...(sameWork === runs[FLOWER].sameWork ? [] : ['other calls or files than flower']),
    ];
    if (wrong.length > 0) throw new Error(`${shape}, ${approach}: ${wrong.join('; ')}`);
  }
}

function tableOf(shape, runs) {
  const { packages } = shapes[shape];
  const { costUsd: flower, calls } = runs[shape][FLOWER];
  const rows = Object.keys(approaches)
    .filter((way) => way in runs[shape])
    .map((approach) => {
      const run = runs[shape][approach];
      return {
        way: approach,
        'cost, $': round(run.costUsd),
        'of it output, $': round(run.outputUsd),
        'flower costs': `${round(flower / run.costUsd)} x`,
        'read from cache, M': millions(run.cacheReadTokens),
        'written to cache, M': millions(run.cacheWrite5mTokens + run.cacheWrite1hTokens),
        'not cached, M': millions(run.inputTokens),
        'output, M': millions(run.outputTokens),
        'cache hits, %': round(hits(run), 1),
        'lasting context, peak K': Math.round(run.peak / 1000),
        'at the end K': Math.round(run.final / 1000),
        'largest other K': Math.round(run.otherPeak / 1000),
        compactions: run.compactions,
        handoffs: run.handoffs,
        requests: run.requests,
        'calls beside the job': run.otherCalls,
      };
    });
  return {
    title: `${shape}: ${packages} packages, ${calls} calls`,
    rows,
    notes: [whereItGoes(runs[shape])],
  };
}

/** What the job itself costs, whoever does it, and what flower's parts cost. */
function whereItGoes({ [FLOWER]: { parts, costUsd } }) {
  const list = Object.entries(parts).map(([role, cost]) => `${role} $${round(cost)}`);
  const extra = Math.round((100 * extraOf(parts)) / costUsd);
  return `All ways made the same calls, all of which succeeded, and left the same files. flower's bill: ${list.join(', ')}. Brief, goal and verdict, which the other ways do without, are ${extra} % of it.`;
}

function extraOf({ clarify, goal, judge }) {
  return clarify + goal + judge;
}

/** The run that the first shape is taken from, beside what came of it here. */
function record(flower) {
  const { inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens, outputTokens } = flower;
  const written = cacheWrite5mTokens + cacheWrite1hTokens;
  const row = (figure, measured, here) => ({ figure, 'in the measured run': measured, here });
  return {
    title: `${BIG_JOB}: the measured run that it is taken from`,
    rows: [
      row('calls of the workers', 1893, flower.calls),
      row('requests', 'about 3,070', flower.requests),
      row('tokens of output, M', 2.3, millions(outputTokens)),
      row('tokens of input, M', 299.4, millions(inputTokens + cacheReadTokens + written)),
      row('of them written to the cache, M', 11.8, millions(written)),
      row('cache hits, %', 96.1, round(hits(flower), 1)),
      row('context of the main thread at its end, K', 185.9, Math.round(flower.final / 1000)),
    ],
    notes: [
      'Two things are simpler here: no answer comes without a call, so there are fewer requests, and no pause is long enough for a cache to expire, so less is written. A cache that expires costs the most where a context is longest, in a single session.',
    ],
  };
}

/** The same tokens at the prices of models that weigh output and cache reads otherwise. */
async function otherPrices(base, runs) {
  const { costOf } = await import(new URL('prices/prices.js', base));
  const cost = (model, { inputTokens, outputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens }) =>
    costOf(model, {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_input_tokens: cacheReadTokens,
      cache_creation_input_tokens: cacheWrite5mTokens + cacheWrite1hTokens,
      cache_creation: { ephemeral_1h_input_tokens: cacheWrite1hTokens },
    });
  const rows = OTHER_MODELS.map((model) => ({
    model,
    ...Object.fromEntries(
      [BARE, SMALL, LOOP].map((way) => [`against ${way}`, round(cost(model, runs[FLOWER]) / cost(model, runs[way]))]),
    ),
    'flower, $': round(cost(model, runs[FLOWER])),
  }));
  return { title: `${BIG_JOB}: the same tokens at other list prices`, rows };
}

function assumptions() {
  return Object.entries(shapes).map(([shape, { calls, spread, sizes, dispatch, around, secondsPerTurn }]) => ({
    shape,
    'sizes of packages': spread === undefined ? 'equal' : spread.join(' to '),
    'calls of one that is average': `${calls.bash} Bash, ${calls.looks} Read, ${calls.writes} Write, ${calls.edits} Read and Edit`,
    'result of Bash': sizes.bashResult,
    'of Read': sizes.readResult,
    'command of Bash': sizes.command,
    'text of Write': sizes.written,
    'of Edit, twice': sizes.edited,
    'thought and said a turn': `${sizes.thought} + ${sizes.said}`,
    'brief of a worker': dispatch.brief,
    report: dispatch.report,
    'looks into the inbox': dispatch.inbox,
    'calls of clarifier, goal setter, judge': `${around.clarify}, ${around.goal}, ${around.judge}`,
    'items of the goal': around.checks,
    'seconds a turn': secondsPerTurn,
  }));
}

const ASSUMED = [
  `Sizes are in characters; a token counts as four bytes. Model ${MODEL}, its list price, one tool call a turn, no parallel workers.`,
  `A package takes ${common.planned} characters in the prompt of the single session and in the plan of the loop, whose sessions also read and write ${common.progress} characters of progress each. A compaction is answered by a summary of ${common.summary} characters. The brief of the run has ${common.brief} characters.`,
  'The lasting context is that of the session, in flower of the coordinator; the others are those of workers, clarifier, goal setter and judge. The judge passes the work at its first look.',
  'The first shape is that of a measured run: number and kinds of calls, text and output a call, smallest, middle and largest package, seconds a turn. Briefs and reports are as long as its main thread had text for. The second has the number of calls and the pace of another, with sizes that are chosen. The third was made to be different.',
  'The prompt cache is the documented one (five minutes or an hour from the last reading, at most four marks, nothing below 1024 tokens); its clock moves by the seconds of a turn.',
  'flower puts long output of commands into files and leaves what is read as it is. No command here prints that much, so it saves nothing by that.',
  'No model is asked: how well a job is done in each way is not measured here.',
];

function ratios(runs) {
  const of = (shape, way) => round(runs[shape][FLOWER].costUsd / runs[shape][way].costUsd, 3);
  const big = runs[BIG_JOB];
  const flower = big[FLOWER];
  const { dispatch, packages, sizes } = shapes[BIG_JOB];
  const texts = Math.round((packages * (dispatch.brief + dispatch.report)) / 4000);
  const turns = Math.round(((packages + dispatch.inbox) * (sizes.thought + sizes.said)) / 4000);
  return [
    {
      name: 'HT001: cost against one session',
      value: of(BIG_JOB, BARE),
      atMost: 0.15,
      why: ofOutput(flower, big[BARE]),
    },
    {
      name: 'HT001: cost against one session that compacts at 167 K',
      value: of(BIG_JOB, SMALL),
      atMost: 0.45,
      why: ofOutput(flower, big[SMALL]),
    },
    {
      name: 'HT001: cost against a loop of sessions',
      value: of(BIG_JOB, LOOP),
      atMost: 0.9,
      why: ofParts(flower, big[LOOP]),
    },
    {
      name: 'HT001: peak of the main context, share of 60 K tokens',
      value: round(flower.peak / 60_000),
      atMost: 1,
      why: `${texts} K of it are briefs and reports, ${turns} K what the coordinator thinks and says; the measured run, with the same number of both, had 186 K`,
    },
    { name: 'HT001: cache misses, %', value: round(100 - hits(flower), 1), atMost: 5 },
    ...Object.keys(shapes)
      .slice(1)
      .flatMap((shape) =>
        [BARE, SMALL, LOOP].map((way) => ({ name: `${shape}: cost against ${way}`, value: of(shape, way) })),
      ),
  ];
}

/** Why a session's cost cannot be divided further: its output is the same whoever does the work. */
function ofOutput(flower, session) {
  const share = round(session.outputUsd / session.costUsd);
  const input = round((flower.costUsd - flower.outputUsd) / (session.costUsd - session.outputUsd));
  return `output, which no way of working saves, is ${share} of the session's cost already; flower's input costs ${input} of the session's`;
}

function ofParts({ parts }, loop) {
  const { workers } = parts;
  return `a loop has neither brief nor goal nor verdict, which are $${round(extraOf(parts))} here; the workers alone cost ${round(workers / loop.costUsd)} of it, as each package is work of the same length in both`;
}

function hits({ inputTokens, cacheReadTokens, cacheWrite5mTokens, cacheWrite1hTokens }) {
  return (100 * cacheReadTokens) / (inputTokens + cacheReadTokens + cacheWrite5mTokens + cacheWrite1hTokens);
}

function millions(tokens) {
  return round(tokens / 1e6);
}
