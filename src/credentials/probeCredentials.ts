import { DEFAULT_ADDRESS } from './knownKeys.js';

/** What one real request showed. `net` and `ok` are no reason to stop: a network fault must never make anybody retype a good token. */
export interface ProbeResult {
  readonly conclusion: 'ok' | 'auth' | 'config' | 'net';
  /** The service's or the network's own words on one line, at most 160 characters; empty for `ok`. */
  readonly detail: string;
}

export interface ProbeOptions {
  readonly apiKey?: string | null;
  readonly authToken?: string | null;
  /** Root address without `/v1`. @default the official one */
  readonly baseUrl?: string | null;
  /** A suffix in square brackets is removed. @default a small official model */
  readonly model?: string | null;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch;
  /** @default 20 */
  readonly timeoutS?: number;
}

const FALLBACK_MODEL = 'claude-3-5-haiku-20241022';

/**
 * Sends the smallest request that a credential, an address and a model name can fail on, and says which of them did. Never rejects.
 *
 * @example
 * const { conclusion } = await probeCredentials({ apiKey: process.env.ANTHROPIC_API_KEY });
 */
export async function probeCredentials(options: ProbeOptions): Promise<ProbeResult> {
  const { apiKey, authToken, fetch = globalThis.fetch, timeoutS = 20 } = options;
  if (!apiKey && !authToken) return { conclusion: 'auth', detail: '' };
  const model = options.model?.replace(/\[[^\]]*\]\s*$/, '').trim() ?? '';
  const base = (options.baseUrl || DEFAULT_ADDRESS).replace(/\/+$/, '');
  const inShort = (detail: string) => {
    const secrets = [apiKey, authToken].filter((secret) => secret) as string[];
    const hidden = secrets.reduce((words, secret) => words.replaceAll(secret, '***'), detail);
    return hidden.replace(/\s+/g, ' ').trim().slice(0, 160);
  };
  if (!/^https?:\/\//.test(base) || !URL.canParse(base)) return { conclusion: 'config', detail: inShort(base) };
  try {
    const response = await fetch(`${base}/v1/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        ...(apiKey ? { 'x-api-key': apiKey } : { authorization: `Bearer ${authToken}` }),
      },
      // Not 1 token: a model that must think fails on that only after half a minute.
      body: JSON.stringify({
        model: model || FALLBACK_MODEL,
        max_tokens: 16,
        messages: [{ role: 'user', content: 'hi' }],
      }),
      // A redirect would carry the key to an address that nobody chose.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutS * 1000),
    });
    const body = await response.text();
    const conclusion = conclusionOf(response.status, body, { configured: model !== '' });
    return { conclusion, detail: conclusion === 'ok' ? '' : inShort(`${response.status} ${messageIn(body)}`) };
  } catch (error) {
    return { conclusion: 'net', detail: inShort(causeOf(error)) };
  }
}

function conclusionOf(
  status: number,
  body: string,
  { configured }: { configured: boolean },
): ProbeResult['conclusion'] {
  if (status === 401 || status === 403) return 'auth';
  if (status >= 500) return 'net';
  // The bare word "model" proves nothing, nearly every error body has it.
  const unknownName = /not[_ ]found|does not exist|unknown model|no such model|invalid model/i.test(body);
  return (status === 404 && configured) || (status === 400 && unknownName) ? 'config' : 'ok';
}

function messageIn(body: string): string {
  try {
    const parsed: { error?: { message?: unknown } } = JSON.parse(body);
    if (typeof parsed.error?.message === 'string') return parsed.error.message;
  } catch {}
  return body;
}

/** `fetch` says no more than "fetch failed"; what failed is in its cause. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  const code = 'code' in cause ? `${cause.code} ` : '';
  return `${code}${cause.message || cause.name}`;
}
