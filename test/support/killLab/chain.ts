import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { byRole, call, Reply, type RoleScripts, type Script, type SimRequest, say } from '../../../src/sim/index.js';
import { BRIEF, GOAL } from '../scripts.js';

/** What the person asks for. It stands in the conversation once, however often the run is killed. */
export const WORDS = 'Write the poems of the year.';

/** How the first prompt of each step begins. */
export const FIRST_PROMPTS = { clarify: WORDS, coordinator: 'Get this requirement done' } as const;

/** Of each worker's task, how many files it writes, one call each. The first two run at the same time. */
const TASKS: Readonly<Record<string, number>> = { 'Poem of spring': 3, 'Poem of autumn': 3, 'Poem of winter': 1 };
const STAGES = [['Poem of spring', 'Poem of autumn'], ['Poem of winter']];

/** A window, and the tokens of a request that is past its threshold. */
const SMALL = { window: 200_000, tokens: 160_000 };

/** How long the model takes for each answer. */
export const ANSWER_MS = 40;

/** A command that a kill finds at work. Without its harness it would work on until the next one is there. */
const LONG = 'sleep 1; kill -0 $PPID || sleep 60; ';

export interface ChainOptions {
  /** The coordinator's context is full after each stage, so it hands over, twice. */
  readonly handsOver: boolean;
}

/**
 * The model of a whole run of `flower`: clarifies, sets a goal, has workers write files, judges. It decides by the conversation
 * alone: what stands there with a result isn't done again, and what does not stand there is.
 */
export function chainOf({ handsOver }: ChainOptions): Script {
  const answers = byRole({ ...roles, ...(handsOver && { coordinator: coordinatorThatHandsOver }) });
  return async (request) => (await answers(request)).delay(ANSWER_MS);
}

const roles: RoleScripts = {
  clarify: (request) => {
    if (request.calls.every(({ tool }) => tool !== 'Glob')) return call('Glob', { pattern: '*' });
    return handIn(request, 'mcp__flower__submit_brief', BRIEF);
  },
  goal: (request) => handIn(request, 'mcp__flower__submit_goal', GOAL),
  coordinator,
  worker: (request) => {
    const task = taskOfWorker(request);
    const written = request.calls.filter(({ result }) => result !== null).length;
    if (written >= (TASKS[task] ?? 0)) return say(`Conclusion: ${task} is written.`);
    const wait = task === 'Poem of winter' ? LONG : '';
    const file = `${task.replaceAll(' ', '-')}-${request.agentId}-${written}.txt`;
    return call('Bash', { command: `${wait}printf '%s' '${contentOf(file)}' > ${file}`, description: 'Write a verse' });
  },
  judge: (request) =>
    handIn(request, 'mcp__flower__submit_verdict', {
      items: [{ number: 1, state: 'met', evidence: 'Read the files' }],
      reason: '',
    }),
};

function coordinator(request: SimRequest): Reply {
  const open = STAGES.map((stage) => stage.filter((task) => !isDone(request, task))).find((tasks) => tasks.length > 0);
  return (
    open?.reduce(
      (reply, task) => reply.call('Agent', { subagent_type: 'coder', description: task, prompt: task }),
      new Reply({ content: [] }),
    ) ?? say('All the poems are there.')
  );
}

function coordinatorThatHandsOver(request: SimRequest): Reply {
  if (request.prompt.includes('mcp__flower__submit_handoff')) {
    const decided = Object.keys(TASKS).flatMap((task) => (isDone(request, task) ? [`${task} is done.`] : []));
    const fields = { doing: 'Poems.', decided: decided.join(' '), deadends: '', next: 'The rest.', scene: '' };
    return handIn(request, 'mcp__flower__submit_handoff', fields);
  }
  const reply = coordinator(request);
  return reply.parts.content.some(({ type }) => type === 'tool_use')
    ? reply.usage({ input_tokens: SMALL.tokens })
    : reply;
}

/** Its worker has reported, in this conversation or in the one that handed over to it. */
function isDone({ calls, messages }: SimRequest, task: string): boolean {
  const reported = calls.some(({ input, result }) => taskOf(input) === task && result?.text.includes('Conclusion'));
  return reported || JSON.stringify(messages[0]).includes(`${task} is done.`);
}

/** The file that a worker's call writes; null for any other call. */
export function fileOf({ tool, input }: { readonly tool: string; readonly input: unknown }): string | null {
  const { command = '' } = Object(input) as { command?: string };
  return (tool === 'Bash' && / > (\S+)$/.exec(command)?.[1]) || null;
}

export function contentOf(file: string): string {
  return `Verse of ${file}`;
}

/** The task of an Agent call. */
export function taskOf(input: unknown): string | undefined {
  const { prompt } = Object(input) as { prompt?: string };
  return Object.keys(TASKS).find((task) => task === prompt);
}

/** The task that a worker's request is about. */
export function taskOfWorker({ messages }: SimRequest): string {
  const said = JSON.stringify(messages[0]?.content);
  return Object.keys(TASKS).find((task) => said.includes(task)) ?? '';
}

/** How a person goes on in a directory: with the words until they are written down, then without. */
export function commandLine(workspace: string, options: ChainOptions & { readonly noGoal: boolean }): string[] {
  const words = existsSync(join(workspace, '.flower', 'notes', 'brief.md')) ? [] : [WORDS];
  const flags = [
    ...(options.handsOver ? ['--window', String(SMALL.window)] : []),
    ...(options.noGoal ? ['--no-goal'] : []),
  ];
  return ['-w', workspace, ...words, '--timeout', '0', ...flags];
}

/** A document is handed in in each process that asks for it: what was handed in to a dead one is gone with it. */
function handIn({ turn, results }: SimRequest, tool: string, document: object): Reply {
  return turn > 0 && results.some((result) => result.tool === tool) ? say('Handed in.') : call(tool, document);
}
