import { createSdkMcpServer, type McpServerConfig, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';
import { HAND_IN_TOOLS, type HandIn, type HandInKind } from '../documents/handIn.js';
import { type Locale, text } from '../locale/locale.js';
import { type HandInRules, take } from './handInDocuments.js';
import { handInSchemas } from './handInSchemas.js';

/** After so many refusals of one document no more is asked for: no session spends its budget on a form. */
const MAX_REFUSALS = 5;

/** What a tool call is answered with. */
export interface HandInAnswer {
  readonly accepted: boolean;
  readonly text: string;
}

const describedBy = {
  brief: 'tool.submitBrief.description',
  goal: 'tool.submitGoal.description',
  verdict: 'tool.submitVerdict.description',
  handoff: 'tool.submitHandoff.description',
} as const;

/**
 * Takes the documents that a role hands in by tool. What is incomplete goes back at once, with every fault named, in the same
 * turn. One desk serves one run of a step, over all its attempts.
 *
 * @example
 * const desk = new HandInDesk({ kinds: ['verdict'], checks: goal.checks, locale: 'en' });
 * const options = { mcpServers: desk.servers(), allowedTools: desk.toolNames };
 */
export class HandInDesk {
  readonly #kinds: readonly HandInKind[];
  readonly #rules: HandInRules;
  readonly #handoffDue: () => boolean;
  readonly #answers = new Map<string, HandInAnswer>();
  readonly #refusals = new Map<HandInKind, number>();
  #last: HandIn | null = null;

  /**
   * @param options `kinds`: the documents that may be handed in; `checks`: the checklist that a verdict has to cover, null if there
   *   is none; `locale`: the language of documents and answers; `handoffDue`: whether a handoff has been asked for, never by default
   */
  constructor(options: {
    readonly kinds: readonly HandInKind[];
    readonly checks?: readonly string[] | null;
    readonly locale: Locale;
    readonly handoffDue?: () => boolean;
  }) {
    this.#kinds = options.kinds;
    this.#rules = { locale: options.locale, checks: options.checks ?? null };
    this.#handoffDue = options.handoffDue ?? (() => false);
  }

  /** The document that was accepted last, null before that. */
  get last(): HandIn | null {
    return this.#last;
  }

  /** The tools of this desk, by the names that the model calls. */
  get toolNames(): string[] {
    return this.#kinds.map((kind) => HAND_IN_TOOLS[kind]);
  }

  /** The server that offers them, for the `mcpServers` of one query. A new one on every call: one serves a single query. */
  servers(): Record<string, McpServerConfig> {
    const { locale } = this.#rules;
    const schemas = handInSchemas(locale);
    const tools = this.#kinds.map((kind) =>
      tool(toolNameOnServer(kind), text(describedBy[kind], {}, locale), schemas[kind], async (input, extra) => {
        const answer = this.submit(kind, input, toolUseIdOf(extra));
        return { content: [{ type: 'text', text: answer.text }], isError: !answer.accepted };
      }),
    );
    return { flower: createSdkMcpServer({ name: 'flower', version: '1', tools, alwaysLoad: true }) };
  }

  /**
   * One call of a hand-in tool. The same id twice, a call repeated after an abort, is one hand-in with one answer.
   *
   * @throws ZodError if the input has not the shape of the tool; the server refuses such a call before
   */
  submit(kind: HandInKind, input: unknown, toolUseId?: string): HandInAnswer {
    const known = toolUseId === undefined ? undefined : this.#answers.get(toolUseId);
    if (known) return known;
    const answer = this.#answer(kind, input);
    if (toolUseId !== undefined) this.#answers.set(toolUseId, answer);
    return answer;
  }

  #answer(kind: HandInKind, input: unknown): HandInAnswer {
    const { locale } = this.#rules;
    if (!this.#kinds.includes(kind) || (kind === 'handoff' && !this.#handoffDue())) {
      return { accepted: false, text: text('handin.notDue', {}, locale) };
    }
    const { handIn, faults } = taken(kind, input, this.#rules);
    if (faults.length === 0) {
      this.#last = handIn;
      return { accepted: true, text: text('handin.accepted', {}, locale) };
    }
    const refusals = (this.#refusals.get(kind) ?? 0) + 1;
    this.#refusals.set(kind, refusals);
    if (refusals > MAX_REFUSALS) return { accepted: false, text: text('handin.giveUp', { n: MAX_REFUSALS }, locale) };
    const list = faults.map((fault) => `- ${fault}`).join('\n');
    return { accepted: false, text: text('handin.refused', { faults: list }, locale) };
  }
}

function taken<K extends HandInKind>(kind: K, input: unknown, rules: HandInRules) {
  const schema = z.object(handInSchemas(rules.locale)[kind] as z.ZodRawShape);
  return take[kind](schema.parse(input) as Parameters<(typeof take)[K]>[0], rules);
}

function toolNameOnServer(kind: HandInKind): string {
  return HAND_IN_TOOLS[kind].replace('mcp__flower__', '');
}

/** The id of the call; the SDK declares the handler's second argument as unknown. */
function toolUseIdOf(extra: unknown): string | undefined {
  const { _meta } = (extra ?? {}) as { _meta?: Readonly<Record<string, unknown>> };
  const id = _meta?.['claudecode/toolUseId'];
  return typeof id === 'string' ? id : undefined;
}
