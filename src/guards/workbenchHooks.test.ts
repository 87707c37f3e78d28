import { existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { HookCallbackMatcher } from '@anthropic-ai/claude-agent-sdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { denialOf, postToolUse, preToolUse, replacementOf } from '../../test/contract/guardsCalls.js';
import { Workbench } from '../workbench/workbench.js';
import { indexGuard } from './indexGuard.js';
import { isolated } from './isolate.js';
import { mergeHooks } from './mergeHooks.js';
import { workbenchHooks } from './workbenchHooks.js';
import { workerStartHook } from './workerStart.js';

let base: string;
let workbench: Workbench;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'flower-hooks-')));
  workbench = new Workbench(base, { locale: 'en' });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const coder = { description: 'd', prompt: 'p' };

describe('workbenchHooks', () => {
  it('R6.50 has the wall, the index and the spill by default', () => {
    const { PreToolUse = [], PostToolUse = [], ...others } = workbenchHooks(workbench);
    expect(PreToolUse).toHaveLength(1);
    expect(PostToolUse).toHaveLength(2);
    expect(others).toEqual({});
  });

  it('R6.50 has only the index if nothing else is wanted', () => {
    for (const spillThreshold of [null, 0]) {
      const hooks = workbenchHooks(workbench, { spillThreshold, delegateOnly: false, agents: { coder } });
      expect(Object.keys(hooks)).toEqual(['PostToolUse']);
      expect(hooks.PostToolUse).toHaveLength(1);
    }
  });

  it('R6.43 adds isolation only for a marked role', () => {
    expect(workbenchHooks(workbench, { agents: { coder } }).PreToolUse).toHaveLength(1);
    expect(workbenchHooks(workbench, { agents: { coder: isolated({ ...coder }) } }).PreToolUse).toHaveLength(2);
  });

  it('R6.21 names the real artifacts folder', async () => {
    const outer = new Workbench(base, { home: `${base}-bench`, locale: 'en' });
    const [wall] = workbenchHooks(outer).PreToolUse ?? [];
    expect(denialOf(await preToolUse(wall as HookCallbackMatcher, 'Write'))).toContain(`${base}-bench/artifacts`);
  });

  it('R6.20 glances only when told to', async () => {
    for (const allowGlance of [true, false]) {
      const [wall] = workbenchHooks(workbench, { allowGlance }).PreToolUse ?? [];
      expect(denialOf(await preToolUse(wall as HookCallbackMatcher, 'Bash', { command: 'ls' })) === null).toBe(
        allowGlance,
      );
    }
  });

  it.each([
    { role: 'a coordinator', delegateOnly: true, caller: {}, whole: false },
    { role: "a coordinator's worker", delegateOnly: true, caller: { agent_id: 'a1' }, whole: true },
    { role: 'a judge', delegateOnly: false, caller: {}, whole: true },
  ])('leaves a long file whole that $role reads: $whole, and no long output', async (each) => {
    const [, spill] = workbenchHooks(workbench, { delegateOnly: each.delegateOnly }).PostToolUse ?? [];
    const replaced = async (tool: string, response: unknown) => {
      if (!spill?.matcher?.split('|').includes(tool)) return undefined;
      return replacementOf(await postToolUse(spill, tool, response, {}, { cwd: base, ...each.caller }));
    };
    const read = await replaced('Read', { type: 'text', file: { content: 'x'.repeat(5000) } });
    expect(read === undefined).toBe(each.whole);
    expect(await replaced('Bash', { stdout: 'x'.repeat(5000) })).toBeDefined();
  });

  it('Z11 blocks on failure in everything before a tool', () => {
    const hooks = workbenchHooks(workbench, { agents: { coder: isolated({ ...coder }) } });
    for (const matcher of hooks.PreToolUse ?? []) expect(matcher).toMatchObject({ onFailure: 'block', timeout: 30 });
  });
});

describe('mergeHooks', () => {
  it('R6.51 joins per event in order, skips nothing-groups, keeps doubles and changes no input', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((matcher): HookCallbackMatcher => ({ matcher, hooks: [] }));
    const first = { PreToolUse: [a, b] as HookCallbackMatcher[] };
    const second = { PreToolUse: [a] as HookCallbackMatcher[], Stop: [c] as HookCallbackMatcher[] };
    const merged = mergeHooks(first, null, undefined, second);
    expect(merged).toEqual({ PreToolUse: [a, b, a], Stop: [c] });
    merged.Stop?.push({ hooks: [] });
    merged.PreToolUse?.pop();
    expect(first.PreToolUse).toEqual([a, b]);
    expect(second).toEqual({ PreToolUse: [a], Stop: [c] });
    expect(mergeHooks()).toEqual({});
  });
});

describe('indexGuard', () => {
  const write = (path: string, cwd = base) =>
    postToolUse(indexGuard(workbench), 'Write', {}, { file_path: path }, { cwd });
  const wasRefreshed = () => existsSync(workbench.indexPath);

  it.each(['.flower/notes/a.md', './.flower/x', 'sub/../.flower/x'])('R6.35 refreshes for %s', async (path) => {
    expect(await write(path)).toEqual({});
    expect(wasRefreshed()).toBe(true);
  });

  it("R6.35 refreshes for an absolute path, a link, and a path relative to the hook's folder", async () => {
    const refresh = vi.spyOn(workbench, 'refresh');
    symlinkSync(workbench.root, join(base, 'link'));
    await write(join(workbench.root, 'notes/a.md'));
    await write(relative(join(base, 'sub'), join(workbench.notes, 'a.md')), join(base, 'sub'));
    expect(refresh).toHaveBeenCalledTimes(2);
    workbench.ensure();
    await write('link/notes/a.md');
    expect(refresh).toHaveBeenCalledTimes(3);
  });

  it('R6.35 not for a folder whose name begins alike, nor for one outside', async () => {
    for (const path of ['.flower-old/x', 'src/.flower', join(dirname(base), `${basename(base)}-x`)])
      expect(await write(path)).toEqual({});
    expect(await postToolUse(indexGuard(workbench), 'Write', {}, {})).toEqual({});
    expect(wasRefreshed()).toBe(false);
  });

  it('R6.4 a failure stays in here', async () => {
    vi.spyOn(workbench, 'refresh').mockImplementation(() => {
      throw new Error('disk full');
    });
    expect(await write('.flower/a')).toEqual({});
  });
});

describe('workerStartHook', () => {
  const start = (hook: HookCallbackMatcher) =>
    hook.hooks[0]?.(
      {
        hook_event_name: 'SubagentStart',
        agent_id: 'a1',
        agent_type: 'coder',
        session_id: 's',
        transcript_path: 't',
        cwd: base,
      },
      undefined,
      {
        signal: new AbortController().signal,
      },
    );

  it('R6.54 gives every worker the block of the workbench', async () => {
    expect(await start(workerStartHook(workbench))).toEqual({
      hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: workbench.workerBlock() },
    });
  });

  it('C53 tells what else a worker has to know', async () => {
    expect(await start(workerStartHook(workbench, { note: 'No node_modules here.' }))).toHaveProperty(
      'hookSpecificOutput.additionalContext',
      `${workbench.workerBlock()}\n\nNo node_modules here.`,
    );
  });

  it('R6.54 a failure is told and stops no worker, even if the listener throws', async () => {
    const error = new Error('boom');
    vi.spyOn(workbench, 'workerBlock').mockImplementation(() => {
      throw error;
    });
    const onFailure = vi.fn(() => {
      throw new Error('listener');
    });
    expect(await start(workerStartHook(workbench, { onFailure }))).toEqual({});
    expect(onFailure).toHaveBeenCalledExactlyOnceWith(error);
  });
});
