import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { unsealed } from '../../src/documents/seal.js';
import { call, fail, type Script, say, turns } from '../../src/sim/index.js';
import { GuardedWork, rules } from '../support/guardedWork.js';

let work: GuardedWork;
afterEach(async () => {
  expect(work.faults).toEqual([]);
  await work.remove();
});

const dispatch = (command: string) =>
  turns([
    call('Agent', { subagent_type: 'coder', description: 'work', prompt: `Run: ${command}` }),
    say('All of it is done.'),
  ]);
const obeys: Script = turns([
  ({ prompt }) => call('Bash', { command: prompt.slice('Run: '.length), description: 'as told' }),
  say('Conclusion: done.'),
]);

/** Whoever says "done" is not the one who decides it. */
describe('a round that is not good enough', () => {
  it('is sent back with what is missing, twice, and passes when it is there', async () => {
    work = GuardedWork.clarified();
    const file = join(work.workspace, 'hello.txt');
    const run = await work.run('', {
      coordinator: (request) => {
        const command = request.prompt.includes('no greeting')
          ? 'echo hello > hello.txt'
          : request.prompt.includes('no file')
            ? 'touch hello.txt'
            : 'true';
        return dispatch(command)(request);
      },
      worker: obeys,
      judge: (request) => {
        if (request.turn === 0)
          return call('Write', { file_path: file, content: 'hello' }).call('Bash', { command: `echo hello > ${file}` });
        const reason = !existsSync(file) ? 'no file' : readFileSync(file, 'utf8') === '' ? 'no greeting' : '';
        const item = { number: 1, state: reason ? 'failed' : 'met', evidence: reason || 'hello.txt: hello' };
        return request.turn === 1 ? call('mcp__flower__submit_verdict', { items: [item], reason }) : say('Handed in.');
      },
    });
    expect(run.ctx._outcome).toEqual({ ended: 'finished', claimed: true, verified: 'achieved', reason: '' });
    const [first, second, third] = run.prompts('coordinator');
    expect(first).not.toContain('no file');
    expect(second).toMatch(/no file[\s\S]*carry on/);
    expect(third).toMatch(/no greeting[\s\S]*carry on/);
    // Each judge is a new session, which has not seen the others, and wrote nothing.
    const judges = run.requests.filter(({ tools }) => tools.includes('mcp__flower__submit_verdict'));
    expect(new Set(judges.map(({ session }) => session)).size).toBe(3);
    expect(
      judges.filter(({ turn }) => turn === 1).every(({ results }) => results.every(({ isError }) => isError)),
    ).toBe(true);
    expect(run.prompts('judge')[1]).toContain('- `touch hello.txt`: ended well');
    expect(run.prompts('judge')[1]).not.toContain('no file');
  });

  it('ends the run when the rounds are used up', async () => {
    work = GuardedWork.clarified();
    const run = await work.run(
      '',
      { coordinator: dispatch('true'), worker: obeys, judge: rules(['failed'], 'no file') },
      { rounds: 1 },
    );
    expect(run.ctx._outcome).toEqual({ ended: 'failed', claimed: true, verified: 'not_yet', reason: 'no file' });
    expect(run.prompts('coordinator')).toHaveLength(1);
  });

  it('is not paid for a third time when two failed alike and changed nothing, and a person can say on', async () => {
    work = GuardedWork.clarified();
    const idle = { coordinator: turns([say('Done, I am sure.')]), judge: rules(['failed'], 'no file') };
    const alone = await work.run('', idle, { rounds: 5 });
    expect(alone.prompts('coordinator')).toHaveLength(2);
    expect(alone.ctx._outcome).toMatchObject({ ended: 'aborted', verified: 'not_yet' });
    expect(alone.ctx._aborted).toContain('hello.txt says hello');
    const person = await work.run('', idle, { rounds: 2, answers: ['look into /tmp', 'look into /tmp'] });
    expect(person.questions[0]).toContain('failed at the same items');
    expect(person.prompts('coordinator')[1]).toContain('look into /tmp');
  });

  it('is not counted against the work when it is the judge that broke', async () => {
    work = GuardedWork.clarified();
    const run = await work.run('', { coordinator: turns([say('Done.')]), judge: () => fail(401) }, { rounds: 3 });
    expect(run.ctx._outcome).toMatchObject({ ended: 'aborted', claimed: true, verified: 'not_judged' });
    expect(run.prompts('coordinator')).toHaveLength(1);
  });
});

describe('a goal that cannot be verified here', () => {
  const scripts = {
    coordinator: turns([say('Done, but there is no Mac.')]),
    judge: rules(['unverifiable'], 'there is no Mac'),
  };

  it('goes to the person, who accepts', async () => {
    work = GuardedWork.clarified();
    const run = await work.run('', scripts, { answers: ['accept'] });
    expect(run.questions).toEqual([expect.stringContaining('there is no Mac')]);
    expect(run.ctx._outcome).toMatchObject({ ended: 'finished', claimed: true, verified: 'accepted' });
    expect(readFileSync(join(work.notes, 'report.md'), 'utf8')).toContain(
      'accepted by a person, not verified as achieved',
    );
  });

  it('or changes the goal: both texts count from then on', async () => {
    work = GuardedWork.clarified();
    const judge: Script = (request) =>
      (request.messages.some((message) => JSON.stringify(message).includes('Linux will do'))
        ? rules(['met'])
        : scripts.judge)(request);
    const run = await work.run('', { ...scripts, judge }, { answers: ['2', 'Linux will do'] });
    expect(run.ctx._outcome?.verified).toBe('achieved');
    expect(run.prompts('coordinator')[1]).toContain('Linux will do');
    const file = readFileSync(work.goalPath, 'utf8');
    expect(file).toMatch(/hello\.txt is there[\s\S]*Linux will do/);
    expect(unsealed(file).edited).toBe(false);
  });

  it('or says that the judge is mistaken, in words that reach the work', async () => {
    work = GuardedWork.clarified();
    const words = 'the build server is a Mac';
    const run = await work.run('', scripts, { rounds: 2, answers: [words, words, '1'] });
    expect(run.prompts('coordinator')[1]).toContain(words);
    expect(run.ctx._outcome?.verified).toBe('accepted');
  });

  it('or is not there, which ends the run before another round is paid for', async () => {
    work = GuardedWork.clarified();
    const run = await work.run('', scripts, { rounds: 5 });
    expect(run.prompts('coordinator')).toHaveLength(1);
    expect(run.ctx._outcome).toMatchObject({ ended: 'aborted', verified: 'unreachable' });
    expect(run.ctx._aborted).toMatch(/nobody answered/);
  });
});

describe('a worker that edits the checklist', () => {
  it('is told on by the hash: to the person, and to the judge with what it took out', async () => {
    work = GuardedWork.clarified(['hello.txt says hello', 'hello.txt is signed']);
    const run = await work.run(
      '',
      {
        coordinator: dispatch(`sed -i '/signed/d' .flower/notes/goal.md`),
        worker: obeys,
        judge: rules(['met']),
      },
      { rounds: 1 },
    );
    const [prompt = ''] = run.prompts('judge');
    expect(prompt).toContain('was changed after it was frozen');
    expect(prompt).toContain("- `sed -i '/signed/d' .flower/notes/goal.md`: ended well");
    expect(run.events.filter(({ payload }) => payload.frozen_edited)).toHaveLength(1);
    expect(readFileSync(join(work.notes, 'report.md'), 'utf8')).toContain(
      'was changed after it was frozen, past flower',
    );
  });
});
