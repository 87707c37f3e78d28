import { join } from 'node:path';
import { settingsFor } from './place.mjs';

/** The script of a whole run in which everybody does the least. */
export async function smallScript(base) {
  const { byRole, call, say, turns } = await import(new URL('sim/index.js', base));
  const brief = { goal: 'A file hello.txt.', accept: 'hello.txt says hello', bounds: 'none', unknowns: 'none' };
  const items = [{ text: '`cat hello.txt` prints hello' }];
  const evidence = [{ number: 1, state: 'met', evidence: 'Read hello.txt: hello' }];
  const dispatch = { subagent_type: 'coder', description: 'write hello', prompt: 'Write hello.txt that says hello.' };
  return byRole({
    clarify: turns([call('mcp__flower__submit_brief', brief), say('Handed in.')]),
    goal: turns([call('mcp__flower__submit_goal', { statement: 'hello.txt is there', items }), say('Handed in.')]),
    coordinator: turns([call('Agent', dispatch), say('hello.txt is written.')]),
    worker: turns([call('Bash', { command: 'printf hello > hello.txt', description: 'Write' }), say('It is there.')]),
    judge: turns([call('mcp__flower__submit_verdict', { items: evidence, reason: '' }), say('Handed in.')]),
    other: () => say('Hello.'),
  });
}

/** Runs the starter flow once, against a service that answers by {@link smallScript}. */
export async function smallRun(base, { folder, url }) {
  const { starterFlow } = await import(new URL('workflow/starterFlow.js', base));
  const { Runtime } = await import(new URL('runtime/runtime.js', base));
  const workspace = join(folder, 'work');
  const runDir = join(folder, 'runs');
  const flow = starterFlow('Write hello.txt', { workspace, runDir, timeoutS: 0, locale: 'en' });
  const runtime = new Runtime({
    workspace,
    runDir,
    locale: 'en',
    workbench: flow.workbench,
    settings: settingsFor(url),
  });
  const { _outcome: outcome } = await flow.run(runtime);
  await runtime.close();
  if (outcome.verified !== 'achieved') throw new Error(`flower ended with ${JSON.stringify(outcome)}`);
}
