import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runFlower, startFlower, tempFolder } from '../support/flowerProgram.js';

const folder = tempFolder('errors');
afterAll(() => folder.remove());

/** Clear lines that say what to do, exit 1, no stack trace (A7). */
describe('what keeps flower from starting is said plainly', () => {
  it('no credentials, and the easiest way to give some', async () => {
    const end = await runFlower(['-w', folder.path, 'x']);
    const lines = end.stderr.trimEnd().split('\n');
    expect(end.code).toBe(1);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.*flower setup/);
  });

  it('a workspace that cannot be written', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    expectOneLine(await runFlower(['-w', join(folder.path, 'file', 'below'), 'x']), /cannot be the workspace/);
  });

  it('a Node that is too old', async () => {
    const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'18.19.1'}})`;
    const end = await runFlower(['-w', folder.path, 'x'], { node: ['--import', pretend] });
    expectOneLine(end, /Node 18\.19\.1 is too old; 20\.19\.0 or newer is needed/);
  });

  it('no request where there is nothing to go on with', async () => {
    const end = await runFlower(['-w', folder.path], { url: await listening() });
    expectOneLine(end, /The request is empty/);
  });
});

it('C27.5: an endpoint that nobody listens at is waited for', async () => {
  const port = await freePort();
  const away = tempFolder('away');
  const child = startFlower(['-w', away.path, 'x', '--timeout', '0'], { url: `http://127.0.0.1:${port}` });
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (words) => /cannot be reached/.test(String(words)) && resolve());
  });
  child.kill('SIGTERM');
  const end = await child.end;
  away.remove();
  expect(end.signal).toBe('SIGTERM');
  expect(end.stdout).toContain(String(port));
});

describe('usage errors end with 2', () => {
  it.each([
    [['--rounds', '0', 'x'], /--rounds/],
    [['--timeout', '-1', 'x'], /--timeout/],
    [['--asks', 'many', 'x'], /--asks/],
    [['--nonsense', 'x'], /--nonsense/],
  ] as const)('%j', async (args, words) => {
    const end = await runFlower(args);
    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(words);
    expect(end.stderr).not.toMatch(/\n\s+at /);
  });
});

function expectOneLine(end: { code: number | null; stderr: string }, words: RegExp): void {
  expect(end.stderr).toMatch(words);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(end.code).toBe(1);
}

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function listening(): Promise<string> {
  const server = createServer();
  server.unref();
  return `http://127.0.0.1:${await listen(server)}`;
}

function listen(server: ReturnType<typeof createServer>): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

it('D1.16, D9.9: --version names the version, with -v also which of several installed programs this is', async () => {
  const [plain, verbose] = [await runFlower(['--version']), await runFlower(['-v', '--version'])];
  expect([plain.code, plain.stdout]).toEqual([0, expect.stringMatching(/^flower \d+\.\d+\.\d+\n$/)]);
  expect(verbose.stdout).toMatch(/^flower \S+\n\/\S+main\.js\n$/);
});

it('D1.11: run takes window, handoff and budget from outside', async () => {
  const { stdout } = await runFlower(['run', '--help']);
  for (const flag of ['--window', '--no-handoff', '--budget']) expect(stdout).toContain(flag);
});

it('D1.17: the screen speaks the language of its user', async () => {
  const end = await runFlower(['setup'], { env: { FLOWER_LANG: 'zh' } });
  expect([end.code, end.stderr]).toEqual([1, expect.stringMatching(/^setup 要在终端里跑/)]);
});
