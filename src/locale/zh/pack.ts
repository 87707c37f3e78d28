import type { en } from '../en/pack.js';
import { bench } from './bench.js';
import { cli } from './cli.js';
import { demo } from './demo.js';
import { documents } from './documents.js';
import { faults } from './faults.js';
import { human } from './human.js';
import { judging } from './judging.js';
import { prompts } from './prompts.js';
import { report } from './report.js';
import { rules } from './rules.js';
import { runtime } from './runtime.js';
import { screenDoctor } from './screenDoctor.js';
import { screenHelp } from './screenHelp.js';
import { screenInput } from './screenInput.js';
import { screenPage } from './screenPage.js';
import { screenRun } from './screenRun.js';
import { screenSetup } from './screenSetup.js';
import { shell } from './shell.js';
import { steps } from './steps.js';
import { stores } from './stores.js';
import { tools } from './tools.js';
import { workflow } from './workflow.js';
import { worktrees } from './worktrees.js';

/** All Chinese texts. The same keys as the English pack, or the build fails. */
export const zh: Readonly<Record<keyof typeof en, string>> = {
  ...documents,
  ...cli,
  ...demo,
  ...steps,
  ...runtime,
  ...human,
  ...stores,
  ...bench,
  ...workflow,
  ...worktrees,
  ...judging,
  ...prompts,
  ...faults,
  ...report,
  ...rules,
  ...shell,
  ...tools,
  ...screenHelp,
  ...screenInput,
  ...screenRun,
  ...screenSetup,
  ...screenDoctor,
  ...screenPage,
};
