import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const self = fileURLToPath(import.meta.url);

/**
 * Starts the scripted service in a process of its own, as a real one is.
 *
 * @param {URL} module its `script` makes the script from the sim's words
 */
export async function startService(module, base) {
  const child = fork(self, [module.href, base.href], { execArgv: [] });
  const [url] = await once(child, 'message');
  return { url, pid: child.pid, stop: () => child.kill() };
}

if (process.argv[1] === self) {
  const [module, base] = process.argv.slice(2);
  const sim = await import(new URL('sim/index.js', base));
  const { script } = await import(module);
  const { url } = await sim.startSim({ script: script(sim), keepRequests: 1 });
  process.send(url);
}
