/**
 * Has one job done in one way against the scripted service, and prints what it took as JSON. In a process of its own, with a home of
 * its own: the sessions of a full context are some gigabytes in sum.
 *
 * node bench/economy/measureJob.mjs SHAPE APPROACH [folder of the build]
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MODEL } from '../frame/plainSession.mjs';
import { approaches } from './approaches.mjs';
import { Job, words } from './job.mjs';
import { common, shapes } from './shapes.mjs';

const WORK = { Bash: ['command'], Read: ['file_path', 'offset', 'limit'], Write: ['file_path', 'content'] };
WORK.Edit = ['file_path', 'old_string', 'new_string'];

const [shapeName, approachName, base = new URL('../../dist/', import.meta.url).href] = process.argv.slice(2);
const from = (file) => import(new URL(file, base));
const { startSim, roleOf, say, think, Reply } = await from('sim/index.js');
const { carry } = await from('sim/history.js');
const { listPrice } = await from('prices/prices.js');

const folder = mkdtempSync(join(tmpdir(), 'flower-economy-'));
process.env.HOME = join(folder, 'home');
for (const name of ['work', 'home', 'harness']) mkdirSync(join(folder, name));
const shape = shapes[shapeName];
const job = new Job(shape, join(folder, 'work'));
job.prepare();

let thoughts = 0;
const pondered = () => {
  thoughts += 1;
  return think(words(shape.sizes.thought, `thought ${thoughts}`)).say(words(shape.sizes.said, `said ${thoughts}`));
};
const sim = {
  does: ({ tool, input }) => pondered().call(tool, input),
  says: (length, head) => say(`${head} ${words(length - head.length, head)}`),
  thinks: (reply) => new Reply({ content: [...pondered().parts.content, ...reply.parts.content] }),
};

const { script, drive } = await approaches[approachName]({ job, sim, from });
const seen = watch();
let clock = Date.UTC(2026, 0, 1);
const service = await startSim({
  now: () => clock,
  keepRequests: 1,
  script: (request) => {
    clock += shape.secondsPerTurn * 1000;
    seen.look(request);
    return script(request);
  },
  sideScript: (request) => {
    seen.compactions += 1;
    const carried = carry(request);
    return say(`<summary>\n${words(common.summary - carried.length, 'summary')}\n${carried}\n</summary>`);
  },
});
const begun = performance.now();
const { handoffs = 0 } = (await drive({ folder, url: service.url })) ?? {};
const seconds = (performance.now() - begun) / 1000;
if (service.faults.length > 0) throw new Error(service.faults[0].message);

const total = service.meter.total();
process.stdout.write(
  JSON.stringify({
    ...total,
    outputUsd: (total.outputTokens * listPrice(MODEL).output) / 1e6,
    parts: costByRole(),
    peak: seen.peak,
    final: seen.final,
    otherPeak: seen.otherPeak,
    compactions: seen.compactions,
    handoffs,
    calls: seen.worked.length,
    expectedCalls: job.calls,
    otherCalls: seen.otherCalls,
    sameWork: `${seen.digest()} ${job.digestOfFiles()}`,
    errors: seen.errors,
    seconds: Math.round(seconds),
  }),
);
await service.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });

/** Reads from the requests what was done, and how full the contexts got. */
function watch() {
  const expected = new Set(job.packages.flat().map(keyOf));
  const ids = new Set();
  const seen = {
    peak: 0,
    final: 0,
    otherPeak: 0,
    compactions: 0,
    otherCalls: 0,
    worked: [],
    errors: [],
    roles: new Map(),
  };
  seen.look = (request) => {
    const { session, thread, tokens, results } = request;
    const role = approachName === 'flower' ? roleOf(request) : 'session';
    if (thread === 'main') seen.roles.set(session, role);
    // The context that must last for the whole job: brief, goal and verdict have sessions of their own.
    if (role === 'coordinator' || role === 'session') {
      seen.peak = Math.max(seen.peak, tokens);
      seen.final = tokens;
    } else seen.otherPeak = Math.max(seen.otherPeak, tokens);
    for (const { id, tool, input, text, isError } of results) {
      if (ids.has(id)) continue;
      ids.add(id);
      if (isError) seen.errors.push(`${tool}: ${text.slice(0, 200)}`);
      const key = keyOf({ tool, input });
      if (expected.has(key)) seen.worked.push(key);
      else seen.otherCalls += 1;
    }
  };
  seen.digest = () => createHash('sha256').update(seen.worked.join('\n')).digest('hex').slice(0, 16);
  return seen;
}

function costByRole() {
  const parts = {};
  for (const { session, thread, costUsd } of service.meter.rows) {
    const role = thread === 'worker' ? 'workers' : seen.roles.get(session);
    parts[role] = (parts[role] ?? 0) + costUsd;
  }
  return parts;
}

function keyOf({ tool, input }) {
  const fields = (WORK[tool] ?? []).map((field) => input[field]);
  return JSON.stringify([tool, ...fields]).replaceAll(folder, '');
}
