import { type Inspect, operandsOf } from './inspect.js';
import { refuse } from './refusal.js';

/**
 * Judges an awk program by the words that let it do more than print: running a command, reading from one, writing a file,
 * loading other code. They count in strings and comments too; a program that needs them there can be written otherwise.
 */
export const inspectAwk: Inspect = (found) => {
  const program = operandsOf(found)[0];
  if (!program) return refuse('unknown', 'awk');
  const text = program.value;
  if (/system|getline|@/.test(text) || text.replaceAll('||', '').includes('|')) return refuse('starts', program.source);
  const print = text.indexOf('print');
  return print !== -1 && text.includes('>', print) ? refuse('writes', program.source) : null;
};
