import { join } from 'node:path';

export const CALLS = 200;

/** A role's prompt may have the workbench's index before it. */
const order = /Work in (\S+) now\./;

/** The model of the overhead bench: a worker's calls where the prompt is to work, else one sentence. */
export function script({ call, say }) {
  const work = (request) => {
    const [, folder] = order.exec(request.prompt);
    return request.turn < CALLS ? call(...toolCall(request.turn, folder)) : say('Conclusion: done.');
  };
  return (request) => {
    const { prompt } = request;
    if (!order.test(prompt)) return say('Said.');
    if (request.thread === 'worker' || !request.tools.includes('Agent')) return work(request);
    return request.turn === 0 ? call('Agent', { subagent_type: 'coder', description: 'work', prompt }) : say('Done.');
  };
}

/** The calls of a worker in the proportions that a long run was measured in: commands, readings, edits. */
function toolCall(n, folder) {
  const file = join(folder, `file-${n % 7}.txt`);
  if (n % 4 === 1) return ['Read', { file_path: file }];
  if (n % 4 === 3) return ['Write', { file_path: join(folder, `new-${n}.txt`), content: `line ${n}\n`.repeat(20) }];
  return ['Bash', { command: `echo ${n}; head -c 600 ${file}`, description: 'Look' }];
}
