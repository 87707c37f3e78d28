import { documents } from './documents.mjs';
import { economy } from './economy/economy.mjs';
import { events } from './events.mjs';
import { floor } from './floor.mjs';
import { longRun } from './longRun.mjs';
import { overhead } from './overhead.mjs';
import { shell } from './shell.mjs';
import { start } from './start.mjs';
import { store } from './store.mjs';
import { workbench } from './workbench.mjs';

/** All benches, in the order of the document. */
export const benches = [economy, floor, overhead, longRun, store, workbench, events, start, shell, documents];
