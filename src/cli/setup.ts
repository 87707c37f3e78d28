import { checkCredentials } from '../credentials/checkCredentials.js';
import { userEnvPath } from '../credentials/userEnvPath.js';
import { text } from '../locale/locale.js';
import { askForCredentials } from './dialogue.js';
import { Exit } from './exit.js';
import { placesToSee } from './places.js';
import type { GlobalFlags } from './program.js';
import { withScreen } from './screen.js';
import { loadSettingsFor, showSettings } from './settings.js';

/** `flower setup`: asks for credentials and stores them. Gives the exit code. */
export async function setup(flags: GlobalFlags): Promise<number> {
  const { workspace } = placesToSee(flags);
  const settings = loadSettingsFor(workspace, flags);
  return withScreen(flags, async (screen) => {
    showSettings(screen, settings);
    if (!screen.ui.isTerminal) throw new Exit(1, text('err.setup_tty', { path: userEnvPath() }));
    const reason = text(checkCredentials() === null ? 'setup.reason.again' : 'setup.reason.never');
    return (await askForCredentials(screen, { reason, workspace })) ? 0 : 1;
  });
}
