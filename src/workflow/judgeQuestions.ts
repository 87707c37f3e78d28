import type { Verdict } from '../documents/verdict.js';
import type { HumanChannel } from '../human/humanChannel.js';
import { type Locale, text } from '../locale/locale.js';
import { askFramework } from './askFramework.js';

/** What a person decides in place of a judge. */
export type Decision =
  | { readonly kind: 'accept' | 'stop' | 'nobody' }
  /** Another round, with these words as its reason. */
  | { readonly kind: 'again'; readonly reason: string }
  /** Another round, with these words added to the goal. */
  | { readonly kind: 'change'; readonly goal: string };

/** The questions of a goal guard. None of them counts against the quota of the agents. */
export class JudgeQuestions {
  readonly #channel: HumanChannel;
  readonly #locale: Locale;

  constructor(channel: HumanChannel, locale: Locale) {
    this.#channel = channel;
    this.#locale = locale;
  }

  /** Two judges gave no conclusion. */
  async unreadable(verdict: Verdict): Promise<Decision> {
    const said = verdict.reason || text('verdict.noReason', {}, this.#locale);
    const answer = await this.#ask(text('unreadable.question', { text: said }, this.#locale), {
      options: ['unreadable.met', 'unreadable.notMet'],
      unclear: 'unreadable.notMet',
    });
    if (answer.option === null) return { kind: 'nobody' };
    return answer.option === 'unreadable.met' ? { kind: 'accept' } : { kind: 'again', reason: answer.words };
  }

  /** The goal cannot be reached or verified here. */
  async unreachable(verdict: Verdict): Promise<Decision> {
    const locale = this.#locale;
    const reason = verdict.reason || text('verdict.noReason', {}, locale);
    const answer = await this.#ask(text('unreachable.question', { reason }, locale), {
      options: ['unreachable.accept', 'unreachable.change', 'unreachable.misjudged'],
      unclear: 'unreachable.misjudged',
    });
    if (answer.option === null) return { kind: 'nobody' };
    if (answer.option === 'unreachable.accept') return { kind: 'accept' };
    if (answer.option === 'unreachable.misjudged') {
      return { kind: 'again', reason: text('goal.humanDisagrees', { words: answer.words }, locale) };
    }
    const wanted = await this.#channel.ask(text('unreachable.newGoal', {}, locale), null, { exempt: true });
    const goal = wanted.state === 'answered' ? wanted.answer.trim() : '';
    return goal ? { kind: 'change', goal } : { kind: 'again', reason };
  }

  /** Two rounds failed at the same items and changed nothing. */
  async breaker(items: readonly string[]): Promise<Decision> {
    const list = items.map((item) => `  · ${item}`).join('\n');
    const answer = await this.#ask(text('breaker.question', { n: 2, items: list }, this.#locale), {
      options: ['breaker.again', 'unreachable.accept', 'breaker.stop'],
      unclear: 'breaker.again',
    });
    if (answer.option === null) return { kind: 'nobody' };
    if (answer.option === 'unreachable.accept') return { kind: 'accept' };
    if (answer.option === 'breaker.stop') return { kind: 'stop' };
    return { kind: 'again', reason: answer.isOption ? '' : answer.words };
  }

  #ask(question: string, options: Omit<Parameters<typeof askFramework>[2], 'locale'>): ReturnType<typeof askFramework> {
    return askFramework(this.#channel, question, { ...options, locale: this.#locale });
  }
}
