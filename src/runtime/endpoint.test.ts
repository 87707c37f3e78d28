import { spawn } from 'node:child_process';
import { connect, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { endpoint, probeTarget, reachable, whyUnreachable } from './endpoint.js';

const official = ['api.anthropic.com', 443];
const servers: Server[] = [];
afterEach(async () => {
  delete process.env.ANTHROPIC_BASE_URL;
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

describe('R9.7 endpoint', () => {
  it.each([
    ['http://gw:8080/x', ['gw', 8080]],
    ['gw.example/maas', ['gw.example', 443]],
    ['gw.example:8443', ['gw.example', 8443]],
    ['http://gw', ['gw', 80]],
    ['https://[::1]:9/v1', ['::1', 9]],
    ['', official],
    ['http://', official],
    ['https://a b/', official],
    ['://', official],
  ])('%j', (address, expected) => {
    expect(endpoint(address)).toEqual(expected);
  });

  it('takes the address of this process, without one the official host', () => {
    expect(endpoint()).toEqual(official);
    process.env.ANTHROPIC_BASE_URL = 'http://gw:81';
    expect(endpoint()).toEqual(['gw', 81]);
  });
});

describe('R9.8 where to look', () => {
  const gateway = { ANTHROPIC_BASE_URL: 'https://gw.example:8443/maas' };
  const direct = ['gw.example', 8443];
  it.each([
    [{}, direct],
    [{ HTTPS_PROXY: 'http://proxy:3128' }, ['proxy', 3128]],
    [{ HTTP_PROXY: 'http://proxy:3128' }, ['proxy', 3128]],
    [{ https_proxy: '', HTTP_PROXY: 'proxy:3128' }, ['proxy', 3128]],
    [{ http_proxy: 'http://other', HTTPS_PROXY: 'http://user:pass@proxy:3128/' }, ['proxy', 3128]],
    [{ HTTPS_PROXY: 'http://a b' }, direct],
    [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: 'localhost, gw.example' }, direct],
    [{ HTTPS_PROXY: 'http://proxy', no_proxy: '.example' }, direct],
    [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: 'EXAMPLE' }, direct],
    [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: '*.example:8443' }, direct],
    [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: '*' }, direct],
    [{ HTTPS_PROXY: 'http://proxy', NO_PROXY: 'gw.example:443 ample w.example' }, ['proxy', 80]],
  ])('%j', (settings, expected) => {
    expect(probeTarget({ ...gateway, ...settings })).toEqual(expected);
  });

  it('is the official host when nothing is set', () => {
    expect(probeTarget({})).toEqual(official);
  });
});

describe('R9.8 reachable', () => {
  it('opens a connection and sends nothing', async () => {
    const received: Buffer[] = [];
    const { port, closed } = await listen((data) => received.push(data));
    expect(await reachable('127.0.0.1', port)).toBe(true);
    await closed;
    expect(received).toEqual([]);
  });

  it('is false for whatever goes wrong, and says why', async () => {
    const { port } = await listen(() => undefined);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await reachable('127.0.0.1', port)).toBe(false);
    expect(await whyUnreachable('127.0.0.1', port)).toBe('ECONNREFUSED');
    expect(await whyUnreachable('no-such-host.invalid', 443)).toMatch(/^E(NOTFOUND|AI_AGAIN)$/);
    expect(await reachable('127.0.0.1', 99_999)).toBe(false);
  });

  it('gives up at its deadline', async () => {
    // A server that has stopped and whose queue is full answers nobody any more.
    const code = `const server = require('node:net').createServer();
      server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
    child.kill('SIGSTOP');
    const queue = Array.from({ length: 8 }, () => connect(port, '127.0.0.1'));
    try {
      await new Promise((resolve) => queue[0]?.once('connect', resolve));
      expect(await whyUnreachable('127.0.0.1', port, 0.3)).toBe('ETIMEDOUT');
    } finally {
      for (const socket of queue) socket.destroy();
      child.kill('SIGKILL');
    }
  });
});

async function listen(onData: (data: Buffer) => void): Promise<{ port: number; closed: Promise<void> }> {
  let resolve = () => {};
  const closed = new Promise<void>((done) => {
    resolve = done;
  });
  const server = createServer((socket) => socket.on('data', onData).on('close', () => resolve()));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  return { port: typeof address === 'object' && address ? address.port : 0, closed };
}
