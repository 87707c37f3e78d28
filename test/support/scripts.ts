import { byRole, call, type RoleScripts, type Script, say, turns } from '../../src/sim/index.js';

export const BRIEF = {
  goal: 'A file hello.txt for the reader.',
  accept: 'hello.txt says hello',
  bounds: 'none',
  unknowns: 'none',
};
export const GOAL = { statement: 'hello.txt is there', items: [{ text: '`cat hello.txt` prints hello' }] };

/** A whole run in which everybody does the least: for tests that look at one thing. Any role can be replaced. */
export function smallestRun(replace: RoleScripts = {}): Script {
  return byRole({
    clarify: turns([call('mcp__flower__submit_brief', BRIEF), say('Handed in.')]),
    goal: turns([call('mcp__flower__submit_goal', GOAL), say('Handed in.')]),
    coordinator: turns([
      call('Agent', { subagent_type: 'coder', description: 'write hello', prompt: 'Write hello.txt that says hello.' }),
      say('hello.txt is written.'),
    ]),
    worker: turns([
      call('Bash', { command: 'printf hello > hello.txt', description: 'Write the file' }),
      say('Conclusion: hello.txt is there.'),
    ]),
    judge: turns([
      call('mcp__flower__submit_verdict', {
        items: [{ number: 1, state: 'met', evidence: 'Read hello.txt: hello' }],
        reason: '',
      }),
      say('Handed in.'),
    ]),
    ...replace,
  });
}
