import { screenRun } from './screenRun.js';
import { screenSetup } from './screenSetup.js';

/** Texts that the library says and the screen shows: one wording under two keys. And small forms that several texts share. */
export const shared = {
  'heading.detail': '{title} ({detail})',
  'starter.isolateNeedsGit':
    'isolate needs {path} to be a git repository, since every worker gets its own worktree. Run `git init` there first, or leave isolate off.',
  'diag.generations': screenRun['ev.generation_cap'],
  'diag.degradedTwice': screenRun['ev.degraded_twice'],
  'diag.calibrated': 'The window was learnt from an earlier overflow; it is kept in {path}.',
  'event.modelMismatch': screenRun['ev.model_mismatch'],
  'event.modelSuffix': screenRun['ev.model_suffix'],
  'credentials.missing': `${screenSetup['cred.missing.1']}\n${screenSetup['cred.missing.2']}\n${screenSetup['cred.missing.3']}\n${screenSetup['cred.missing.4']}`,
  'env.fileMissing': screenRun['err.env_file'],
  'env.openQuote': screenSetup['cfg.quote'],
  'env.cutAtHash': screenSetup['cfg.hash'],
  'env.fromProject': screenSetup['cfg.project'],
} as const;
