import { Event } from '../events/event.js';

/** Who asks: the role whose server the question came through, and the worker if it is known to be one. */
export interface AskFrom {
  readonly role: string;
  readonly agentId?: string;
}

/**
 * Where a question stands. `asked` waits; all others are settled for good. `interrupted` is a question whose turn was stopped
 * while it waited: nobody refused anything, and nobody waits for the answer any more.
 */
export type AskState = 'asked' | 'answered' | 'timeout' | 'declined' | 'over_budget' | 'invalid' | 'interrupted';

/** What an Ask is made from. */
export type AskInit = Pick<Ask, 'id' | 'question'> &
  Partial<Pick<Ask, 'options' | 'askedAt' | 'state' | 'answer' | 'timeoutS' | 'default' | 'from'>>;

/**
 * One question to a person, and what became of it. `answer` is the text that the asker gets in any case: the person's words in
 * state `answered`, else a fixed note that tells the model how to go on. Only `answered` is a decision of a person.
 *
 * @example
 * const ask = await channel.ask('Keep the old column?', ['keep', 'drop']);
 * if (ask.state === 'answered') migrate(ask.answer);
 */
export class Ask {
  id: string;
  question: string;
  options: string[];
  /** Seconds since 1970. */
  askedAt: number;
  state: AskState;
  answer: string;
  /** Seconds it may wait; null = for ever, 0 or less = not at all. */
  timeoutS: number | null;
  /** What the asker goes by if nobody answers. Never an answer. */
  default: string | null;
  from: AskFrom | null;
  #settledAt: number | null = null;

  constructor(init: AskInit) {
    this.id = init.id;
    this.question = init.question;
    this.options = init.options ?? [];
    this.askedAt = init.askedAt ?? Date.now() / 1000;
    this.state = init.state ?? 'asked';
    this.answer = init.answer ?? '';
    this.timeoutS = init.timeoutS ?? null;
    this.default = init.default ?? null;
    this.from = init.from ?? null;
  }

  /** Seconds it has waited until now, or waited until it was settled; one decimal. */
  get waitedS(): number {
    const waited = (this.#settledAt ?? Date.now() / 1000) - this.askedAt;
    return Math.max(0, Math.round(waited * 10) / 10);
  }

  /** Ends the question. The first outcome holds. */
  settle(state: Exclude<AskState, 'asked'>, answer: string): void {
    if (this.state !== 'asked') return;
    this.state = state;
    this.answer = answer;
    this.#settledAt = Date.now() / 1000;
  }

  /** The question as an event; `remaining` = how many more questions are allowed, -1 = any number. */
  event(remaining = -1): Event {
    return new Event('ask', {
      text: this.question,
      raw: this,
      payload: {
        id: this.id,
        options: [...this.options],
        state: this.state,
        answer: this.answer,
        remaining,
        asked_at: this.askedAt,
        timeout_s: this.timeoutS,
        default: this.default,
        from: this.from && { role: this.from.role, agent_id: this.from.agentId ?? null },
      },
    });
  }
}
