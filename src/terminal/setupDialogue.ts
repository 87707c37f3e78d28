import type { SetupAnswers } from '../credentials/settingsFromAnswers.js';
import { type Locale, text } from '../locale/locale.js';
import { Layout } from './layout.js';
import type { TerminalUi } from './terminalUi.js';

export interface SetupDialogueOptions {
  /** Why it is asked, one sentence. */
  readonly reason: string;
  /** File that the answers will be stored in. */
  readonly path: string;
  readonly locale: Locale;
  readonly color: boolean;
  readonly columns: number | undefined;
}

/** What the dialogue came to: `no_token` if the first answer was empty, `cancelled` for Ctrl-C or the end of input. */
export type SetupResult = SetupAnswers | 'no_token' | 'cancelled';

/**
 * Asks a person for credentials, address, model and window. Stores nothing.
 *
 * @example
 * const answers = await setupDialogue(ui, { reason: text('setup.reason.first'), path: userEnvPath(), locale: 'en', color: true, columns: 80 });
 * if (typeof answers === 'object') saveUserEnv(settingsFromAnswers(answers));
 */
export async function setupDialogue(
  ui: Pick<TerminalUi, 'readLine' | 'lines' | 'notice'>,
  options: SetupDialogueOptions,
): Promise<SetupResult> {
  const { locale, reason, path } = options;
  ui.lines(headLines(options));
  ui.notice(reason, 'yellow');
  ui.notice(text('setup.where', { path }, locale), 'dim');

  const token = await ask(ui, text('setup.q.token', {}, locale), { hidden: true });
  if (token === null) return 'cancelled';
  if (token === '') {
    ui.notice(text('setup.no_token', {}, locale), 'red');
    return 'no_token';
  }
  const head = token.length > 8 ? token.slice(0, 4) : '';
  ui.notice(text('setup.token_seen', { head, n: token.length }, locale), 'dim');

  const baseUrl = await askUntil(ui, text('setup.q.base', {}, locale), {
    isGood: (address) => address === '' || (/^https?:\/\//.test(address) && URL.canParse(address)),
    complaint: text('setup.bad_base', {}, locale),
  });
  if (baseUrl === null) return 'cancelled';
  const model = await ask(ui, text('setup.q.model', {}, locale));
  if (model === null) return 'cancelled';
  const window = await askUntil(ui, text('setup.q.window', {}, locale), {
    isGood: (tokens) => /^(0*[1-9]\d*)?$/.test(tokens),
    complaint: text('setup.bad_window', {}, locale),
  });
  return window === null ? 'cancelled' : { token, baseUrl, model, window };
}

function headLines(options: SetupDialogueOptions): string[] {
  const layout = new Layout(options, '');
  const head = (words: string) => layout.paint.bold(layout.paint.cyan(words));
  return ['', ...layout.line('== ', [[`${text('setup.title', {}, options.locale)} ${'='.repeat(40)}`, head]], head)];
}

async function ask(ui: Pick<TerminalUi, 'readLine'>, heading: string, options: { hidden?: boolean } = {}) {
  const line = await ui.readLine(heading, { mark: '   > ', hue: 'yellow', ...options });
  return line?.trim() ?? null;
}

async function askUntil(
  ui: Pick<TerminalUi, 'readLine' | 'notice'>,
  heading: string,
  { isGood, complaint }: { isGood: (answer: string) => boolean; complaint: string },
): Promise<string | null> {
  for (;;) {
    const answer = await ask(ui, heading);
    if (answer === null || isGood(answer)) return answer;
    ui.notice(complaint, 'red');
  }
}
