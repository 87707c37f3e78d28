/**
 * A process that runs a workflow of one step each time it is told to go, on the built library and a harness that ends when it is
 * told to. Told over its channel: `go`, `end`. Says: `ready`, then `won` or why it `lost`, then `over`.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { AgentSpec, Runtime, Step, Workflow } from '../../dist/index.js';

const [folder] = process.argv.slice(2);
const told = async (word) => {
  for (;;) if ((await once(process, 'message'))[0] === word) return;
};

function query({ options }) {
  const session_id = randomUUID();
  const of = (fields) => ({ uuid: randomUUID(), session_id, ...fields });
  async function* play() {
    yield of({ type: 'system', subtype: 'init', tools: [] });
    const key = { projectKey: options.env.CLAUDE_CODE_PROJECT_DIR_NAME, sessionId: session_id };
    await options.sessionStore.append(key, [{ type: 'user', uuid: randomUUID(), parentUuid: null }]);
    const end = told('end');
    process.send({ word: 'won' });
    await end;
    const figures = { num_turns: 1, total_cost_usd: 0 };
    yield of({ type: 'result', subtype: 'success', is_error: false, terminal_reason: 'completed', ...figures });
  }
  const unused = async () => undefined;
  return Object.assign(play(), { interrupt: unused, close: unused, getContextUsage: async () => ({ maxTokens: 0 }) });
}

for (let round = 0; ; round += 1) {
  const runtime = new Runtime({
    workspace: `${folder}/work`,
    runDir: `${folder}/runs`,
    settings: { ANTHROPIC_API_KEY: 'sk-fake' },
    handoff: false,
    query,
    locale: 'en',
  });
  const look = new AgentSpec({ name: 'look', instructions: '' });
  const flow = new Workflow([new Step(`step-${round}`, look, 'Look.')]);
  const go = told('go');
  process.send({ word: 'ready' });
  await go;
  try {
    await flow.run(runtime);
  } catch ({ code, message }) {
    process.send({ word: 'lost', code, message });
  }
  await runtime.close();
  process.send({ word: 'over' });
}
