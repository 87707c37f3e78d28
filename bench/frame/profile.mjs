import { Session } from 'node:inspector/promises';
import { round } from './figures.mjs';

/** Runs something under the sampling profiler, and gives the milliseconds of this process by the part of the code they went to. */
export async function profiled(run) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await run();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const parts = new Map(profile.nodes.map(({ id, callFrame }) => [id, partOf(callFrame)]));
  const spent = new Map();
  profile.samples.forEach((id, n) => {
    const part = parts.get(id);
    spent.set(part, (spent.get(part) ?? 0) + profile.timeDeltas[n] / 1000);
  });
  spent.delete('');
  const all = [...spent.values()].reduce((sum, ms) => sum + ms, 0);
  return [...spent]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([part, ms]) => ({ part, ms: Math.round(ms), 'share, %': round((100 * ms) / all, 1) }));
}

function partOf({ functionName, url }) {
  if (functionName === '(idle)') return '';
  if (functionName === '(garbage collector)') return 'collecting garbage';
  if (functionName === '(program)') return 'native code and the system';
  const library = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (library !== undefined) return library;
  const room = /\/dist\/([^/]+)\//.exec(url)?.[1];
  return room === undefined ? 'Node' : `flower: ${room}`;
}
