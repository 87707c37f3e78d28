import { describe, expect, it } from 'vitest';
import { classify, type ErrorKind } from './classify.js';

describe('R9.9 the words of an error', () => {
  it.each<[string | null | undefined, ErrorKind]>([
    ['401 unauthorized: connection error', 'fatal'],
    ['API Error: 400 {"type":"error"}', 'fatal'],
    ['request took 400 ms, ECONNRESET', 'transient'],
    ['read 404 lines then socket hang up', 'transient'],
    ['API Error: it took 400 ms, ECONNRESET', 'transient'],
    ['API Error: Repeated 529 Overloaded errors. The API is at capacity', 'transient'],
    ['HTTP 503', 'transient'],
    ['rate-limit', 'transient'],
    ['error_max_budget_usd', 'fatal'],
    ['boom', 'unknown'],
    ['', 'unknown'],
    [null, 'unknown'],
    [undefined, 'unknown'],
  ])('%s is %s', (text, kind) => {
    expect(classify(text)).toBe(kind);
  });

  it.each([
    ...['Invalid API key · Fix external API key', 'invalid_api_key', 'InvalidApiKey', 'Failed authentication'],
    ...['Permission denied', 'invalid_request_error', 'Credit balance is too low', 'Quota exceeded', 'max_turns'],
    ...['spawn /opt/claude ENOENT', 'CLINotFoundError', 'native executable not found', 'model_not_found'],
    ...['billing_error', 'account_on_hold', 'authentication_failed: fetch failed'],
  ])('%s is fatal', (text) => {
    expect(classify(text)).toBe('fatal');
    expect(classify(text.toUpperCase())).toBe('fatal');
  });

  it.each([
    ...[
      'getaddrinfo ENOTFOUND gw',
      'EAI_AGAIN',
      'read ECONNRESET',
      'ECONNREFUSED',
      'ETIMEDOUT',
      'EPIPE',
      'EHOSTUNREACH',
    ],
    ...['ENETDOWN', 'socket hang up', 'fetch failed', 'Network error', 'Connection error.', 'Overloaded', 'RateLimit'],
    ...["API Error: Can't reach the API server — check your internet", 'Too many requests', 'Request timed out.'],
    ...['timeout of 5 s', 'temporarily unavailable', 'Service Unavailable', 'internal server error', 'server_error'],
    ...['terminated', 'Premature close'],
  ])('%s is transient', (text) => {
    expect(classify(text)).toBe('transient');
    expect(classify(text.toUpperCase())).toBe('transient');
  });
});

describe('R9.10 numbers', () => {
  it.each([400, 401, 403, 404])('%i is fatal where a status code stands', (status) => {
    for (const text of places(status)) expect([text, classify(text)]).toEqual([text, 'fatal']);
  });

  it.each([429, 500, 502, 503, 504, 529])('%i is transient where a status code stands', (status) => {
    for (const text of places(status)) expect([text, classify(text)]).toEqual([text, 'transient']);
  });

  it.each([
    ...['took 400 ms', 'read 404 lines', 'port 5030', 'code 4001', 'at line 503', 'barcode 404', 'error rate 400'],
    ...['"bytes":413429,"took_ms":529', 'HTTP 200', 'status 503.5'],
  ])('%s says nothing', (text) => {
    expect(classify(text)).toBe('unknown');
  });
});

describe('C17 the status in front decides', () => {
  it('whatever a long output behind it says', () => {
    const output = 'FAIL tests/api.test.ts - expected 401, got 503: unauthorized, invalid api key\n'.repeat(300);
    expect(classify(`API Error: 429 Too many requests\n${output}`)).toBe('transient');
    expect(classify(`401 Unauthorized\n${output}ECONNRESET`)).toBe('fatal');
  });

  it('but money that is gone does not come back by waiting', () => {
    const spent = '{"error":{"type":"insufficient_quota","message":"You have no credits remaining."}}';
    expect(classify(`429 ${spent}`)).toBe('fatal');
    expect(classify('API Error: Request rejected (429) · You have no credits remaining.')).toBe('fatal');
    expect(classify('429 {"error":{"type":"rate_limit_error"}}')).toBe('transient');
    expect(classify('API Error: Request rejected (429) · slow down')).toBe('transient');
  });
});

function places(status: number): string[] {
  const prefixes = ['', '  ', '(', 'API Error: ', 'HTTP ', 'HTTP/1.1 ', 'status ', 'status: ', 'Status code '];
  const more = ['statusCode=', '"status":', 'code: ', 'error (', 'failed with error ', 'API Error: Request rejected ('];
  return [...prefixes, ...more].map((prefix) => `${prefix}${status} whatever`);
}
