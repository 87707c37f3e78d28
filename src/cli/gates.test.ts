import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TerminalUi } from '../terminal/terminalUi.js';
import { mendAfterFailure, passGates } from './gates.js';
import type { Screen } from './screen.js';

const inherited = { ...process.env };
/** The credentials that the service was sent, in order. */
const sent: unknown[] = [];
const server = createServer((request, response) => {
  sent.push(request.headers['x-api-key'] ?? request.headers.authorization);
  const isGood = request.headers['x-api-key'] === 'sk-ant-good';
  response.writeHead(isGood ? 200 : 401).end(isGood ? '{}' : '{"error":{"message":"invalid x-api-key"}}');
});
let home: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'flower-gates-'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  Object.assign(process.env, {
    XDG_CONFIG_HOME: home,
    ANTHROPIC_API_KEY: 'sk-ant-bad',
    ANTHROPIC_BASE_URL: address,
  });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  for (const key of Object.keys(process.env)) if (!(key in inherited)) delete process.env[key];
  sent.splice(0);
});

/** A person who types these lines; null is Ctrl-C. Where they run out none is left to type. */
function person(...typed: string[]): { screen: Screen; said: string[] } {
  const said: string[] = [];
  const ui = {
    isTerminal: true,
    notice: (words: string) => said.push(words),
    lines: (lines: readonly string[]) => said.push(...lines),
    readLine: async () => typed.shift() ?? null,
  } as unknown as TerminalUi;
  return { screen: { ui, locale: 'en', color: false, columns: () => 80, verbose: false, json: false }, said };
}

/** What the dialogue asks, with this token. */
const again = (token: string) => [token, process.env.ANTHROPIC_BASE_URL ?? '', '', ''];

describe('credentials that are refused', () => {
  it('D7.1: are asked for once more and tried once more, and nothing starts on those that fail again', async () => {
    const { screen, said } = person(...again('sk-ant-worse'), ...again('sk-ant-good'));
    await expect(passGates(screen, home)).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(/^still after setting up again: credentials refused.* Not starting\.$/),
    });
    expect(sent).toEqual(['sk-ant-bad', 'sk-ant-worse']);
    expect(said.join('\n')).toContain('they are checked right away');
  });

  it('D7.1: start where the new ones are good', async () => {
    const { screen } = person(...again('sk-ant-good'));
    await passGates(screen, home);
    expect(sent).toEqual(['sk-ant-bad', 'sk-ant-good']);
  });

  it('D7.14: one who gives no others hears that, and not that nobody could be asked', async () => {
    const { screen } = person('');
    const end = passGates(screen, home);
    await expect(end).rejects.toMatchObject({ code: 1 });
    await expect(end).rejects.toThrow(/refused.*, and not set up again; not starting\. Run `flower setup`\.$/);
    expect(sent).toEqual(['sk-ant-bad']);
  });

  it('D7.17: are not tried where nobody could mend them', async () => {
    const { screen, said } = person();
    Object.assign(screen.ui, { isTerminal: false });
    await passGates(screen, home);
    expect([sent, said]).toEqual([[], []]);
  });
});

describe('a run that failed on its credentials (C28)', () => {
  it('D7.15: takes others, does not repeat the step, and says what to type', async () => {
    const { screen, said } = person(...again('sk-ant-good'));
    await mendAfterFailure(screen, ['API Error: 401 invalid x-api-key'], home);
    expect(said.at(-1)).toBe('Done. Run the same command again; in the same directory it goes on from here.');
    expect(readFileSync(join(home, 'flower', '.env'), 'utf8')).toContain('sk-ant-good');
    expect(sent).toEqual([]);
  });

  it('one that failed otherwise asks for none', async () => {
    const { screen, said } = person();
    await mendAfterFailure(screen, ['API Error: Overloaded', 'cost 1401 tokens'], home);
    expect(said).toEqual([]);
  });
});
