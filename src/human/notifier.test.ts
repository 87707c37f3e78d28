import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Note, Notifier } from './notifier.js';

const note: Note = { event: 'question', run: 'r1', step: 'work', text: 'Which port?' };
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.unstubAllEnvs();
});

async function server(
  handle: (request: IncomingMessage, body: string, response: ServerResponse) => void,
): Promise<string> {
  const http = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    handle(request, body, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

/** A command that runs a script, and the folder it lies in. */
function script(code: string): { command: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'flower notify '));
  writeFileSync(join(folder, 'script.cjs'), code);
  return { command: `"${process.execPath}" "${join(folder, 'script.cjs')}"`, folder };
}

describe('Notifier (R10.70)', () => {
  it('POSTs the note once as JSON', async () => {
    const got: unknown[] = [];
    const url = await server((request, body, response) => {
      got.push([request.method, request.headers['content-type'], JSON.parse(body)]);
      response.end();
    });
    expect(await new Notifier(url).notify(note)).toBe(true);
    expect(got).toEqual([['POST', 'application/json', note]]);
  });

  it('does not follow a redirect', async () => {
    let asked = 0;
    const url = await server((_request, _body, response) => {
      asked += 1;
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    const told: string[] = [];
    expect(await new Notifier(url, { onFailure: (message) => told.push(message), locale: 'en' }).notify(note)).toBe(
      false,
    );
    expect([asked, told.length]).toEqual([1, 1]);
    expect(told[0]).toContain('HTTP 307');
  });

  it('gives a command quoted words, the JSON on its input and no credential', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-fake');
    vi.stubEnv('CLAUDE_CODE_SUBAGENT_MODEL', 'some-model');
    const { command, folder } = script(`
      const [, , out, word] = process.argv;
      const body = require('node:fs').readFileSync(0, 'utf8');
      const secret = Object.keys(process.env).filter((name) => /^(ANTHROPIC|CLAUDE)/.test(name));
      require('node:fs').writeFileSync(out, JSON.stringify({ word, body: JSON.parse(body), secret, path: Boolean(process.env.PATH) }));
    `);
    const out = join(folder, 'out.json');
    expect(await new Notifier(`${command} "${out}" "two words"`).notify(note)).toBe(true);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({ word: 'two words', body: note, secret: [], path: true });
  });

  it('gives up on a target that hangs', async () => {
    const url = await server(() => {});
    const { command, folder } = script(
      `require('node:fs').writeFileSync(require('node:path').join(__dirname, 'pid'), String(process.pid)); setInterval(() => {}, 1000);`,
    );
    expect(await new Notifier(url, { timeoutS: 0.3 }).notify(note)).toBe(false);
    expect(await new Notifier(command, { timeoutS: 1.5 }).notify(note)).toBe(false);
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(/ESRCH/), 5000);
  });

  it.each([
    ['a command that fails', `"${process.execPath}" -e "process.exit(3)"`, 'exit 3'],
    ['a command that is not there', 'flower-no-such-command', 'ENOENT'],
    ['an address that is none', 'http://:s3cret', 'ERR_INVALID_URL'],
  ])('says once that it failed, without the target: %s', async (_name, target, why) => {
    const told: string[] = [];
    const notifier = new Notifier(target, { onFailure: (message) => told.push(message), locale: 'en' });
    expect(await notifier.notify(note)).toBe(false);
    expect(await notifier.notify(note)).toBe(false);
    expect(told).toHaveLength(1);
    expect(told[0]).toMatch(new RegExp(why));
    expect(told[0]).not.toContain('s3cret');
  });

  it('says that nobody listens, without the address', async () => {
    const url = await server(() => {});
    for (const close of closers.splice(0)) close();
    const told: string[] = [];
    expect(await new Notifier(`${url}/s3cret`, { onFailure: (message) => told.push(message) }).notify(note)).toBe(
      false,
    );
    expect(told).toEqual([expect.stringContaining('ECONNREFUSED')]);
    expect(told[0]).not.toContain('s3cret');
  });

  it('survives a failure callback that throws', async () => {
    const notifier = new Notifier('flower-no-such-command', {
      onFailure: () => {
        throw new Error('screen gone');
      },
    });
    expect(await notifier.notify(note)).toBe(false);
  });

  it.each([null, '', '  '])('is off without a target (%j)', async (target) => {
    let told = 0;
    expect(await new Notifier(target, { onFailure: () => void told++ }).notify(note)).toBe(false);
    expect(told).toBe(0);
  });
});
