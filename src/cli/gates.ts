import { checkCredentials } from '../credentials/checkCredentials.js';
import { isCredentialFailure } from '../credentials/isCredentialFailure.js';
import { isOn } from '../credentials/isOn.js';
import { type ProbeResult, probeCredentials } from '../credentials/probeCredentials.js';
import { text } from '../locale/locale.js';
import { askForCredentials } from './dialogue.js';
import { Exit } from './exit.js';
import type { Screen } from './screen.js';

/**
 * Sees that there are credentials and, with a person there who could mend them, that they work.
 *
 * @throws Exit if there are none, or if they were refused and not mended
 */
export async function passGates(screen: Screen, workspace: string): Promise<void> {
  await mustHaveCredentials(screen, workspace);
  if (screen.ui.isTerminal && !isOn(process.env.FLOWER_NO_PROBE)) await mustWork(screen, workspace);
}

/**
 * After a run that failed: if the credentials were refused, lets the person enter them again. The failed step is not repeated
 * unasked.
 */
export async function mendAfterFailure(screen: Screen, errors: readonly string[], workspace: string): Promise<void> {
  const failure = errors.find(isCredentialFailure);
  if (failure === undefined || !screen.ui.isTerminal) return;
  screen.ui.notice(text('reconf.seen', { detail: cut(failure, 120) }), 'yellow', '! ');
  const saved = await askForCredentials(screen, { reason: text('setup.reason.after'), workspace });
  if (saved) screen.ui.notice(text('reconf.done'), 'green', '+ ');
}

async function mustHaveCredentials(screen: Screen, workspace: string): Promise<void> {
  const missing = checkCredentials();
  if (missing === null) return;
  const reason = text('setup.reason.first');
  if (screen.ui.isTerminal && (await askForCredentials(screen, { reason, workspace }))) return;
  // One line: what is missing, and the easiest way. The other ways are in the README.
  throw new Exit(1, missing.split('\n').slice(0, 2).join(' '));
}

async function mustWork(screen: Screen, workspace: string): Promise<void> {
  screen.ui.notice(text('probe.start'), 'dim', '- ');
  const first = await probe();
  if (first.conclusion === 'net') screen.ui.notice(text('probe.net', { detail: cut(first.detail, 80) }), 'dim');
  const refused = refusal(first);
  if (refused === null) return;
  screen.ui.notice(refused, 'yellow', '! ');
  const saved = await askForCredentials(screen, { reason: text('setup.reason.probe'), workspace });
  if (!saved) throw new Exit(1, text('err.probe_giveup', { what: refused }));
  const still = refusal(await probe());
  if (still !== null) throw new Exit(1, text('err.probe_again', { what: still }));
}

function probe(): Promise<ProbeResult> {
  const { env } = process;
  return probeCredentials({
    apiKey: env.ANTHROPIC_API_KEY ?? null,
    authToken: env.ANTHROPIC_AUTH_TOKEN ?? null,
    baseUrl: env.ANTHROPIC_BASE_URL ?? null,
    model: env.ANTHROPIC_DEFAULT_HAIKU_MODEL || env.ANTHROPIC_MODEL || null,
  });
}

/** What a person can mend; null for everything else. */
function refusal({ conclusion, detail }: ProbeResult): string | null {
  if (conclusion === 'auth') return text('probe.auth', { detail });
  return conclusion === 'config' ? text('probe.config', { detail }) : null;
}

function cut(words: string, length: number): string {
  return words.replace(/\s+/g, ' ').slice(0, length);
}
