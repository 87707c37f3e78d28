import { HandoffPolicy } from '../../agent/handoffPolicy.js';
import { CREDENTIAL_KEYS, KNOWN_KEYS } from '../../credentials/knownKeys.js';
import { noticeText, sourceText } from '../../credentials/noticeText.js';
import { probeCredentials } from '../../credentials/probeCredentials.js';
import { text } from '../../locale/locale.js';
import { probeTarget, whyUnreachable } from '../../runtime/endpoint.js';
import { windowSourceText } from '../settings.js';
import { bad, type Finding, ok, warn } from './finding.js';
import { effective, type Site } from './site.js';

/** Where each key comes from, and who else sets it. No value is ever shown. */
export async function checkCredentials({ settings }: Site): Promise<Finding[]> {
  const found = KNOWN_KEYS.flatMap((key) => {
    const setting = settings.values.get(key);
    if (!setting) return [];
    const source = sourceText(setting.source);
    const others = (settings.sources.get(key) ?? []).slice(1).map((other) => sourceText(other));
    const words = text('doctor.credentials', { key, source });
    return [
      ok(others.length > 0 ? `${words} ${text('doctor.credentials.shadows', { others: others.join(', ') })}` : words),
    ];
  });
  const origins = settings.notices.filter(({ kind }) => kind === 'mixed' || kind === 'project');
  const none = !CREDENTIAL_KEYS.some((key) => settings.values.has(key));
  return [
    ...(none ? [bad(text('doctor.credentials.none'))] : []),
    ...found,
    ...origins.map((notice) => warn(noticeText(notice))),
  ];
}

export async function checkEnvFiles({ settings, settingsFault }: Site): Promise<Finding[]> {
  const odd = settings.notices.filter(({ kind }) => kind !== 'mixed' && kind !== 'project');
  return [
    ...(settingsFault === null ? [] : [bad(settingsFault)]),
    ok(text('doctor.env_files', { n: settings.files.length })),
    ...odd.map((notice) => warn(noticeText(notice))),
  ];
}

/** A connection without a request; with leave to spend a little, the smallest request. */
export async function checkEndpoint(site: Site): Promise<Finding[]> {
  const values = effective(site);
  const [host, port] = probeTarget(values);
  const why = await whyUnreachable(host, port);
  if (why !== null) return [warn(text('doctor.endpoint.bad', { host, port, why }))];
  const reached = ok(text('doctor.endpoint', { host, port }));
  if (!site.probe) return [reached];
  const { conclusion, detail } = await probeCredentials({
    apiKey: values.ANTHROPIC_API_KEY ?? null,
    authToken: values.ANTHROPIC_AUTH_TOKEN ?? null,
    baseUrl: values.ANTHROPIC_BASE_URL ?? null,
    model: values.ANTHROPIC_DEFAULT_HAIKU_MODEL || values.ANTHROPIC_MODEL || null,
  });
  switch (conclusion) {
    case 'ok':
      return [reached, ok(text('doctor.endpoint.probed'))];
    case 'net':
      return [reached, warn(text('probe.net', { detail }))];
    case 'auth':
      return [reached, bad(text('probe.auth', { detail }), text('doctor.setup'))];
    case 'config':
      return [reached, bad(text('probe.config', { detail }), text('doctor.setup'))];
  }
}

export async function checkWindow(site: Site): Promise<Finding[]> {
  const { window, at, windowSource } = new HandoffPolicy({}, effective(site));
  const found = ok(text('doctor.window', { window, at, source: windowSourceText(windowSource) }));
  return at < HandoffPolicy.STARTUP_FLOOR ? [warn(text('notice.window_small', { window, at }))] : [found];
}
