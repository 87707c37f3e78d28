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

/** All English texts. This pack defines which keys there are. */
export const en = {
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
} as const;
