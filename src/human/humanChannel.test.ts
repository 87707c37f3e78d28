import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { amendmentsOf } from '../documents/amendments.js';
import { Brief } from '../documents/brief.js';
import { unsealed } from '../documents/seal.js';
import type { Event } from '../events/event.js';
import { text } from '../locale/locale.js';
import type { Ask } from './ask.js';
import { HumanChannel } from './humanChannel.js';
import type { HumanChannelOptions } from './humanChannelOptions.js';
import { Mail, type Mailbox } from './mail.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A channel in English and every event it emits. */
function open(options: HumanChannelOptions = {}): { channel: HumanChannel; events: Event[] } {
  const events: Event[] = [];
  return { channel: new HumanChannel({ locale: 'en', onEvent: (event) => events.push(event), ...options }), events };
}

const states = (events: readonly Event[]) => events.map((event) => event.payload.state);
const temporary = () => mkdtempSync(join(tmpdir(), 'flower-human-'));

/** A path that cannot be written by anybody, root included: it lies below a regular file. */
function unwritable(): string {
  const file = join(temporary(), 'a-regular-file');
  writeFileSync(file, '');
  return join(file, 'below', 'brief.md');
}

describe('a question', () => {
  it('waits for its answer (case 1)', async () => {
    const { channel, events } = open();
    const asked = channel.ask(' Which port? ', [' 80 ', '', '8080']);
    await vi.advanceTimersByTimeAsync(200);
    expect(channel.answer('q1', '8080')).toBe(true);
    const ask = await asked;
    expect([ask.state, ask.answer, ask.question, ask.waitedS]).toEqual(['answered', '8080', 'Which port?', 0.2]);
    expect(states(events)).toEqual(['asked', 'answered']);
    expect(events[0]?.payload).toEqual({
      id: 'q1',
      options: ['80', '8080'],
      state: 'asked',
      answer: '',
      remaining: -1,
      asked_at: ask.askedAt,
      timeout_s: 1800,
      default: null,
      from: null,
    });
    expect(events[0]?.text).toBe('Which port?');
    expect(events[0]?.raw).toBe(ask);
  });

  it('that is declined tells the asker to go on, with the reason word for word (case 2)', async () => {
    const { channel } = open();
    const first = channel.ask('a?');
    const second = channel.ask('b?');
    expect(channel.decline('q1')).toBe(true);
    expect(channel.decline('q2', 'use the staging registry')).toBe(true);
    expect(channel.decline('q2')).toBe(false);
    expect(await first).toMatchObject({ state: 'declined', answer: text('reply.declined', {}, 'en') });
    expect((await second).answer).toBe(`${text('reply.declined', {}, 'en')} (They said: use the staging registry)`);
  });

  it('that nobody answers times out (case 2)', async () => {
    const { channel, events } = open({ timeoutS: 0.3 });
    const asked = channel.ask('anybody?');
    await vi.advanceTimersByTimeAsync(300);
    expect(await asked).toMatchObject({ state: 'timeout', answer: text('reply.timeout', {}, 'en') });
    expect(states(events)).toEqual(['asked', 'timeout']);
    expect(channel.pending()).toEqual([]);
  });

  it.each([0, -1])('is settled at once with timeoutS %d (case 2, Z5)', async (timeoutS) => {
    const { channel, events } = open({ timeoutS });
    expect((await channel.ask('anybody?')).state).toBe('timeout');
    expect((await channel.ask('framework?', null, { exempt: true })).state).toBe('timeout');
    expect(states(events)).toEqual(['timeout', 'timeout']);
    expect(await channel.nextAsk(0)).toBeNull();
  });

  it('without a time limit waits longer than one timer can run', async () => {
    const { channel } = open({ timeoutS: null });
    const forever = channel.ask('a?');
    const month = channel.ask('b?', null, { timeoutS: 30 * 86_400 });
    await vi.advanceTimersByTimeAsync(29 * 86_400_000);
    expect(channel.pending().map((ask) => ask.id)).toEqual(['q1', 'q2']);
    await vi.advanceTimersByTimeAsync(86_400_000);
    expect((await month).state).toBe('timeout');
    channel.answer('q1', 'late but fine');
    expect((await forever).answer).toBe('late but fine');
  });

  it('over the quota is refused at once; blank ones count, those of the framework do not (case 2, R10.25, R10.26, D3.10)', async () => {
    const { channel, events } = open({ maxAsks: 2, timeoutS: 60 });
    expect(await channel.ask('  ')).toMatchObject({ state: 'invalid', answer: text('reply.emptyQuestion', {}, 'en') });
    const framework = channel.ask('unreachable?', null, { exempt: true });
    const second = channel.ask('b?');
    expect(channel.remaining).toBe(0);
    expect(await channel.ask('c?')).toMatchObject({ state: 'over_budget', answer: text('reply.overBudget', {}, 'en') });
    const late = channel.ask('still unreachable?', null, { exempt: true });
    expect(channel.pending()).toHaveLength(3);
    channel.close();
    await Promise.all([framework, second, late]);
    expect(events.map((event) => event.payload.remaining)).toEqual([1, 1, 0, 0, 0, 0, 0, 0]);
  });

  it('is never allowed with maxAsks 0 and always with null', async () => {
    const none = open({ maxAsks: 0 }).channel;
    expect([none.remaining, (await none.ask('a?')).state]).toEqual([0, 'over_budget']);
    expect(open({ maxAsks: null }).channel.remaining).toBe(-1);
  });

  it('keeps its first outcome (case 3)', async () => {
    const { channel } = open();
    const asked = channel.ask('a?');
    expect([channel.answer('q1', 'yes'), channel.answer('q1', 'no'), channel.decline('q1')]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await asked).answer).toBe('yes');
    expect(channel.mail).toEqual([]);
    expect(channel.answer('q99', 'hello?')).toBe(false);
  });

  it('answered too late keeps its outcome, and the words become mail that names it, every time (case 3, Z108)', async () => {
    const { channel } = open({ timeoutS: 1 });
    const asked = channel.ask('Which port?');
    await vi.advanceTimersByTimeAsync(1000);
    expect([channel.answer('q1', '8081'), channel.answer('q1', 'or 8082')]).toEqual([false, false]);
    expect(await asked).toMatchObject({ state: 'timeout', answer: text('reply.timeout', {}, 'en') });
    expect(channel.pendingMail().map((mail) => mail.text)).toEqual([
      'A late answer to the question "Which port?":\n8081',
      'A late answer to the question "Which port?":\nor 8082',
    ]);
    expect(channel.answer('q1', '  ')).toBe(false);
    expect(channel.mail).toHaveLength(2);
  });

  it('with a default names it, and its own limit beats that of the channel (case 3, R10.24)', async () => {
    const { channel } = open({ timeoutS: null });
    const asked = channel.ask('Drop the table?', ['yes', 'no'], { timeoutS: 2, default: ' no ' });
    await vi.advanceTimersByTimeAsync(2000);
    const ask = await asked;
    expect([ask.state, ask.default, ask.timeoutS]).toEqual(['timeout', 'no', 2]);
    expect(ask.answer).toBe(
      `${text('reply.timeout', {}, 'en')}\n${text('reply.defaultHolds', { default: 'no' }, 'en')}`,
    );
  });

  it('may wait for ever although the channel never does', async () => {
    const { channel } = open({ timeoutS: 0 });
    const asked = channel.ask('a?', null, { timeoutS: null });
    await vi.advanceTimersByTimeAsync(3_600_000);
    channel.answer('q1', 'ok');
    expect((await asked).state).toBe('answered');
  });

  it('can be answered by the very callback that announces it', async () => {
    const { channel, events } = open();
    const seen: boolean[] = [];
    channel.listen((event) => event.payload.state === 'asked' && seen.push(channel.answer('q1', 'at once')));
    expect(await channel.ask('a?')).toMatchObject({ state: 'answered', answer: 'at once' });
    expect(seen).toEqual([true]);
    expect(await channel.nextAsk(0)).toBeNull();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(states(events)).toContain('answered');
    expect(states(events)).not.toContain('timeout');
  });

  it('whose signal aborts is interrupted: nobody refused, and the words that come later are kept', async () => {
    const { channel, events } = open();
    const stop = new AbortController();
    const asked = channel.ask('a?', null, { signal: stop.signal });
    stop.abort(new Error('turn stopped'));
    await expect(asked).rejects.toThrow('turn stopped');
    expect(states(events)).toEqual(['asked', 'interrupted']);
    expect(channel.pending()).toEqual([]);
    expect(channel.answer('q1', 'yes')).toBe(false);
    expect(channel.mail.map((mail) => mail.text)).toEqual(['A late answer to the question "a?":\nyes']);
    await expect(channel.ask('b?', null, { signal: stop.signal })).rejects.toThrow('turn stopped');
    expect(channel.asks).toHaveLength(1);
  });

  it('has one outcome whatever happens in whatever order', async () => {
    const act = fc.oneof(
      fc.record({ do: fc.constant('ask' as const), blank: fc.boolean(), limit: fc.constantFrom(null, 0, 3) }),
      fc.record({
        do: fc.constant('settle' as const),
        by: fc.constantFrom('answer', 'decline'),
        id: fc.integer({ min: 0, max: 6 }),
      }),
      fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 3 }) }),
      fc.record({ do: fc.constantFrom('close' as const, 'pull' as const, 'abort' as const) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 20 }), fc.constantFrom(null, 0, 2), async (acts, maxAsks) => {
        const { channel, events } = open({ maxAsks });
        const stop = new AbortController();
        const asked: Promise<Ask | null>[] = [];
        const pulled: Ask[] = [];
        const decided = new Map<string, number>();
        for (const step of acts) {
          if (step.do === 'ask') {
            const how = { timeoutS: step.limit, signal: stop.signal };
            asked.push(channel.ask(step.blank ? ' ' : 'a?', null, how).catch(() => null));
          } else if (step.do === 'pass') await vi.advanceTimersByTimeAsync(step.seconds * 1000);
          else if (step.do === 'close') channel.close('gone');
          else if (step.do === 'abort') stop.abort(new Error('stopped'));
          else if (step.do === 'pull') pulled.push(...[await channel.nextAsk(0)].filter((ask) => ask !== null));
          else if (step.do === 'settle') {
            const id = `q${step.id}`;
            const took = step.by === 'answer' ? channel.answer(id, 'yes') : channel.decline(id);
            if (took) decided.set(id, (decided.get(id) ?? 0) + 1);
          }
        }
        channel.close();
        await Promise.all(asked);
        for (const ask of channel.asks) {
          const own = events.filter((event) => event.raw === ask).map((event) => event.payload.state);
          expect(own.filter((state) => state !== 'asked')).toEqual([ask.state]);
          expect(own.length).toBeLessThanOrEqual(2);
          expect(decided.get(ask.id) ?? 0).toBeLessThanOrEqual(1);
          if (ask.state === 'answered') expect([ask.answer, decided.get(ask.id)]).toEqual(['yes', 1]);
        }
        expect(new Set(pulled).size).toBe(pulled.length);
        expect(channel.pending()).toEqual([]);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 200 },
    );
  });
});

describe('callbacks of a UI', () => {
  it('that throw or reject change nothing (case 4, R10.27)', async () => {
    const { channel } = open({
      onEvent: () => {
        throw new Error('screen gone');
      },
    });
    channel.listen(async () => {
      throw new Error('socket gone');
    });
    const asked = channel.ask('a?');
    channel.answer('q1', 'yes');
    expect((await asked).answer).toBe('yes');
    await vi.advanceTimersByTimeAsync(0);
    expect(channel.uiErrors.toSorted()).toEqual([
      'Error: screen gone',
      'Error: screen gone',
      'Error: socket gone',
      'Error: socket gone',
    ]);
  });

  it('need not be there', async () => {
    const channel = new HumanChannel({ onEvent: null, timeoutS: 0 });
    expect((await channel.ask('a?')).state).toBe('timeout');
  });

  it('hear everything after the listeners, until these are taken away', () => {
    const heard: string[] = [];
    const { channel } = open({ onEvent: () => heard.push('screen') });
    const stop = channel.listen(() => heard.push('log'));
    channel.send('a');
    stop();
    channel.send('b');
    expect(heard).toEqual(['log', 'screen', 'screen']);
  });
});

describe('nextAsk', () => {
  it('gives questions that still wait, each once, in order (case 5, R10.30)', async () => {
    const { channel } = open();
    const waiting = channel.nextAsk();
    const all = [channel.ask('a?'), channel.ask('b?'), channel.ask('c?')];
    expect((await waiting)?.id).toBe('q1');
    channel.answer('q2', 'pushed');
    expect((await channel.nextAsk(0))?.id).toBe('q3');
    const none = channel.nextAsk(5);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await none).toBeNull();
    channel.close();
    await Promise.all(all);
  });

  it('ends when the channel is closed', async () => {
    const { channel } = open();
    const waiting = channel.nextAsk();
    channel.close();
    expect([await waiting, await channel.nextAsk()]).toEqual([null, null]);
  });

  it('leaves a question to the next call after its own time is over', async () => {
    const { channel } = open();
    const given = channel.nextAsk(1);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await given).toBeNull();
    const asked = channel.ask('a?');
    expect((await channel.nextAsk(0))?.id).toBe('q1');
    channel.close();
    await asked;
  });
});

describe('close (case 11, R10.34)', () => {
  it('declines what is open and lets nothing wait any more', async () => {
    const { channel, events } = open();
    const asked = channel.ask('a?');
    channel.close('gone');
    expect(await asked).toMatchObject({
      state: 'declined',
      answer: `${text('reply.declined', {}, 'en')} (They said: gone)`,
    });
    events.length = 0;
    expect((await channel.ask('b?', null, { timeoutS: null, default: 'x' })).answer).toContain('Your default holds: x');
    expect(states(events)).toEqual(['timeout']);
    expect(channel.closed).toBe(true);
    expect(channel.send('still here')?.text).toBe('still here');
  });
});

describe('mail', () => {
  it('is in the file and in the inbox, once (case 6)', () => {
    const brief = join(temporary(), 'notes', 'brief.md');
    const { channel, events } = open({ amendPath: brief });
    channel.send('use port 8081');
    channel.send('# no logo');
    expect(channel.send('  \n')).toBeNull();
    const written = readFileSync(brief, 'utf8');
    expect(written).toMatch(
      /^# Additions made during the run\n\n## Added during the run \(\d\d:\d\d:\d\d\)\nuse port 8081\n\n## Added during the run \(\d\d:\d\d:\d\d\)\n # no logo\n$/,
    );
    const words = channel.mailText(channel.take());
    expect(words).toContain('1. use port 8081\n2. # no logo');
    expect(words).toContain(text('inbox.amended', {}, 'en'));
    expect(channel.mailText(channel.take())).toBe(text('reply.noMail', {}, 'en'));
    expect(
      events.map((event) => [event.kind, event.text, event.payload.kind, event.payload.state, event.payload.id]),
    ).toEqual([
      ['ask', 'use port 8081', 'mail', 'queued', 'm1'],
      ['ask', '# no logo', 'mail', 'queued', 'm2'],
      ['ask', 'use port 8081', 'mail', 'delivered', 'm1'],
      ['ask', '# no logo', 'mail', 'delivered', 'm2'],
    ]);
    expect(events[0]?.payload.amended).toBe(brief);
  });

  it('says whether the brief is frozen yet, and is still in it when it is read (case 6, R10.41, D3.7)', () => {
    const path = join(temporary(), 'brief.md');
    const { channel } = open({ amendPath: path });
    expect(channel.send('no logo')).toMatchObject({ kept: 'until_frozen', amended: true });
    expect(channel.send('port 8081')?.kept).toBe('until_frozen');

    const brief = Brief.parse(
      '## Goal\na\n\n## Acceptance criteria\nb\n\n## Boundaries\nc\n\n## Unknowns and assumptions\nd',
    );
    brief.write(path);
    expect(channel.send('port 8082')).toMatchObject({ kept: 'appended', amended: true });
    const read = Brief.load(path);
    expect([read?.complete(), read?.edited, read?.unknowns]).toEqual([
      true,
      false,
      expect.stringContaining('port 8082'),
    ]);
  });

  it.each([
    ['no_brief', null, undefined],
    ['failed', unwritable(), expect.stringContaining('ENOTDIR')],
  ] as const)('D3.6: that no file holds says so, and why: %s (case 6, R10.41)', (kept, amendPath, why) => {
    const { channel, events } = open({ amendPath });
    const mail = channel.send('use port 8081');
    expect([mail?.kept, mail?.amended, events[0]?.payload.amended]).toEqual([kept, false, '']);
    expect(events[0]?.payload.why).toEqual(why);
    expect(channel.mailText(channel.take())).toContain(text('inbox.notAmended', {}, 'en'));
  });

  it('shares its counter with the questions (R10.22)', async () => {
    const { channel } = open({ timeoutS: 0 });
    await channel.ask('a?');
    expect(channel.send('b')?.id).toBe('m2');
    expect((await channel.ask('c?')).id).toBe('q3');
  });

  it('can be taken by urgency', () => {
    const { channel } = open();
    channel.send('ordinary');
    channel.send('urgent', { workers: true });
    expect(channel.take({ workers: true }).map((mail) => mail.text)).toEqual(['urgent']);
    expect(channel.pendingMail().map((mail) => mail.text)).toEqual(['ordinary']);
  });

  it('that is on its way is given to nobody else and counts as delivered when it has arrived (R10.44)', () => {
    const { channel, events } = open();
    channel.send('a');
    const lost = channel.reserve();
    channel.send('b');
    expect(channel.take().map((mail) => mail.text)).toEqual(['b']);
    expect(channel.reserve()).toEqual([]);
    channel.release(lost);
    const arrived = channel.reserve();
    expect(channel.take({ reserved: arrived }).map((mail) => mail.text)).toEqual(['a']);
    expect(channel.take({ reserved: arrived })).toEqual([]);
    expect(events.filter((event) => event.payload.state === 'delivered').map((event) => event.text)).toEqual([
      'b',
      'a',
    ]);
  });

  it('of 1 MB arrives whole', () => {
    const { channel } = open();
    const long = '文'.repeat(350_000);
    channel.send(long);
    expect(channel.mailText(channel.take())).toContain(long);
  });

  it('waits in the mailbox over a restart, and ids go on behind it (case 14, R10.46)', () => {
    const mailbox = memoryMailbox();
    const first = open({ mailbox }).channel;
    first.send('a');
    first.send('b');
    first.take({ reserved: first.mail.slice(0, 1) });

    const { channel } = open();
    channel.send('said before the mailbox was there');
    channel.mailbox = mailbox;
    expect(channel.mail.map((mail) => [mail.id, mail.text])).toEqual([
      ['m2', 'b'],
      ['m3', 'said before the mailbox was there'],
    ]);
    expect(mailbox.untaken().map((mail) => mail.id)).toEqual(['m2', 'm3']);
    channel.mailbox = mailbox;
    expect(channel.mail).toHaveLength(2);
    channel.take();
    expect(mailbox.untaken()).toEqual([]);
    expect(channel.send('c')?.id).toBe('m4');
  });

  it('keeps apart from the brief what was added to it, over a restart', () => {
    const mailbox = memoryMailbox();
    const path = join(temporary(), 'brief.md');
    const first = open({ amendPath: path }).channel;
    expect(open({}).channel.amendments).toBeNull();
    first.note('Before any run.');
    first.mailbox = mailbox;
    first.send('During one.\n## Added during the run (09:00:00)\nstill mine');
    open({ amendPath: path }).channel.note('By somebody else.');
    const said = first.amendments?.map((amendment) => amendment.replace(/^.*\n/, ''));
    expect(said).toEqual(['Before any run.', 'During one.\n ## Added during the run (09:00:00)\nstill mine']);
    const second = open({ amendPath: path }).channel;
    second.note('When waking.');
    second.mailbox = mailbox;
    expect(second.amendments).toEqual([...(first.amendments ?? []), expect.stringMatching(/When waking\.$/)]);
    expect(amendmentsOf(readFileSync(path, 'utf8'))).toHaveLength(4);

    const refused = open({ amendPath: unwritable(), mailbox }).channel;
    expect(refused.amend('Lost.')).toBe(false);
    expect(refused.amendments).toEqual([]);
  });

  it('keeps it before the file has it, so that a kill in between does not make a stranger of the person', () => {
    const path = join(temporary(), 'brief.md');
    const seen: boolean[] = [];
    const mailbox = { ...memoryMailbox(), saveAmendments: () => void seen.push(existsSync(path)) };
    open({ amendPath: path, mailbox }).channel.note('Words.');
    expect(seen).toEqual([false, false]);
    expect(existsSync(path)).toBe(true);
  });

  it('survives in memory when the mailbox breaks', () => {
    const broken: Mailbox = {
      ...memoryMailbox(),
      save: () => {
        throw new Error('disk full');
      },
    };
    const { channel } = open({ mailbox: broken });
    channel.send('a');
    expect(channel.take().map((mail) => mail.text)).toEqual(['a']);
    expect(channel.uiErrors[0]).toContain('disk full');
  });
});

describe('amend (R10.50)', () => {
  const frozen = (body: string) => `<!-- flower sha256=${createHash('sha256').update(body).digest('hex')} -->\n${body}`;

  it('renews the hash of a frozen file with every block, and changes nothing above it (case 6, Z86)', () => {
    const path = join(temporary(), 'brief.md');
    const body = '# Requirement brief\n\n## Goal\nserve hello';
    writeFileSync(path, frozen(body));
    const { channel } = open({ amendPath: path });
    expect([channel.amend('first'), channel.amend('second', { label: 'Added on waking' })]).toEqual([true, true]);
    const content = readFileSync(path, 'utf8');
    const rest = content.slice(content.indexOf('\n') + 1);
    expect(content).toBe(frozen(rest));
    expect(rest.replace(/\d\d:\d\d:\d\d/g, 'T')).toBe(
      `${body}\n\n## Added during the run (T)\nfirst\n\n## Added on waking (T)\nsecond\n`,
    );
  });

  it('leaves a hash wrong that somebody else has made wrong, so that the edit is still seen (Z31)', () => {
    const path = join(temporary(), 'brief.md');
    writeFileSync(path, `${frozen('# Goal\n')}edited\n`);
    open({ amendPath: path }).channel.amend('words');
    expect(unsealed(readFileSync(path, 'utf8'))).toMatchObject({
      edited: true,
      body: expect.stringContaining('\nwords\n'),
    });
  });

  it('gives no hash to a file that has none', () => {
    const path = join(temporary(), 'brief.md');
    writeFileSync(path, '# mine\n');
    open({ amendPath: path }).channel.amend('words');
    expect(readFileSync(path, 'utf8')).toMatch(/^# mine\n\n## /);
  });

  it('writes the heading of its locale', () => {
    const path = join(temporary(), 'brief.md');
    open({ amendPath: path, locale: 'zh' }).channel.amend('端口用 8081');
    expect(readFileSync(path, 'utf8')).toMatch(/^# 运行中的补充\n\n## 运行中补充\(\d\d:\d\d:\d\d\)\n端口用 8081\n$/);
  });

  it('is false without a path, for blank words and when writing fails', () => {
    expect(open().channel.amend('a')).toBe(false);
    expect(open({ amendPath: unwritable() }).channel.amend('a')).toBe(false);
    expect(open({ amendPath: join(temporary(), 'brief.md') }).channel.amend(' ')).toBe(false);
  });
});

describe('the log (R10.51)', () => {
  it('has every question and every delivered mail (case 7)', async () => {
    const logPath = join(temporary(), 'notes', 'qa-log.md');
    const { channel } = open({ logPath });
    const asked = channel.ask('Which port?\nWe have two.', ['80', '8080']);
    channel.answer('q1', '8080');
    await asked;
    channel.send('no logo');
    channel.take();
    expect(readFileSync(logPath, 'utf8')).toBe(
      [
        '# Questions and answers',
        '',
        '> Appended automatically. Never part of a context; kept for the record.',
        '',
        '- **Q**(q1) Which port?',
        '    We have two.',
        '  - Options: 80 / 8080',
        '  - **A**[answered] 8080',
        '',
        '- **said unasked**(m2) no logo',
        '',
      ].join('\n'),
    );
  });

  it('that cannot be written harms nothing (case 7)', async () => {
    const { channel } = open({ logPath: unwritable(), timeoutS: 0 });
    expect((await channel.ask('a?')).state).toBe('timeout');
    expect(channel.uiErrors).toEqual([]);
  });

  it('and the brief have the words of an interrupt, the inbox has not (case 15, R10.47, D4.11)', () => {
    const folder = temporary();
    const { channel } = open({ amendPath: join(folder, 'brief.md'), logPath: join(folder, 'log.md') });
    expect([channel.note('stop that'), channel.note(' ')]).toEqual([true, false]);
    expect(readFileSync(join(folder, 'brief.md'), 'utf8')).toContain('stop that');
    expect(readFileSync(join(folder, 'log.md'), 'utf8')).toContain('- **said unasked**(n1) stop that');
    expect([channel.mail, channel.pendingMail()]).toEqual([[], []]);
  });

  it('reads as a transcript (R10.52)', async () => {
    const { channel } = open({ timeoutS: 0, timeoutText: 'nobody' });
    const asked = channel.ask('a?', null, { timeoutS: null });
    channel.answer('q1', 'yes');
    await asked;
    await channel.ask('b?');
    expect(channel.transcript()).toBe('- Q: a?\n  A: [answered] yes\n- Q: b?\n  A: [timeout] nobody');
  });
});

describe('C35: a question when no one is there', () => {
  it('1: is answered by an explicit note after its time, never by an empty or invented answer', async () => {
    const { channel } = open({ timeoutS: 5 });
    const asked = channel.ask('Keep or delete the 3 unstaged files?', ['keep', 'delete']);
    await vi.advanceTimersByTimeAsync(4999);
    expect(channel.pending()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    const { state, answer } = await asked;
    expect(state).toBe('timeout');
    expect(answer).toMatch(/^Nobody answered/);
    expect(answer).not.toMatch(/keep|delete/);
  });

  it('2: waits for ever without a limit, in sight of every UI, and not at all with 0', async () => {
    const { channel, events } = open({ timeoutS: null });
    const asked = channel.ask('Keep or delete?', ['keep', 'delete']);
    await vi.advanceTimersByTimeAsync(7 * 86_400_000);
    expect([channel.pending().length, states(events)]).toEqual([1, ['asked']]);
    channel.answer('q1', 'keep');
    expect((await asked).answer).toBe('keep');
    channel.timeoutS = 0;
    expect((await channel.ask('Keep or delete?', ['keep', 'delete'])).state).toBe('timeout');
  });

  it('3: an answer that is sent after the time is not lost', async () => {
    const { channel } = open({ timeoutS: 5 });
    const asked = channel.ask('Keep or delete?', ['keep', 'delete']);
    await vi.advanceTimersByTimeAsync(9000);
    expect(channel.answer('q1', 'keep')).toBe(false);
    expect((await asked).state).toBe('timeout');
    expect(channel.mailText(channel.take())).toContain('A late answer to the question "Keep or delete?":\nkeep');
  });

  it('4: answer and silence stay with their own question', async () => {
    const { channel } = open({ timeoutS: 5 });
    const both = [channel.ask('first?'), channel.ask('second?')];
    channel.answer('q1', 'yes');
    await vi.advanceTimersByTimeAsync(5000);
    expect((await Promise.all(both)).map((ask) => [ask.question, ask.state])).toEqual([
      ['first?', 'answered'],
      ['second?', 'timeout'],
    ]);
  });

  it.each(['', '   ', '\n\t'])('6: a blank answer (%j) is no consent', async (blank) => {
    const { channel } = open();
    const asked = channel.ask('Delete all?', ['yes', 'no']);
    expect(channel.answer('q1', blank)).toBe(true);
    expect(await asked).toMatchObject({ state: 'declined', answer: text('reply.declined', {}, 'en') });
  });

  it.each(['x'.repeat(1_000_000), 'one\ntwo\r\nthree'])(
    '6: a long answer and one of several lines arrive as they are',
    async (words) => {
      const { channel } = open();
      const asked = channel.ask('a?');
      channel.answer('q1', words);
      expect((await asked).answer).toBe(words);
    },
  );

  it('7: a sleeping machine uses up none of the time, wherever the clock of its timers stood meanwhile', async () => {
    const { channel } = open({ timeoutS: 40 * 60 });
    const asked = channel.ask('a?');
    await vi.advanceTimersByTimeAsync(10 * 60_000);
    vi.setSystemTime(Date.now() + 3_600_000);
    await vi.advanceTimersByTimeAsync(29 * 60_000);
    expect(channel.pending()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect((await asked).state).toBe('timeout');
  });
});

describe('C37: a timeout is neither a no nor a yes', () => {
  it('1, 2, 3, 4: each outcome has its own text for the model and its own record, and none implies consent', async () => {
    const logPath = join(temporary(), 'log.md');
    const { channel } = open({ maxAsks: 3, logPath });
    const stop = new AbortController();
    const stopped = channel
      .ask('npm publish --dry-run?', ['yes'], { signal: stop.signal })
      .catch((error: Error) => error.message);
    stop.abort(new Error('stopped'));
    const refused = channel.ask('npm publish --dry-run?', ['yes']);
    channel.decline('q2', 'use the staging registry');
    const silent = await channel.ask('npm publish --dry-run?', ['yes'], { timeoutS: 0 });
    const byRule = await channel.ask('npm publish --dry-run?', ['yes']);

    expect(await stopped).toBe('stopped');
    const texts = [(await refused).answer, silent.answer, byRule.answer];
    expect(new Set(texts).size).toBe(3);
    expect(texts.filter((words) => words.includes('use the staging registry'))).toEqual([texts[0]]);
    expect(silent.answer).not.toMatch(/person|they|declin|refus|skipp/i);
    for (const words of texts) expect(words).not.toMatch(/\b(yes|approved|agreed|allowed|ok)\b/i);
    const log = readFileSync(logPath, 'utf8');
    expect(log.match(/\*\*A\*\*\[\w+\]/g)).toEqual(
      ['interrupted', 'declined', 'timeout', 'over_budget'].map((s) => `**A**[${s}]`),
    );
  });
});

describe('wrong options', () => {
  it.each([
    [{ maxAsks: -1 }, /maxAsks must be null or a whole number from 0, got -1/],
    [{ maxAsks: 1.5 }, /maxAsks/],
    [{ timeoutS: Number.NaN }, /timeoutS must be null or a finite number of seconds, got NaN/],
  ])('%j throw a TypeError that names the option', (options, message) => {
    expect(() => new HumanChannel(options)).toThrow(TypeError);
    expect(() => new HumanChannel(options)).toThrow(message);
  });
});

/** A mailbox like the inbox table: it gives copies, never the objects it was given. */
function memoryMailbox(): Mailbox {
  const rows = new Map<string, Mail>();
  const added = new Map<string, readonly string[]>();
  return {
    untaken: () => [...rows.values()].filter((mail) => !mail.taken).map((mail) => new Mail({ ...mail })),
    save: (mail) => void rows.set(mail.id, new Mail({ ...mail })),
    lastId: () => Math.max(0, ...[...rows.keys()].map((id) => Number(id.slice(1)))),
    amendments: (path) => added.get(path) ?? null,
    saveAmendments: (path, amendments) => void added.set(path, amendments),
  };
}
