import type { shared as english } from '../en/shared.js';
import { screenRun } from './screenRun.js';
import { screenSetup } from './screenSetup.js';

export const shared = {
  'heading.detail': '{title}({detail})',
  'starter.isolateNeedsGit':
    'isolate 要求 {path} 是 git 仓库,因为每个干活的人要分一份 worktree。先在那里 `git init`,或者不用 isolate。',
  'diag.generations': screenRun['ev.generation_cap'],
  'diag.degradedTwice': screenRun['ev.degraded_twice'],
  'diag.calibrated': '窗口是以前撞满时学到的,记在 {path}。',
  'event.modelMismatch': screenRun['ev.model_mismatch'],
  'event.modelSuffix': screenRun['ev.model_suffix'],
  'credentials.missing': `${screenSetup['cred.missing.1']}\n${screenSetup['cred.missing.2']}\n${screenSetup['cred.missing.3']}\n${screenSetup['cred.missing.4']}`,
  'env.fileMissing': screenRun['err.env_file'],
  'env.openQuote': screenSetup['cfg.quote'],
  'env.cutAtHash': screenSetup['cfg.hash'],
  'env.fromProject': screenSetup['cfg.project'],
} satisfies Record<keyof typeof english, string>;
