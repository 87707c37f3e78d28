import { join } from 'node:path';

export const CALLS = 200;

/** A role's prompt may have the workbench's index before it. */
const order = /(Have somebody work|Work) in (\S+) now\./;

/** The model of the overhead bench: a worker's calls where the prompt is to work, a dispatch where somebody shall, else one sentence. */
export function script({ call, say }) {
  return ({ prompt, turn }) => {
    const [, what, folder] = order.exec(prompt) ?? [];
    if (!what) return say('Said.');
    if (what === 'Work') return turn < CALLS ? call(...toolCall(turn, folder)) : say('Conclusion: done.');
    const task = { subagent_type: 'coder', description: 'work', prompt: `Work in ${folder} now.` };
    return turn === 0 ? call('Agent', task) : say('Done.');
  };
}

/** The calls of a worker in the proportions that a long run was measured in: commands, readings, edits. */
function toolCall(n, folder) {
  const file = join(folder, `file-${n % 7}.txt`);
  if (n % 4 === 1) return ['Read', { file_path: file }];
  if (n % 4 === 3) return ['Write', { file_path: join(folder, `new-${n}.txt`), content: `line ${n}\n`.repeat(20) }];
  return ['Bash', { command: `echo ${n}; head -c 600 ${file}`, description: 'Look' }];
}
