import type { Reply } from './reply.js';
import type { SimRequest } from './simRequest.js';

/**
 * Decides what the model answers. It must be a pure function of the request: everything it may want to know stands there, so it
 * goes on rightly when the sim is restarted or a session is resumed from a store.
 */
export type Script = (request: SimRequest) => Reply | Promise<Reply>;

/**
 * A script of one reply after the other, counted anew from each prompt. A request beyond the last one is a fault of the script.
 *
 * @example
 * turns([call('Bash', { command: 'ls' }), (request) => say(`I saw: ${request.results[0]?.text}`)]);
 */
export function turns(replies: readonly (Reply | Script)[]): Script {
  return (request) => {
    const reply = replies[request.turn];
    if (reply === undefined) {
      throw new Error(
        `turns() has ${replies.length} replies, and this is answer ${request.turn + 1} to "${short(request.prompt)}"`,
      );
    }
    return typeof reply === 'function' ? reply(request) : reply;
  };
}

/** Who asks, in terms of flower: the main thread of one of its steps, or a worker. */
export type Role = 'clarify' | 'goal' | 'judge' | 'coordinator' | 'worker' | 'oracle';

/** A script for each role. */
export interface RoleScripts {
  readonly clarify?: Script;
  readonly goal?: Script;
  readonly judge?: Script;
  readonly coordinator?: Script;
  readonly oracle?: Script;
  /** Every worker that `workers` doesn't name. */
  readonly worker?: Script;
  /** Workers by their name. */
  readonly workers?: Readonly<Record<string, Script>>;
  /** Whoever has no script of their own. Without it such a request is a fault. */
  readonly other?: Script;
}

/**
 * A script that asks another one by role.
 *
 * @example
 * byRole({
 *   coordinator: turns([call('Agent', { description: 'write it', prompt: 'Write a.txt', subagent_type: 'coder' }), say('Done.')]),
 *   workers: { coder: turns([call('Write', { file_path: '/w/a.txt', content: 'a' }), say('I wrote a.txt.')]) },
 *   judge: turns([
 *     call('mcp__flower__submit_verdict', { items: [{ number: 1, state: 'met', evidence: 'Read a.txt: a' }], reason: '' }),
 *     say('Handed in.'),
 *   ]),
 * });
 */
export function byRole(scripts: RoleScripts): Script {
  return (request) => {
    const role = roleOf(request);
    const script = (role === 'worker' ? workerScript(scripts, request.agent) : scripts[role]) ?? scripts.other;
    if (script === undefined) {
      throw new Error(`byRole() has no script for ${request.agent ?? role}, which was told "${short(request.prompt)}"`);
    }
    return script(request);
  };
}

/** The role of a request's thread, by the tools it is offered. A main thread with none of flower's hand-in tools is an oracle. */
export function roleOf(request: SimRequest): Role {
  if (request.thread === 'worker') return 'worker';
  return handIns.find(([tool]) => request.tools.includes(tool))?.[1] ?? 'oracle';
}

/** A worker without a known name, after a restart of the sim, takes the place of the only one there is. */
function workerScript({ worker, workers = {} }: RoleScripts, name: string | null): Script | undefined {
  const named = name === null ? undefined : workers[name];
  const all = Object.values(workers);
  return named ?? worker ?? (name === null && all.length === 1 ? all[0] : undefined);
}

const handIns: readonly (readonly [string, Role])[] = [
  ['mcp__flower__submit_brief', 'clarify'],
  ['mcp__flower__submit_goal', 'goal'],
  ['mcp__flower__submit_verdict', 'judge'],
  ['Agent', 'coordinator'],
];

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
