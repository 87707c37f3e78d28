import { type Locale, text } from '../locale/locale.js';
import { checkedFields } from './policyFields.js';

/**
 * What is taken out of a history because it misleads, and which texts stand for what is missing.
 *
 * @example
 * new PrunePolicy({ keepDenials: 0 });
 */
export class PrunePolicy {
  /** Drop the lines that the program itself wrote in the model's name, and what it writes of a worker that an error ended. @default true */
  readonly dropApiErrors: boolean = true;
  /** For a worker that an API failure ended; goes with `dropApiErrors`. @default the locale's */
  readonly cutWorkerText: string;
  /** Say plainly what an interrupt left behind. @default true */
  readonly neutralizeInterrupts: boolean = true;
  /** For an interrupted call that only looks or never ran. @default the locale's */
  readonly interruptText: string;
  /** Give calls without a result one that says so. @default true */
  readonly healOrphans: boolean = true;
  /** For a call without a result that only looks. @default the locale's */
  readonly orphanText: string;
  /** For any other call without a result: it may have happened. @default the locale's */
  readonly orphanUnknownText: string;
  /** How many refused calls stay, the newest ones. @default 1 */
  readonly keepDenials: number = 1;

  constructor(fields: Partial<PrunePolicy> = {}, locale?: Locale) {
    this.interruptText = text('prune.interrupt', {}, locale);
    this.orphanText = text('prune.orphan', {}, locale);
    this.orphanUnknownText = text('prune.orphanUnknown', {}, locale);
    this.cutWorkerText = text('prune.cutWorker', {}, locale);
    Object.assign(this, checkedFields('PrunePolicy', fields, this));
  }
}
