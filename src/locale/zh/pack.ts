import type { en } from '../en/pack.js';
import { bench } from './bench.js';
import { documents } from './documents.js';
import { human } from './human.js';
import { runtime } from './runtime.js';
import { screenDoctor } from './screenDoctor.js';
import { screenHelp } from './screenHelp.js';
import { screenInput } from './screenInput.js';
import { screenPage } from './screenPage.js';
import { screenRun } from './screenRun.js';
import { screenSetup } from './screenSetup.js';
import { steps } from './steps.js';
import { stores } from './stores.js';
import { workflow } from './workflow.js';

/** All Chinese texts. The same keys as the English pack, or the build fails. */
export const zh: Readonly<Record<keyof typeof en, string>> = {
  ...documents,
  ...steps,
  ...runtime,
  ...human,
  ...stores,
  ...bench,
  ...workflow,
  ...screenHelp,
  ...screenInput,
  ...screenRun,
  ...screenSetup,
  ...screenDoctor,
  ...screenPage,
};
