import { describe, expect, it } from 'vitest';
import { classifyFailure } from './classifyFailure.js';
import type { Failure, FailureClass } from './failure.js';
import { STOP } from './turnStop.js';

type Row = readonly [Failure, FailureClass];

describe('R9.11 by field, whatever the text says', () => {
  const fatalText = 'Invalid API key: 401 unauthorized';
  const passing = 'ECONNRESET, timed out';
  it.each<Row>([
    [{ terminalReason: 'prompt_too_long', error: 'invalid_request', text: fatalText }, 'full'],
    [{ terminalReason: 'blocking_limit', text: passing }, 'full'],
    [{ error: 'authentication_failed', terminalReason: 'api_error', apiErrorStatus: 401, text: passing }, 'fatal'],
    [{ error: 'billing_error', text: passing }, 'fatal'],
    [{ error: 'model_not_found', text: passing }, 'fatal'],
    [{ error: 'invalid_request', text: 'Prompt is too long' }, 'fatal'],
    [{ terminalReason: 'image_error', error: 'invalid_request', apiErrorStatus: 413, text: passing }, 'fatal'],
    [{ error: 'max_output_tokens', text: passing }, 'fatal'],
    [{ terminalReason: 'max_turns', text: passing }, 'fatal'],
    [{ terminalReason: 'budget_exhausted', text: passing }, 'fatal'],
    [{ subtype: 'error_max_turns', text: passing }, 'fatal'],
    [{ subtype: 'error_max_budget_usd', text: passing }, 'fatal'],
    [{ error: 'rate_limit', apiErrorStatus: 429, text: fatalText }, 'transient'],
    [{ error: 'server_error', text: fatalText }, 'transient'],
    [{ error: 'overloaded', text: fatalText }, 'wall'],
    [{ error: 'server_error', apiErrorStatus: 529, text: fatalText }, 'wall'],
    [{ error: 'server_error', apiErrorStatus: 503, text: fatalText }, 'wall'],
    [{ apiErrorStatus: 500, text: fatalText }, 'wall'],
    [{ error: 'server_error', apiError: 'connection_failed', text: fatalText }, 'transient'],
    [{ error: 'server_error', apiError: 'stream_idle_timeout', text: fatalText }, 'transient'],
    [{ error: STOP.silence, text: fatalText }, 'transient'],
    [{ text: STOP.silence }, 'transient'],
    [{ text: 'error_max_budget_usd' }, 'fatal'],
    [{ text: 'Claude Code process exited with code 143\nunauthorized' }, 'transient'],
    [{ text: 'Claude Code process terminated by signal SIGKILL' }, 'transient'],
  ])('%j is %s', (failure, expected) => {
    expect(classifyFailure(failure)).toBe(expected);
  });

  it('takes the success that stands on a failed turn for no success, and no field that says nothing for one that does', () => {
    const silent = { terminalReason: 'api_error', error: 'unknown', subtype: 'success' };
    expect(classifyFailure({ ...silent, text: 'API Error: 400 bad' })).toBe('fatal');
    expect(classifyFailure({ ...silent, apiErrorStatus: 404, text: 'fetch failed' })).toBe('fatal');
    expect(classifyFailure({ ...silent, apiErrorStatus: 408, text: 'API Error: 408 Request timed out' })).toBe(
      'transient',
    );
    expect(classifyFailure({ ...silent, text: 'Prompt is too long' })).toBe('full');
    expect(classifyFailure({ ...silent, text: 'boom' })).toBe('unknown');
    expect(classifyFailure({ subtype: 'error_during_execution' })).toBe('unknown');
    expect(classifyFailure({})).toBe('unknown');
  });
});

describe('a certificate', () => {
  const refused =
    'API Error: Unable to connect to API: Self-signed certificate detected (DEPTH_ZERO_SELF_SIGNED_CERT).';
  it.each<Row>([
    [{ error: 'server_error', apiError: 'tls_untrusted_ca', text: 'ECONNRESET' }, 'fatal'],
    [{ error: 'server_error', apiError: 'tls_cert_signature_failure', text: 'ECONNRESET' }, 'fatal'],
    [{ error: 'server_error', text: refused }, 'fatal'],
    [{ error: 'server_error', text: 'API Error: Unable to connect to API: SSL certificate has expired' }, 'fatal'],
    [{ text: 'CERT_NOT_YET_VALID' }, 'fatal'],
    [{ error: 'server_error', text: 'SSL certificate verification failed (CERT_SIGNATURE_FAILURE).' }, 'fatal'],
    // Fields say what the words cannot take back.
    [{ error: 'server_error', apiError: 'connection_failed', text: refused }, 'transient'],
    [{ error: 'server_error', apiErrorStatus: 502, text: `502 the proxy says: ${refused}` }, 'wall'],
    // A handshake that breaks off says nothing of a certificate.
    [{ error: 'server_error', text: 'API Error: Unable to connect to API: SSL error (EPROTO)' }, 'transient'],
    [{ error: 'server_error', text: 'API Error: Connection dropped (ECONNRESET).' }, 'transient'],
    [{ error: 'server_error', text: `API Error: 500 ${'x'.repeat(1000)} certificate has expired` }, 'transient'],
  ])('%j is %s', (failure, expected) => {
    expect(classifyFailure(failure)).toBe(expected);
  });
});

describe('R9.14 a history that is refused', () => {
  it.each([
    'API Error: 400 messages.7.content.1: text content blocks must be non-empty',
    'API Error: 400 `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1',
    'API Error: 400 `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified',
    'API Error: 400 text content blocks must be non-empty',
    'API Error: 400 image exceeds 5 MB maximum',
  ])('%s', (text) => {
    expect(classifyFailure({ apiErrorStatus: 400, error: 'unknown', terminalReason: 'api_error', text })).toBe(
      'history',
    );
    expect(classifyFailure({ apiErrorStatus: 400, error: 'invalid_request', text })).toBe('history');
    expect(classifyFailure({ text })).toBe('history');
    expect(classifyFailure({ apiErrorStatus: 500, error: 'server_error', text })).toBe('wall');
  });

  it('is known by its own word', () => {
    const text = 'API Error: 400 due to tool use concurrency issues.';
    expect(classifyFailure({ error: 'invalid_request', apiError: 'tool_history_mismatch', text })).toBe('history');
    expect(classifyFailure({ error: 'invalid_request', apiErrorStatus: 400, text })).toBe('fatal');
  });

  it('is not what a 400 about anything else says', () => {
    for (const text of ['thinking.budget_tokens: must be at least 1024', 'tools.3.custom.input_schema: invalid']) {
      expect(classifyFailure({ apiErrorStatus: 400, error: 'invalid_request', text: `API Error: 400 ${text}` })).toBe(
        'fatal',
      );
    }
  });

  it('holds an image that is refused only if a request of the session went through before', () => {
    const refused = {
      terminalReason: 'image_error',
      error: 'invalid_request',
      apiErrorStatus: 413,
      text: 'Request too large',
    };
    expect(classifyFailure(refused)).toBe('fatal');
    expect(classifyFailure(refused, { answered: true })).toBe('history');
  });

  it('is not a prompt that is too long', () => {
    const text = 'prompt is too long: 214870 tokens > 200000 maximum (messages.3)';
    expect(classifyFailure({ terminalReason: 'prompt_too_long', apiErrorStatus: 400, text })).toBe('full');
  });
});

describe('Z42 usage limits', () => {
  it.each<Row>([
    [{ error: 'rate_limit', text: "You've hit your session limit · resets 2:30am (Europe/Oslo)" }, 'limit'],
    [{ error: 'rate_limit', apiErrorStatus: 429, resetsAt: 1798761600, text: 'slow down' }, 'limit'],
    [{ text: 'Claude AI usage limit reached|1798761600' }, 'limit'],
    [{ text: 'weekly limit · resets Dec 3, 9am (Asia/Kolkata)' }, 'limit'],
    [{ text: "You've hit your Opus limit · resets 8pm" }, 'limit'],
    [{ error: 'rate_limit', text: 'session limit reached, resets soon' }, 'wall'],
    [{ text: 'Usage limit reached. Contact us.' }, 'wall'],
    [{ error: 'rate_limit', text: 'rate limit reached' }, 'transient'],
    [{ text: 'rate limit reached' }, 'transient'],
    // Words about a limit in a failure of another kind.
    [{ error: 'authentication_failed', text: 'session limit reached · resets 8pm' }, 'fatal'],
    [{ error: 'overloaded', resetsAt: 1798761600, text: '' }, 'wall'],
  ])('%j is %s', (failure, expected) => {
    expect(classifyFailure(failure)).toBe(expected);
  });
});

describe('C17 look-alikes', () => {
  const spent = '{"error":{"type":"insufficient_quota","message":"You have no credits remaining."}}';
  const overloaded = 'The service may be temporarily overloaded, please try again later';
  const daily = 'request reached organization TPD rate limit, current: 1506556, limit: 1500000';
  it.each<readonly [string, Failure, FailureClass]>([
    ['money that is gone', { apiErrorStatus: 429, error: 'rate_limit', text: `429 ${spent}` }, 'fatal'],
    ['money that is gone, without fields', { text: `429 ${spent}` }, 'fatal'],
    ['a low balance', { apiErrorStatus: 400, text: 'Credit balance is too low' }, 'fatal'],
    ['a rate limit', { apiErrorStatus: 429, text: '429 {"error":{"type":"rate_limit_error"}}' }, 'transient'],
    ['a rate limit without a status', { text: 'rate limit exceeded' }, 'transient'],
    ['a crowd', { apiErrorStatus: 429, error: 'rate_limit', text: `429 ${overloaded}` }, 'transient'],
    [
      'tokens of a day, whose end is not named',
      { apiErrorStatus: 429, error: 'rate_limit', text: `429 ${daily}` },
      'wall',
    ],
    [
      'a full context',
      { apiErrorStatus: 400, text: 'API Error: 400 prompt is too long: 214870 tokens > 200000 maximum' },
      'full',
    ],
    [
      'a rate limit in front of much output',
      {
        error: 'rate_limit',
        apiErrorStatus: 429,
        text: `API Error: 429 slow down\n${'expected 401, got 503\n'.repeat(900)} session limit reached`,
      },
      'transient',
    ],
  ])('%s', (_, failure, expected) => {
    expect(classifyFailure(failure)).toBe(expected);
  });
});
