import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Books } from '../../../src/books/books.js';
import { openDatabase } from '../../../src/database/database.js';
import { costOf } from '../../../src/prices/prices.js';
import { roleOf, type SimRequest } from '../../../src/sim/index.js';
import { contentOf, FIRST_PROMPTS, fileOf, taskOf, taskOfWorker } from './chain.js';
import type { Kill, Scene } from './trial.js';

/**
 * How long before a kill something may have come to pass and not be written down yet: the harness writes its transcript about every
 * 100 ms, and on a busy machine later.
 */
const UNWRITTEN_MS = 1000;

/** What a harness that was asked to end, or that has lost flower, may take for it. */
const DYING_MS = 5000;

/** What a run that was killed did not keep of its promises. Without a kill: of a run that simply goes through. */
export async function violations(scene: Scene): Promise<string[]> {
  const { sim, ends, tmp } = scene;
  const last = ends.at(-1);
  return [
    ...(last?.code === 0 ? [] : [`flower ended with ${last?.code} (${last?.signal}): ${last?.stderr.slice(-500)}`]),
    ...sim.faults.map(({ message }) => message),
    ...readdirSync(tmp)
      .filter((name) => name.startsWith('claude-resume-'))
      .map((name) => `left in the temporary folder: ${name}`),
    ...conversation(scene),
    ...repeats(scene),
    ...files(scene),
    ...bill(scene),
  ];
}

/** The same sessions, with all that was in them; every first prompt said, and said once. */
function conversation(scene: Scene): string[] {
  const { sim, kill } = scene;
  const broken: string[] = [];
  const stored = storedOf(scene);
  const left = { clarify: false, goal: scene.noGoal, coordinator: scene.handsOver };
  for (const role of ['clarify', 'goal', 'coordinator'] as const) {
    if (left[role]) continue;
    const requests = messagesOf(sim.requests).filter((request) => roleOf(request) === role);
    const lost = [...new Set(requests.map(({ session }) => session))].slice(0, -1);
    for (const session of lost) {
      // What flower had not heard of when it was killed is begun anew.
      const wasAsked = requests.some((request) => request.session === session && request.n <= (kill?.requests ?? 0));
      const wasHeardOf = kill?.recorded?.includes(session) ?? wasAsked;
      if (wasHeardOf && stored.said.has(session)) broken.push(`${role} has left its session ${session}`);
    }
    const last = requests.at(-1);
    if (!last) broken.push(`${role} was never asked`);
    const first = role === 'goal' ? null : FIRST_PROMPTS[role];
    const times = first && last ? JSON.stringify(last.messages).split(first).length - 1 : 1;
    if (times !== 1) broken.push(`${role} has its first prompt ${times} times`);
  }
  if (!kill) return broken;
  const after = sim.requests.slice(kill.requests);
  for (const [session, known] of knownResults(scene)) {
    const next = messagesOf(after).find((request) => request.thread === 'main' && request.session === session);
    for (const id of known) {
      if (next && !next.calls.some((made) => made.id === id && made.result)) {
        broken.push(`${roleOf(next)} no longer has the result of ${id}`);
      }
    }
  }
  return broken;
}

/** Of each session, the calls of its main thread whose results the model had got long enough before the kill. */
function knownResults({ sim, kill }: Scene): Map<string, Set<string>> {
  const known = new Map<string, Set<string>>();
  if (!kill) return known;
  for (const { session, thread, calls, at } of messagesOf(sim.requests.slice(0, kill.requests))) {
    if (thread !== 'main' || at > kill.at - UNWRITTEN_MS) continue;
    const ids = calls.flatMap(({ id, result }) => (result ? [id] : []));
    known.set(session, new Set([...(known.get(session) ?? []), ...ids]));
  }
  return known;
}

/** What was complete when the kill came isn't asked again. */
function repeats(scene: Scene): string[] {
  const { sim, kill, workspace } = scene;
  if (!kill) return [];
  const after = messagesOf(sim.requests.slice(kill.requests));
  const broken = kill.settled && after.length > 0 ? ['the model is asked again although the outcome is booked'] : [];
  for (const [file, role] of [
    ['brief.md', 'clarify'],
    ['goal.md', 'goal'],
  ] as const) {
    const frozen = kill.files.includes(join(workspace, '.flower', 'notes', file));
    const again = after.filter((request) => roleOf(request) === role && request.turn === 0);
    if (frozen && kill.victim === 'flower' && again.length > 0) broken.push(`${role} is asked again after ${file}`);
  }
  const known = [...knownResults(scene).values()].flatMap((ids) => [...ids]);
  const calls = messagesOf(sim.requests).flatMap((request) => request.calls);
  const done = calls.filter(({ id, tool }) => tool === 'Agent' && known.includes(id)).map(({ input }) => taskOf(input));
  for (const request of after) {
    if (request.thread === 'worker' && done.includes(taskOfWorker(request))) {
      broken.push(`a worker is sent again for ${taskOfWorker(request)}`);
    }
  }
  return broken;
}

/** Whatever the model was told is written is there, and what was there is still there. */
function files({ sim, kill, workspace }: Scene): string[] {
  const told = messagesOf(sim.requests).flatMap(({ calls }) =>
    calls.flatMap((made) => (made.result && !made.result.isError ? (fileOf(made) ?? []) : [])),
  );
  const wrong = [...new Set(told)].filter((file) => readOrNull(join(workspace, file)) !== contentOf(file));
  const gone = kill?.files.filter((path) => !existsSync(path)) ?? [];
  return [...wrong.map((file) => `${file} does not hold what was written`), ...gone.map((path) => `${path} is gone`)];
}

/**
 * The bill is what the service charged for every answer that is written down, to the cent. Charged and not on it are at most answers
 * that the kill cut off, or that came too shortly before to be written down.
 */
function bill(scene: Scene): string[] {
  const { sim, kill, workspace } = scene;
  const runDir = join(workspace, 'runs');
  const books = Books.peek(runDir);
  if (!books) return ['there are no books'];
  const billed = books.spentUsd();
  const rows = books.rows();
  books.close();
  const broken: string[] = [];
  if (JSON.stringify(JSON.parse(readFileSync(join(runDir, 'manifest.json'), 'utf8'))) !== JSON.stringify(rows)) {
    broken.push('manifest.json does not show what the books hold');
  }
  const { ids } = storedOf(scene);
  const charged = sim.requests.filter(({ usage }) => usage !== null);
  const lost = charged.filter(({ messageId }) => messageId !== null && !ids.has(messageId));
  const total = sim.meter.total().costUsd;
  const written = total - sum(lost);
  if (billed > total + CENT || billed < written - CENT) {
    broken.push(`the bill is ${billed}, charged were ${total}, of which ${written} is written down`);
  }
  for (const { n, at } of lost.filter((answer) => !kill || !mayBeLost(answer, kill, charged))) {
    broken.push(`answer ${n} was never written down, ${kill ? kill.at - at : '?'} ms before the kill`);
  }
  const threads = lost.map(threadOf);
  if (kill?.victim === 'flower' && new Set(threads).size < threads.length) {
    broken.push(`more than the last answer was lost: ${lost.map(({ n }) => n).join(', ')}`);
  }
  return broken;
}

/**
 * Cut off by the kill, or not written down in time: asked for shortly before it, one of the last two of its thread, or asked for by
 * a harness that had not noticed yet that flower is dead.
 */
function mayBeLost(answer: SimRequest, kill: Kill, charged: readonly SimRequest[]): boolean {
  if (answer.n > kill.requests) return answer.at <= kill.at + DYING_MS;
  const own = charged.filter((other) => threadOf(other) === threadOf(answer) && other.n <= kill.requests);
  return answer.at >= kill.at - UNWRITTEN_MS || own.slice(-2).includes(answer);
}

function threadOf({ session, agentId }: SimRequest): string {
  return `${session} ${agentId}`;
}

/** A thousandth of one: sums of the same amounts in another order. */
const CENT = 0.00001;

function sum(requests: readonly SimRequest[]): number {
  return requests.reduce((total, { model, usage }) => total + (usage ? (costOf(model, usage) ?? 0) : 0), 0);
}

/** What the store holds: ids of the model's messages, and sessions in which anything was said. */
function storedOf({ workspace }: Scene): { readonly ids: ReadonlySet<string>; readonly said: ReadonlySet<string> } {
  const database = openDatabase(join(workspace, 'runs', 'sessions.db'), { readonly: true });
  try {
    const rows = database.handle.prepare('SELECT payload FROM entries').pluck().all();
    const entries = rows.map((row) => JSON.parse(String(row)) as Record<string, unknown>);
    const messages = entries.filter(({ type }) => type === 'user' || type === 'assistant');
    return {
      ids: new Set(messages.map(({ message }) => String(Object(message).id))),
      said: new Set(messages.map(({ sessionId }) => String(sessionId))),
    };
  } finally {
    database.close();
  }
}

function messagesOf(requests: readonly SimRequest[]): SimRequest[] {
  return requests.filter(({ kind }) => kind === 'message');
}

function readOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
