import { adoptSettings } from '../credentials/loadDotenv.js';
import { sourceText } from '../credentials/noticeText.js';
import { saveUserEnv } from '../credentials/saveUserEnv.js';
import { settingsFromAnswers } from '../credentials/settingsFromAnswers.js';
import { userEnvPath } from '../credentials/userEnvPath.js';
import { text } from '../locale/locale.js';
import { setupDialogue } from '../terminal/setupDialogue.js';
import { Exit } from './exit.js';
import { layoutOf, type Screen } from './screen.js';

/**
 * Asks for credentials, stores them and puts them into effect. False if the person gave none.
 *
 * @throws Exit if the person pressed Ctrl-C or Ctrl-D
 */
export async function askForCredentials(
  screen: Screen,
  options: { readonly reason: string; readonly workspace: string },
): Promise<boolean> {
  const { ui } = screen;
  const path = userEnvPath();
  const answers = await setupDialogue(ui, { reason: options.reason, path, ...layoutOf(screen) });
  if (answers === 'cancelled') throw new Exit(1, text('cancelled'));
  if (answers === 'no_token') return false;
  const values = settingsFromAnswers(answers);
  saveUserEnv(values);
  ui.notice(text('setup.saved', { path }), 'green', '+ ');
  for (const { key, source } of adoptSettings(values, { workspace: options.workspace })) {
    ui.notice(text('setup.shadowed', { key, source: sourceText(source) }), 'yellow', '! ');
  }
  return true;
}
