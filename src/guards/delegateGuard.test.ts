import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { denialOf, preToolUse } from '../../test/contract/guardsCalls.js';
import { delegateGuard } from './delegateGuard.js';
import { HANDS_ON } from './toolNames.js';

const artifactsPath = '/srv/.flower-app/artifacts';
const glancing = delegateGuard({ allowGlance: true, artifactsPath, locale: 'en' });
const strict = delegateGuard({ artifactsPath, locale: 'en' });

describe('delegateGuard', () => {
  it('R6.20 watches the hands-on tools, or those it is told', () => {
    expect(glancing.matcher).toBe(HANDS_ON);
    expect(delegateGuard({ tools: 'Write|Edit' }).matcher).toBe('Write|Edit');
  });

  it('R6.20 lets a look through only where glancing is allowed', async () => {
    expect(await preToolUse(glancing, 'Bash', { command: 'git status' })).toEqual({});
    expect(denialOf(await preToolUse(strict, 'Bash', { command: 'git status' }))).not.toBeNull();
  });

  it.each(['Write', 'Edit', 'NotebookEdit', 'PowerShell', 'Monitor'])(
    'R6.20 denies %s even where glancing is allowed',
    async (tool) => {
      expect(denialOf(await preToolUse(glancing, tool, { command: 'ls', file_path: '/x' }))).toContain(tool);
    },
  );

  it('R13.153 a look in the background or outside the sandbox is none', async () => {
    for (const extra of [{ run_in_background: true }, { dangerouslyDisableSandbox: true }]) {
      expect(denialOf(await preToolUse(glancing, 'Bash', { command: 'ls', ...extra }))).not.toBeNull();
    }
    expect(await preToolUse(glancing, 'Bash', { command: 'ls', run_in_background: false })).toEqual({});
  });

  it('R6.21 says what to do instead, with the real folder, and why it was no look', async () => {
    const reason = denialOf(await preToolUse(glancing, 'Bash', { command: 'npm test' })) ?? '';
    for (const part of ['flower', 'Bash', 'Agent', artifactsPath, '`npm`']) expect(reason).toContain(part);
    expect(denialOf(await preToolUse(strict, 'Bash', { command: 'npm test' }))).not.toContain('`npm`');
  });

  it('names no folder where there is no workbench', async () => {
    expect(denialOf(await preToolUse(delegateGuard(), 'Write'))).not.toMatch(/artifacts|\.flower/);
  });

  it.each([{}, { command: 5 }, { command: null }, { command: ['ls'] }])(
    'denies a Bash call without a command: %j',
    async (input) => {
      expect(denialOf(await preToolUse(glancing, 'Bash', input))).not.toBeNull();
    },
  );

  it('R6.72 agrees with the table on the main thread and lets a worker run every row', async () => {
    const rows = readFileSync(new URL('../shell/fixtures/ephemeralCases.tsv', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1);
    for (const row of rows) {
      const [command = '', verdict] = row.split('\t');
      const input = {
        command: command.replace(/\\([nrt\\])/g, (_, char: string) => ({ n: '\n', r: '\r', t: '\t' })[char] ?? '\\'),
      };
      expect(denialOf(await preToolUse(glancing, 'Bash', input)) === null, command).toBe(verdict === 'allow');
      expect(await preToolUse(glancing, 'Bash', input, { agent_id: 'a1' }), command).toEqual({});
    }
  });
});
