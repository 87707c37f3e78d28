import { economy } from './economy/economy.mjs';

/** All benches, in the order of the document. */
export const benches = [economy];
