import { economy } from './economy/economy.mjs';
import { floor } from './floor.mjs';
import { overhead } from './overhead.mjs';

/** All benches, in the order of the document. */
export const benches = [economy, floor, overhead];
