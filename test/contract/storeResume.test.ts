import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Options, SDKMessage, SessionStoreEntry, SpawnedProcess } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, type Reply, reset, type Script, type Sim, say, startSim, think } from '../../src/sim/index.js';
import { PrunePolicy } from '../../src/store/prunePolicy.js';
import { PruningSessionStore } from '../../src/store/pruningSessionStore.js';
import { type CleanHarness, cleanHarness, type HarnessRun } from '../support/cleanHarness.js';
import { assistant, bash, result, text, user } from '../support/storeTranscripts.js';

/** Fixed, so that a session is found again from another folder. */
const projectKey = 'project';
const tools: Options = { tools: ['Bash', 'Read'], allowedTools: ['Bash', 'Read'] };

let folder: string;
let store: PruningSessionStore;
let open: (Sim | CleanHarness)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flower-resume-'));
  open = [];
  const prune = new PrunePolicy({ orphanText: '[again]', orphanUnknownText: '[unknown]', interruptText: '[cut]' });
  store = new PruningSessionStore(join(folder, 'sessions.db'), folder, { prune });
});

afterEach(async () => {
  for (const one of open) await ('remove' in one ? one.remove() : one.close());
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A model and the real program with a config folder that nothing is in. */
async function fresh(script: Script): Promise<{ sim: Sim; harness: CleanHarness }> {
  const sim = await startSim({ script });
  const harness = cleanHarness(sim.url, { CLAUDE_CODE_PROJECT_DIR_NAME: projectKey, CLAUDE_CODE_MAX_RETRIES: '0' });
  open.push(sim, harness);
  return { sim, harness };
}

const withStore = (): Options => ({ ...tools, sessionStore: store, sessionStoreFlush: 'eager' });

/** Resumes in an empty config folder and gives what the model was sent. */
async function resume(sessionId: string, prompt = 'go on', script: Script = () => say('Resumed.')) {
  const { sim, harness } = await fresh(script);
  const run = await harness.run(prompt, { ...withStore(), resume: sessionId });
  expect(run.error).toBeUndefined();
  expect(run.result).toMatchObject({ is_error: false });
  const report = { ...store.lastReport };
  const sent = conversation(sim);
  const messages = sent.filter((line, i) => line !== ownLine || i < sent.length - 2);
  return { messages, report, sim };
}

/** What the program itself puts behind a history that ends with words to the model, anew at each resume. */
const ownLine = 'assistant No response requested.';

/** The messages of the first request, one line a block. System messages and what the program tells of the place are left out. */
function conversation(sim: Sim): string[] {
  const { messages } = sim.requests.find(({ kind }) => kind === 'message') ?? { messages: [] };
  return messages
    .filter(({ role }) => role !== 'system')
    .flatMap(({ role, content }) => {
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      return blocks.map((block) => `${role} ${wordsOf(block)}`.trim());
    })
    .filter((line) => !line.includes('<system-reminder>'));
}

function wordsOf(block: object): string {
  const { type, text: words, thinking, id, tool_use_id, content } = block as Record<string, unknown>;
  if (type === 'tool_use') return `calls ${id}`;
  if (type === 'tool_result') return `result ${tool_use_id}: ${content}`;
  return `${words ?? thinking}`;
}

/** Starts a run whose process can be ended, and gives what it is doing. */
function begin(harness: CleanHarness, prompt: string, options: Options = {}) {
  let child: ReturnType<typeof spawn> | undefined;
  const running = harness.query(prompt, {
    ...withStore(),
    spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) => {
      child = spawn(command, args, { cwd, env: env as NodeJS.ProcessEnv, signal, stdio: ['pipe', 'pipe', 'ignore'] });
      return child as unknown as SpawnedProcess;
    },
    ...options,
  });
  const messages: SDKMessage[] = [];
  const ended = (async () => {
    try {
      for await (const message of running) messages.push(message);
    } catch {
      // An error result is thrown again at the end.
    }
  })();
  return { running, messages, ended, kill: () => child?.kill('SIGKILL') };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('it did not come true');
}

async function stored(): Promise<{ sessionId: string; entries: SessionStoreEntry[] }> {
  const [session] = (await store.listSessions?.(projectKey)) ?? [];
  const sessionId = session?.sessionId ?? '';
  return { sessionId, entries: (await store.inner.load({ projectKey, sessionId })) ?? [] };
}

const isStored = async (words: string) => JSON.stringify((await stored()).entries).includes(words);
const replies =
  (list: readonly (Reply | Script)[]): Script =>
  (request) => {
    const reply = list[request.turn] ?? say('Out of script.');
    return typeof reply === 'function' ? reply(request) : reply;
  };

it('every entry of a run reaches the store while it goes on, if the config folder is named in the environment', async () => {
  const { harness } = await fresh(
    replies([think('Look.').call('Bash', { command: 'echo hi' }, 'toolu_1'), say('Done.')]),
  );
  const { result } = await harness.run('Look', withStore());
  const { sessionId, entries } = await stored();
  expect(sessionId).toBe(result?.session_id);
  expect(entries.map(({ type }) => type)).toEqual(
    expect.arrayContaining(['user', 'assistant', 'attachment', 'cost-state']),
  );
  expect(await isStored('toolu_1')).toBe(true);
  expect(await store.lastContext(projectKey, sessionId)).toBeGreaterThan(0);
  expect(await store.listSessionSummaries?.(projectKey)).toMatchObject([{ data: { firstPrompt: 'Look' } }]);
});

it('without the config folder in its environment nothing reaches the store, and nobody is told', async () => {
  const { harness } = await fresh(replies([say('Done.')]));
  const run = await harness.run('Look', { ...withStore(), env: { CLAUDE_CONFIG_DIR: undefined } });
  expect(run.result).toMatchObject({ subtype: 'success' });
  expect(run.messages.filter((message) => message.type === 'system' && message.subtype === 'mirror_error')).toEqual([]);
  expect((await stored()).entries).toEqual([]);
});

describe('a session resumes from the store with an empty config folder', () => {
  /** Bash keeps running when its parent is killed. */
  const slow = (harness: CleanHarness) => `echo $$ > ${harness.cwd}/pid; exec sleep 15`;
  const endSlow = (harness: CleanHarness) => {
    const file = join(harness.cwd, 'pid');
    if (existsSync(file)) process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  };

  it('that was killed in a tool call: the model is told that the outcome is unknown', async () => {
    let harness: CleanHarness;
    const script = replies([
      call('Bash', { command: 'echo one' }, 'toolu_1'),
      () =>
        think('Now.')
          .call('Bash', { command: 'git status' }, 'toolu_2')
          .call('Bash', { command: slow(harness) }, 'toolu_3'),
    ]);
    ({ harness } = await fresh(script));
    const run = begin(harness, 'Do it.');
    await until(async () => (await isStored('toolu_3')) && existsSync(join(harness.cwd, 'pid')));
    run.kill();
    await run.ended;
    endSlow(harness);

    const { sessionId } = await stored();
    const { messages, report } = await resume(sessionId);
    expect(messages).toEqual(
      expect.arrayContaining([
        'user Do it.',
        'user result toolu_1: one',
        'assistant calls toolu_3',
        'user result toolu_3: [unknown]',
        'user go on',
      ]),
    );
    expect(report.mended?.orphans).toBe(messages.filter((line) => /: \[(unknown|again)\]/.test(line)).length);
    expect(report.faults).toBeUndefined();

    const second = await resume(sessionId, 'and on');
    expect(second.messages).toEqual([...messages, 'assistant Resumed.', 'user and on']);
    expect(second.report.mended?.orphans).toBe(report.mended?.orphans);
  });

  it('that a person interrupted: the model is not told of a veto', async () => {
    let harness: CleanHarness;
    ({ harness } = await fresh(replies([() => call('Bash', { command: slow(harness) }, 'toolu_1')])));
    const run = begin(harness, 'Do it.');
    await until(() => existsSync(join(harness.cwd, 'pid')));
    await run.running.interrupt();
    await run.ended;

    const { messages } = await resume((await stored()).sessionId);
    expect(messages.filter((line) => line.includes('toolu_1'))).toEqual([
      'assistant calls toolu_1',
      'user result toolu_1: [unknown]',
    ]);
    expect(messages.join()).not.toContain("doesn't want to proceed");
  });

  it('that had calls refused: all but the last refusal are gone, the rest is whole', async () => {
    const { harness } = await fresh(
      replies([
        say('I try.').call('Bash', { command: 'rm a' }, 'toolu_1').call('Bash', { command: 'echo fine' }, 'toolu_2'),
        call('Bash', { command: 'rm b' }, 'toolu_3'),
        say('I could not.'),
      ]),
    );
    const refuse: Options['hooks'] = {
      PreToolUse: [
        {
          hooks: [
            async (input) =>
              'tool_input' in input && JSON.stringify(input.tool_input).includes('rm ')
                ? {
                    hookSpecificOutput: {
                      hookEventName: 'PreToolUse',
                      permissionDecision: 'deny',
                      permissionDecisionReason: 'not here',
                    },
                  }
                : {},
          ],
        },
      ],
    };
    await harness.run('Clean up.', { ...withStore(), hooks: refuse });
    const { messages } = await resume((await stored()).sessionId);
    expect(store.denialsDropped).toBe(1);
    expect(messages).toEqual([
      'user Clean up.',
      'assistant I try.',
      'assistant calls toolu_2',
      'user result toolu_2: fine',
      'assistant calls toolu_3',
      expect.stringContaining('not here'),
      'assistant I could not.',
      'user go on',
    ]);
  });

  it('whose network died: the failed words are put again, the error is not', async () => {
    const { harness } = await fresh(replies([call('Bash', { command: 'echo one' }, 'toolu_1'), reset()]));
    const run: HarnessRun = await harness.run('Do it.', withStore());
    expect(run.result).toMatchObject({ is_error: true });
    const { sessionId, entries } = await stored();
    expect(JSON.stringify(entries)).toContain('isApiErrorMessage');

    const { messages } = await resume(sessionId);
    expect(store.pruned).toBeGreaterThan(0);
    expect(messages).toEqual(['user Do it.', 'assistant calls toolu_1', 'user result toolu_1: one', 'user go on']);
  });
});

/** Puts entries into the store as a session of the program, with uuids in place of their short names. */
async function given(entries: readonly SessionStoreEntry[]): Promise<string> {
  const sessionId = randomUUID();
  const ids = new Map<unknown, string>();
  const idOf = (name: unknown) => {
    if (typeof name !== 'string') return name;
    const id = ids.get(name) ?? randomUUID();
    ids.set(name, id);
    return id;
  };
  const outer = {
    sessionId,
    cwd: '/w',
    version: '2.1.332',
    isSidechain: false,
    userType: 'external',
    timestamp: '2026-01-01T00:00:00.000Z',
  };
  const full = entries.map((entry) => ({
    ...outer,
    ...entry,
    uuid: idOf(entry.uuid),
    parentUuid: idOf(entry.parentUuid),
  }));
  await store.append({ projectKey, sessionId }, full as SessionStoreEntry[]);
  return sessionId;
}

describe('the program makes of a curated history what the store says of it', () => {
  const killed = [
    user('a1', null, [text('Count')]),
    assistant('a2', 'a1', 'msg_1', [bash('toolu_A', 'git status')]),
    assistant('a3', 'a2', 'msg_1', [bash('toolu_B', 'npm run migrate')]),
    user('a4', 'a2', [result('toolu_A', 'clean')]),
  ];
  const goOn = user('a5', 'a4', [text('words')]);
  const both = ['user Count', 'assistant calls toolu_A', 'assistant calls toolu_B', 'user result toolu_A: clean'];

  it.each([
    ['a call without a result at the end', killed, [...both, 'user result toolu_B: [unknown]']],
    ['one in the middle', [...killed, goOn], [...both, 'user result toolu_B: [unknown]', 'user words']],
    [
      'a result that came late, and what was said before it',
      [
        ...killed,
        goOn,
        user('a6', 'a3', [result('toolu_B', 'migrated')]),
        assistant('a7', 'a6', 'msg_2', [text('ok')]),
      ],
      [...both, 'user result toolu_B: migrated', 'user words', 'assistant ok'],
    ],
    [
      'a complete parallel call',
      [...killed, user('a5', 'a3', [result('toolu_B', 'migrated')]), assistant('a7', 'a5', 'msg_2', [text('ok')])],
      [...both, 'user result toolu_B: migrated', 'assistant ok'],
    ],
    [
      'results between the entries of one message',
      [
        killed[0],
        killed[1],
        user('r', 'a2', [result('toolu_A', 'clean')]),
        killed[2],
        user('s', 'a3', [result('toolu_B', 'x')]),
      ],
      [...both, 'user result toolu_B: x'],
    ],
    [
      'a history without its beginning',
      [assistant('a', 'gone', 'msg_1', [text('I did it.')]), user('b', 'a', [text('words')])],
      ['user [the beginning of this conversation is no longer in the record]', 'assistant I did it.', 'user words'],
    ],
    [
      'a result whose call is gone',
      [killed[0], user('r', 'a1', [result('gone', 'exit 0')]), assistant('a', 'r', 'msg_2', [text('ok')])],
      ['user Count', 'user [a tool result whose call is no longer in the record]\nexit 0', 'assistant ok'],
    ],
    [
      'blank texts',
      [
        killed[0],
        assistant('a', 'a1', 'msg_1', [text('')]),
        user('b', 'a', ' '),
        user('c', 'b', [text(''), text('words')]),
      ],
      ['user Count', 'user words'],
    ],
  ])('%s', async (_, entries, expected) => {
    const sessionId = await given(entries as SessionStoreEntry[]);
    const { messages } = await resume(sessionId);
    expect(messages).toEqual([...expected, 'user go on']);
  });

  it('lines that it wrote itself stay out of the history however often it is resumed', async () => {
    const synthetic = {
      message: { id: randomUUID(), role: 'assistant', model: '<synthetic>', content: [text('No response requested.')] },
    };
    const sessionId = await given([
      user('d6', null, [text('the open request')]),
      { ...assistant('d7', 'd6', 'x', []), ...synthetic, isApiErrorMessage: true },
      user('d8', 'd7', [text('continue')]),
      { ...assistant('d9', 'd8', 'x', []), ...synthetic },
      user('d10', 'd9', [text('Continue from where you left off.')], { isMeta: true }),
    ]);
    for (const n of [1, 2, 3]) {
      const { messages } = await resume(sessionId, `turn ${n}`);
      const open = ['user the open request', 'user continue', 'user Continue from where you left off.'];
      const turns = Array.from({ length: n - 1 }, (_, i) => [`user turn ${i + 1}`, 'assistant Resumed.']).flat();
      expect(messages).toEqual([...open, ...turns, `user turn ${n}`]);
      const loaded = await store.load({ projectKey, sessionId });
      expect(JSON.stringify(loaded)).not.toContain('<synthetic>');
    }
  });

  it('an image that is too large becomes a pointer to a file', async () => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(6 * 1024 * 1024) },
    };
    const sessionId = await given([user('a', null, [text('Look'), image]), assistant('b', 'a', 'm', [text('ok')])]);
    const { messages, report } = await resume(sessionId);
    expect(messages[1]).toMatch(
      /^user \[tool result archived: 6291456 characters, all of it in \.flower\/spill\/[0-9a-f]{16}\.png/,
    );
    expect(report.mended?.oversized).toBe(1);
  });
});
