/** A user interface of one's own: events in, words out. A typed line answers the open question, or goes to the run as mail. */
import assert from 'node:assert/strict';
import { createInterface } from 'node:readline';
import { type Event, type HumanChannel, Runtime, starterFlow } from '../src/index.js';

const say = (words: string) => console.log(words);
function show({ kind, text, tool, payload }: Event): void {
  if (kind === 'step') say(`\n== ${text} (${payload.index} of ${payload.total})`);
  else if (kind === 'text') say(payload.subagent ? `   ${text}` : text);
  else if (kind === 'tool_call') say(` > ${tool} ${text}`);
  else if (kind === 'task' && text) say(` * ${text}`);
  else if (kind === 'error') say(` ! ${text}`);
  else if (kind === 'result') say(` $${Number(payload.spent_usd).toFixed(4)}`);
  else if (kind === 'ask' && payload.state === 'asked') {
    say(` ? ${text}`);
    for (const [i, option] of (payload.options as string[]).entries()) say(`   ${i + 1}. ${option}`);
  }
}

function hear(words: string, channel: HumanChannel): void {
  const [ask] = channel.pending();
  if (ask) channel.answer(ask.id, ask.options[Number(words) - 1] ?? words);
  else channel.send(words);
}

const flow = starterFlow('Write hello.txt for the reader', { timeoutS: 600, judgeCanRun: true });
const lines = createInterface({ input: process.stdin });
lines.on('line', (words) => flow.channel && hear(words, flow.channel));
const runtime = new Runtime({ workspace: '.', workbench: flow.workbench ?? false });
const ctx = await flow.run(runtime, { onEvent: show });
await runtime.close();
lines.close();
say(`\n${ctx._outcome?.ended}; verified: ${ctx._outcome?.verified}; report: ${ctx._report_path}`);
assert.equal(ctx._outcome?.verified, 'achieved');
