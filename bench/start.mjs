import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inTurn, ratioOf, spread } from './frame/figures.mjs';
import { inFolder, settingsFor } from './frame/place.mjs';
import { plainSession } from './frame/plainSession.mjs';
import { smallScript } from './frame/smallRun.mjs';

const ROUNDS = 7;
const execute = promisify(execFile);

export const start = {
  name: 'start',
  title: 'How long a start takes',
  question:
    "How soon do flower's commands answer, against Node's own start and against the program that the SDK ships, and how soon does the first request reach the model?",
  run: ({ base }) => inFolder((ended) => benchStart(base, ended)),
};

/** @param ended a folder for a run that ends before anything is timed */
async function benchStart(base, ended) {
  const main = fileURLToPath(new URL('cli/main.js', base));
  const { startSim } = await import(new URL('sim/index.js', base));
  const sim = await startSim({ script: await smallScript(base), keepRequests: 1 });
  const commands = {
    'node -e 0': [process.execPath, '-e', '0'],
    'claude --version': [harnessProgram(), '--version'],
    'flower --version': [process.execPath, main, '--version'],
    'flower --help': [process.execPath, main, '--help'],
  };
  const cases = Object.fromEntries(
    Object.entries(commands).map(([name, command]) => [name, () => inFolder((folder) => timeOf(command, folder))]),
  );
  cases['flower status'] = () => timeOf([process.execPath, main, 'status'], ended);
  const firstRequest = (run) => () =>
    inFolder(async (folder) => {
      const begun = performance.now();
      const reached = new Promise((resolve) => {
        sim.setScript((request) => {
          resolve(performance.now() - begun);
          return script(request);
        });
      });
      await run(folder);
      return reached;
    });
  const script = await smallScript(base);
  const flower = (folder) =>
    execute(process.execPath, [main, '-w', join(folder, 'work'), 'Write hello.txt', '--timeout', '0'], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, ...settingsFor(sim.url) },
    });
  cases['first request of query()'] = firstRequest((folder) => plainSession({ folder, url: sim.url }, 'Say hello.'));
  cases['first request of flower'] = firstRequest(flower);
  await flower(ended);
  for (const run of Object.values(cases)) await run();
  const times = await inTurn(ROUNDS, cases);
  await sim.close();
  const node = times['node -e 0'];
  const program = times['claude --version'];
  const rows = Object.entries(times).map(([name, list]) => ({
    case: name,
    ms: spread(list),
    'times node -e 0': ratioOf(list, node),
    'times claude --version': ratioOf(list, program),
  }));
  return {
    tables: [
      {
        title: '',
        rows,
        notes: [
          '`flower status` tells of a run that has ended. The first request of flower holds the start of its own process, that of query() is made in a running one.',
        ],
      },
    ],
    ratios: [
      ...['flower --help', 'flower status'].map((name) => ({
        name: `${name} against node -e 0`,
        value: ratioOf(times[name], node),
      })),
      {
        name: 'first request of flower against that of query()',
        value: ratioOf(times['first request of flower'], times['first request of query()']),
      },
    ],
  };
}

async function timeOf([file, ...args], folder) {
  const begun = performance.now();
  await execute(file, args, { cwd: join(folder, 'work'), env: { PATH: process.env.PATH, HOME: folder } });
  return performance.now() - begun;
}

/** The program that the SDK has for this machine. */
function harnessProgram() {
  const require = createRequire(createRequire(import.meta.url).resolve('@anthropic-ai/claude-agent-sdk'));
  const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`;
  return join(dirname(require.resolve(`${name}/package.json`)), 'claude');
}
