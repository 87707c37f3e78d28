import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProbeOptions, probeCredentials } from './probeCredentials.js';

const open: { close(): void }[] = [];
afterEach(() => {
  for (const it of open.splice(0)) it.close();
});

/** A service that handles every request the same way, and what it was asked. */
async function serve(handle: (response: ServerResponse) => void) {
  const requests: { request: IncomingMessage; body: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push({ request, body });
      handle(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const answer =
  (status: number, body = '') =>
  (response: ServerResponse) => {
    response.writeHead(status);
    response.end(body);
  };
const notFound = '{"error":{"type":"not_found_error","message":"model: m"}}';

describe('probeCredentials (C27)', () => {
  it.each<[string, (response: ServerResponse) => void, Partial<ProbeOptions>, string]>([
    ['200', answer(200, '{}'), {}, 'ok'],
    ['401', answer(401, '{"error":{"message":"invalid x-api-key"}}'), {}, 'auth'],
    ['403', answer(403), {}, 'auth'],
    ['404 for a configured model', answer(404, notFound), { model: 'm' }, 'config'],
    ['404 for the built-in model', answer(404, notFound), {}, 'ok'],
    ['400 that says the model does not exist', answer(400, 'Unknown model: m'), { model: 'm' }, 'config'],
    [
      '400 about something else',
      answer(400, '{"error":{"message":"the model needs a system prompt"}}'),
      { model: 'm' },
      'ok',
    ],
    ['429', answer(429), {}, 'ok'],
    ['302', (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), {}, 'ok'],
    ['500', answer(500, 'oops'), {}, 'net'],
    ['529', answer(529), {}, 'net'],
    ['a closed connection', (response) => response.destroy(), {}, 'net'],
    ['no answer in time', () => {}, { timeoutS: 0.2 }, 'net'],
  ])('%s', async (_name, handle, options, conclusion) => {
    const { baseUrl } = await serve(handle);
    const result = await probeCredentials({ baseUrl, apiKey: 'k', ...options });
    expect(result.conclusion).toBe(conclusion);
    expect(result.detail === '').toBe(conclusion === 'ok');
  });

  it('D7.5: sends one small request, with the key before the token and the model without its suffix', async () => {
    const { baseUrl, requests } = await serve(answer(200));
    await probeCredentials({ baseUrl: `${baseUrl}/`, apiKey: 'key', authToken: 'token', model: 'big-model[1m]' });
    await probeCredentials({ baseUrl, authToken: 'token' });
    const [first, second] = requests;
    expect(first?.request.url).toBe('/v1/messages');
    expect(first?.request.headers).toMatchObject({ 'x-api-key': 'key', 'anthropic-version': '2023-06-01' });
    expect(first?.request.headers.authorization).toBeUndefined();
    expect(JSON.parse(first?.body ?? '')).toMatchObject({ model: 'big-model', max_tokens: 16 });
    expect(second?.request.headers.authorization).toBe('Bearer token');
    expect(requests).toHaveLength(2);
  });

  it('asks nobody without a credential or with an address that is none', async () => {
    expect(await probeCredentials({})).toEqual({ conclusion: 'auth', detail: '' });
    expect((await probeCredentials({ apiKey: 'k', baseUrl: 'gateway.example' })).conclusion).toBe('config');
  });

  it('keeps a credential that the service repeats out of the detail, which is one short line', async () => {
    const { baseUrl } = await serve(answer(401, `wrong key\n\tsecret-key-1 ${'x'.repeat(500)}`));
    const { detail } = await probeCredentials({ baseUrl, apiKey: 'secret-key-1' });
    expect(detail).toMatch(/^401 wrong key \*\*\* x+$/);
    expect(detail.length).toBeLessThanOrEqual(160);
  });
});
