import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSdkMcpServer, type HookCallbackMatcher, type Options, tool } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { delegateGuard } from '../../src/guards/delegateGuard.js';
import { failClosed } from '../../src/guards/failClosed.js';
import { isolated } from '../../src/guards/isolate.js';
import { mergeHooks } from '../../src/guards/mergeHooks.js';
import { whitelistGuard } from '../../src/guards/whitelistGuard.js';
import { workbenchHooks } from '../../src/guards/workbenchHooks.js';
import { workerStartHook } from '../../src/guards/workerStart.js';
import { byRole, call, type Script, type Sim, say, startSim, turns } from '../../src/sim/index.js';
import { Workbench } from '../../src/workbench/workbench.js';
import { type CleanHarness, cleanHarness } from '../support/cleanHarness.js';

let sim: Sim;
let harness: CleanHarness;
let workbench: Workbench;

async function start(script: Script, env: Record<string, string> = {}): Promise<void> {
  sim = await startSim({ script });
  harness = cleanHarness(sim.url, env);
  workbench = new Workbench(harness.cwd, { locale: 'en' }).ensure();
}

afterEach(async () => {
  await sim.close();
  harness.remove();
});

const inWork = (name: string) => join(harness.cwd, name);
const delegate = (prompt = 'Work') => ['Agent', { description: 'some work', prompt, subagent_type: 'coder' }] as const;
/** The text of the results that the model was given, one after the other. */
const seen = (thread: 'main' | 'worker' = 'main') =>
  sim.requests.filter((request) => request.thread === thread).flatMap((request) => request.results);

const coder = { description: 'codes', prompt: 'You code.', tools: ['Bash', 'Write', 'Read'] };
const everything: Options = {
  tools: ['Agent', 'Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob'],
  allowedTools: ['Agent', 'Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob'],
};

describe('the wall around a coordinator', () => {
  it('refuses hands-on work with what to do instead, lets a look through, and lets the worker work', async () => {
    await start(
      byRole({
        coordinator: turns([
          call('Bash', { command: 'echo x > made.txt' }),
          () => call('Write', { file_path: inWork('written.txt'), content: 'x' }),
          call('Bash', { command: 'ls -a 2>/dev/null | head -20; pwd' }),
          call(...delegate()),
          say('Done.'),
        ]),
        worker: turns([
          () => call('Write', { file_path: inWork('by-worker.txt'), content: 'w' }),
          call('Bash', { command: 'echo y > run.txt && cat run.txt' }),
          say('Wrote it.'),
        ]),
      }),
    );
    const { result } = await harness.run('Build it', {
      ...everything,
      agents: { coder },
      hooks: workbenchHooks(workbench, { allowGlance: true }),
    });
    expect(result?.subtype).toBe('success');
    const [bash, write, look, report] = seen();
    for (const refused of [bash, write]) {
      expect(refused).toMatchObject({ isError: true });
      for (const part of ['flower', 'Agent', '.flower/artifacts']) expect(refused?.text).toContain(part);
    }
    expect(bash?.text).toContain('>made.txt');
    expect(existsSync(inWork('made.txt')) || existsSync(inWork('written.txt'))).toBe(false);
    expect(look).toMatchObject({ isError: false, text: expect.stringContaining('.flower') });
    expect(report?.text).toContain('Wrote it.');
    expect(readFileSync(inWork('by-worker.txt'), 'utf8')).toBe('w');
    expect(seen('worker')[1]).toMatchObject({ isError: false, text: 'y' });
  });

  it('refuses the look too where glancing is not allowed', async () => {
    await start(turns([call('Bash', { command: 'ls' }), say('Done.')]));
    await harness.run('Look', { ...everything, hooks: { PreToolUse: [delegateGuard({ locale: 'en' })] } });
    expect(seen()[0]).toMatchObject({ isError: true, text: expect.stringContaining('subagent') });
  });
});

describe('the list of a role without workers', () => {
  it('a judge that may run runs, and cannot write', async () => {
    await start(
      turns([
        call('Bash', { command: 'echo ran > proof.txt; cat proof.txt' }),
        () => call('Write', { file_path: inWork('fix.txt'), content: 'x' }),
        say('Judged.'),
      ]),
    );
    const guard = whitelistGuard(['Read', 'Bash'], { role: 'judge', locale: 'en' });
    await harness.run('Judge', { ...everything, hooks: { PreToolUse: [guard as HookCallbackMatcher] } });
    const [ran, wrote] = seen();
    expect(ran).toMatchObject({ isError: false, text: 'ran' });
    expect(wrote).toMatchObject({ isError: true });
    for (const part of ['flower', 'judge', 'Write', 'intended']) expect(wrote?.text).toContain(part);
    expect(existsSync(inWork('fix.txt'))).toBe(false);
  });

  it('a clarifier cannot dispatch, not even a built-in agent', async () => {
    await start(
      turns([call('Agent', { description: 'x', prompt: 'y', subagent_type: 'general-purpose' }), say('Done.')]),
      { CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS: '0' },
    );
    const guard = whitelistGuard(['Read'], { role: 'clarify', locale: 'en' });
    await harness.run('Ask', { ...everything, hooks: { PreToolUse: [guard as HookCallbackMatcher] } });
    expect(seen()[0]).toMatchObject({ isError: true, text: expect.stringContaining('clarify') });
    expect(sim.requests.some((request) => request.thread === 'worker')).toBe(false);
  });
});

describe('C07 a guard that fails', () => {
  const write = () => turns([() => call('Write', { file_path: inWork('x.txt'), content: 'x' }), say('Done.')]);
  const own = (hook: HookCallbackMatcher['hooks'][number]) => ({ PreToolUse: [{ matcher: 'Write', hooks: [hook] }] });

  it.each<[string, HookCallbackMatcher['hooks'][number]]>([
    ['throws', () => Promise.reject(new Error('boom'))],
    ['answers nonsense', async () => ({ decision: 'perhaps' }) as never],
    ['answers nothing', async () => undefined as never],
  ])('that %s blocks, in words that say so', async (_, hook) => {
    await start(write());
    const failures: unknown[] = [];
    await harness.run('Write', {
      ...everything,
      hooks: failClosed(own(hook), { locale: 'en', onFailure: (guard) => failures.push(guard) }),
    });
    expect(seen()[0]).toMatchObject({ isError: true, text: expect.stringContaining('not because a person') });
    expect(existsSync(inWork('x.txt'))).toBe(false);
    expect(failures).toHaveLength(1);
  });

  it('that never answers blocks after its time', async () => {
    await start(write());
    const hooks = failClosed(
      { PreToolUse: [{ matcher: 'Write', hooks: [() => new Promise(() => {})], timeout: 2 }] },
      { locale: 'en' },
    );
    await harness.run('Write', { ...everything, hooks });
    expect(seen()[0]).toMatchObject({ isError: true, text: expect.stringContaining('not because a person') });
    expect(existsSync(inWork('x.txt'))).toBe(false);
  });

  it('F1.12 without protection lets the call through, with the option of the matcher it blocks', async () => {
    for (const onFailure of ['continue', 'block'] as const) {
      await start(write());
      await harness.run('Write', {
        ...everything,
        hooks: { PreToolUse: [{ matcher: 'Write', hooks: [() => Promise.reject(new Error('boom'))], onFailure }] },
      });
      expect(existsSync(inWork('x.txt'))).toBe(onFailure === 'continue');
      await sim.close();
      harness.remove();
    }
    await start(write());
  });

  it('meets the calls of a worker too', async () => {
    await start(
      byRole({
        coordinator: turns([call(...delegate()), say('Done.')]),
        worker: turns([
          call('Bash', { command: 'rm -r build' }),
          () => call('Write', { file_path: inWork('x.txt'), content: 'y' }),
          say('Tried.'),
        ]),
      }),
    );
    mkdirSync(inWork('build'));
    const noRemoving: HookCallbackMatcher['hooks'][number] = async (input) =>
      'tool_input' in input && String((input.tool_input as { command?: string }).command).startsWith('rm')
        ? Promise.reject(new Error('boom'))
        : {};
    await harness.run('Go', {
      ...everything,
      agents: { coder },
      hooks: failClosed({ PreToolUse: [{ hooks: [noRemoving] }] }, { locale: 'en' }),
    });
    expect(seen('worker')[0]).toMatchObject({ isError: true, text: expect.stringContaining('flower') });
    expect(existsSync(inWork('build'))).toBe(true);
    expect(existsSync(inWork('x.txt'))).toBe(true);
  });

  it('holds where the harness asks nobody', async () => {
    await start(turns([call('Bash', { command: 'rm -r build' }), say('Done.')]), { IS_SANDBOX: '1' });
    mkdirSync(inWork('build'));
    await harness.run('Go', {
      ...everything,
      permissionMode: 'bypassPermissions',
      allowDangerouslySkipPermissions: true,
      hooks: { PreToolUse: [delegateGuard({ allowGlance: true, locale: 'en' })] },
    });
    expect(seen()[0]).toMatchObject({ isError: true });
    expect(existsSync(inWork('build'))).toBe(true);
  });
});

describe('long results', () => {
  const text = (lines: number) => Array.from({ length: lines }, (_, i) => `line ${i} 🌼 of a long result`).join('\n');
  const server = (answer: Parameters<typeof tool>[3]) => ({
    db: createSdkMcpServer({ name: 'db', alwaysLoad: true, tools: [tool('query', 'Asks the database', {}, answer)] }),
  });
  const run = (options: Options = {}) =>
    harness.run('Look', { ...everything, ...options, hooks: workbenchHooks(workbench, { delegateOnly: false }) });
  const storedTexts = () =>
    readdirSync(workbench.spill).map((name) => readFileSync(join(workbench.spill, name), 'utf8'));

  /** The model must have been given the pointer, at most 400 characters of the text, and nothing else. */
  function expectPointer(result: { readonly text: string } | undefined, whole: string) {
    const shown = result?.text ?? '';
    expect(shown).toContain(`[output of ${whole.length} characters, stored in .flower/spill/`);
    expect(shown).toContain(whole.slice(0, 390).replaceAll('\n', ' '));
    expect(shown.length).toBeLessThan(800);
    expect(shown.isWellFormed()).toBe(true);
    expect(storedTexts()).toContain(whole);
  }

  it('of Bash reach the model as a pointer, and whole when it reads the file', async () => {
    const whole = text(300);
    await start(
      turns([
        call('Bash', { command: 'cat long.txt' }),
        ({ results }) =>
          call('Read', { file_path: inWork(/stored in (\S+?);/.exec(results[0]?.text ?? '')?.[1] ?? '') }),
        say('Done.'),
      ]),
    );
    writeFileSync(inWork('long.txt'), whole);
    await run();
    expectPointer(seen()[0], whole);
    expect(seen()[1]?.text).toContain('line 299 🌼');
  });

  it('F6.5 of Bash that the harness itself would have stored are stored whole', async () => {
    const whole = text(3000);
    await start(turns([call('Bash', { command: 'cat long.txt' }), say('Done.')]));
    writeFileSync(inWork('long.txt'), whole);
    await run();
    expectPointer(seen()[0], whole);
    expect(seen()[0]?.text).not.toContain('persisted-output');
  });

  it('of Read by a coordinator', async () => {
    const whole = text(3000);
    await start(turns([() => call('Read', { file_path: inWork('long.txt') }), say('Done.')]));
    writeFileSync(inWork('long.txt'), whole);
    await harness.run('Look', { ...everything, hooks: workbenchHooks(workbench) });
    expectPointer(seen()[0], whole);
  });

  it('of Grep, lines as well as names, and of Glob', async () => {
    await start(
      turns([
        () => call('Grep', { pattern: 'line', path: inWork('long.txt'), output_mode: 'content', head_limit: 0 }),
        () => call('Grep', { pattern: 'x', path: inWork('many'), head_limit: 0 }),
        call('Glob', { pattern: 'many/**/*.txt' }),
        say('Done.'),
      ]),
    );
    writeFileSync(inWork('long.txt'), text(300));
    mkdirSync(inWork('many'));
    for (let i = 100; i < 200; i++) writeFileSync(inWork(`many/${'n'.repeat(60)}${i}.txt`), 'x');
    await run();
    const [lines, names, globbed] = seen();
    for (const result of [lines, names, globbed]) {
      expect(result?.text).toMatch(/\[output of \d{4,} characters, stored in \.flower\/spill\/[0-9a-f]{16}\.txt;/);
      expect(result?.text.length).toBeLessThan(1600);
    }
    expect(storedTexts().some((stored) => stored.split('\n').length === 100)).toBe(true);
  });

  it('of an MCP tool, in blocks and structured', async () => {
    const whole = text(300);
    await start(turns([call('mcp__db__query', {}), say('Done.')]));
    await run({
      mcpServers: server(async () => ({ content: [{ type: 'text', text: whole }] })),
      allowedTools: ['mcp__db'],
    });
    expectPointer(seen()[0], whole);
    await sim.close();
    harness.remove();

    await start(turns([call('mcp__db__query', {}), say('Done.')]));
    await run({
      mcpServers: server(async () => ({ content: [], structuredContent: { rows: whole } })),
      allowedTools: ['mcp__db'],
    });
    expectPointer(seen()[0], JSON.stringify({ rows: whole }));
  });

  it('F6.4 of a command that failed stay as the harness made them', async () => {
    await start(turns([call('Bash', { command: 'cat long.txt; exit 3' }), say('Done.')]));
    writeFileSync(inWork('long.txt'), text(1000));
    await run();
    expect(seen()[0]).toMatchObject({ isError: true, text: expect.stringContaining('Exit code 3') });
    expect(existsSync(workbench.spill)).toBe(false);
  });

  it('of a worker are stored too', async () => {
    await start(
      byRole({
        coordinator: turns([call(...delegate()), say('Done.')]),
        worker: turns([call('Bash', { command: 'cat long.txt' }), say('Read it.')]),
      }),
    );
    writeFileSync(inWork('long.txt'), text(300));
    await run({ agents: { coder } });
    expectPointer(seen('worker')[0], text(300));
  });
});

describe('the workbench', () => {
  it('R6.54 is told to every worker, not to the main thread; R6.35 its index follows a write', async () => {
    await start(
      byRole({
        coordinator: turns([call(...delegate()), say('Done.')]),
        worker: turns([
          () => call('Write', { file_path: inWork('.flower/notes/decision.md'), content: '# desc: why it is so\n' }),
          say('Noted.'),
        ]),
      }),
    );
    await harness.run('Go', {
      ...everything,
      agents: { coder },
      hooks: mergeHooks(workbenchHooks(workbench), { SubagentStart: [workerStartHook(workbench)] }),
    });
    const first = (thread: 'main' | 'worker') =>
      JSON.stringify(sim.requests.find((request) => request.thread === thread)?.messages);
    expect(first('worker')).toContain(workbench.artifacts);
    expect(first('main')).not.toContain(workbench.artifacts);
    expect(readFileSync(workbench.indexPath, 'utf8')).toContain('why it is so');
  });
});

describe('isolation', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.test', ...args], {
      cwd: harness.cwd,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: harness.cwd },
    }).trim();

  it('Z15 gives a marked worker a worktree of the local HEAD, and what it leaves there stays', async () => {
    await start(
      byRole({
        coordinator: turns([call(...delegate('Work here, without a worktree.')), say('Done.')]),
        worker: turns([call('Bash', { command: 'pwd && git log --format=%s && echo left > left.txt' }), say('Done.')]),
      }),
    );
    const outer = new Workbench(harness.cwd, { home: `${harness.cwd}-bench`, locale: 'en' }).ensure();
    git('init', '-q', '-b', 'main', '.');
    writeFileSync(inWork('a.txt'), 'a');
    git('add', 'a.txt');
    git('commit', '-qm', 'pushed');
    git('init', '-q', '--bare', join(harness.configDir, 'origin.git'));
    git('remote', 'add', 'origin', join(harness.configDir, 'origin.git'));
    git('push', '-q', '-u', 'origin', 'main');
    git('remote', 'set-head', 'origin', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'local only');
    await harness.run('Go', {
      ...everything,
      agents: { coder: isolated({ ...coder }) },
      settings: { worktree: { baseRef: 'head' } },
      hooks: mergeHooks(workbenchHooks(outer, { agents: { coder: isolated({ ...coder }) } }), {
        SubagentStart: [workerStartHook(outer)],
      }),
    });
    const [where, ...commits] = (seen('worker')[0]?.text ?? '').split('\n');
    expect(where).toContain('.claude/worktrees/agent-');
    expect(commits).toEqual(['local only', 'pushed']);
    expect(readFileSync(join(where ?? '', 'left.txt'), 'utf8')).toBe('left\n');
    expect(JSON.stringify(sim.requests.find((request) => request.thread === 'worker')?.messages)).toContain(
      outer.artifacts,
    );
  });
});
