import { join } from 'node:path';
import { cpuMs, exponent, growth, median, round } from './frame/figures.mjs';
import { inFolder } from './frame/place.mjs';

const SIZES = [1000, 10_000, 100_000];
const ROUNDS = 3;

export const events = {
  name: 'events',
  title: 'What an event costs on its way',
  question:
    'How much processor time does an event take from a message of the harness to the log in the database and to a listener, against JSON.stringify of the same message?',
  run: benchEvents,
};

async function benchEvents({ base }) {
  const { Books } = await import(new URL('books/books.js', base));
  const { EventLog } = await import(new URL('workflow/eventLog.js', base));
  const { normalize } = await import(new URL('events/normalize.js', base));
  const pass = (count) =>
    inFolder(async (folder) => {
      const messages = Array.from({ length: count }, (_, n) => messageOf(n));
      const plain = await cpuMs(() => messages.map((message) => JSON.stringify(message)));
      const books = Books.open(join(folder, 'runs'), { locale: 'en' });
      let heard = 0;
      const log = new EventLog('run', {
        books,
        locale: 'en',
        onEvent: () => {
          heard += 1;
        },
      });
      const agents = new Map();
      const whole = await cpuMs(async () => {
        for (const [n, message] of messages.entries()) {
          for (const event of normalize(message, { agents, locale: 'en' })) log.write(event);
          // As in a run: what waits is committed while the model thinks.
          if (n % 100 === 0) log.flush();
        }
        log.close();
      });
      books.close();
      return { plain, whole, heard };
    });
  await pass(SIZES[0]);
  const rows = [];
  for (const count of SIZES) {
    const runs = [];
    for (let n = 0; n < ROUNDS; n += 1) runs.push(await pass(count));
    const whole = median(runs.map((run) => run.whole));
    rows.push({
      messages: count,
      events: runs[0].heard,
      ms: Math.round(whole),
      'µs an event': round((1000 * whole) / runs[0].heard, 1),
      'times JSON.stringify': round(median(runs.map((run) => run.whole / run.plain)), 1),
    });
  }
  const power = exponent(
    SIZES,
    rows.map(({ ms }) => ms),
  );
  return {
    tables: [{ title: 'By number of messages', rows, notes: [`Grows by the power of ${power}.`] }],
    ratios: [growth('events', power)],
  };
}

function messageOf(n) {
  const ids = {
    session_id: 's',
    uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    parent_tool_use_id: null,
  };
  const words = `Step ${n}: the reader takes one row after the other and says what it skips. `.repeat(4);
  if (n % 2 === 1) {
    const content = [{ type: 'tool_result', tool_use_id: `toolu_${n - 1}`, content: words }];
    return { type: 'user', message: { role: 'user', content }, ...ids };
  }
  const content = [
    { type: 'text', text: words },
    { type: 'tool_use', id: `toolu_${n}`, name: 'Bash', input: { command: words } },
  ];
  const usage = { input_tokens: 9, output_tokens: 300 };
  return {
    type: 'assistant',
    message: { id: `msg_${n}`, role: 'assistant', model: 'claude-opus-5-5', usage, content },
    ...ids,
  };
}
