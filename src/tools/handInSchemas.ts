import { z } from 'zod';
import type { HandInKind } from '../documents/handIn.js';
import { type Locale, text } from '../locale/locale.js';

/**
 * The inputs of the hand-in tools. Texts may be absent: what is missing is told by name in one answer, together with everything
 * else, not by the first field that a schema refuses.
 */
export function handInSchemas(locale: Locale) {
  return {
    brief: {
      goal: z
        .string()
        .default('')
        .describe(text('tool.submitBrief.goal', {}, locale)),
      accept: z
        .string()
        .default('')
        .describe(text('tool.submitBrief.accept', {}, locale)),
      bounds: z
        .string()
        .default('')
        .describe(text('tool.submitBrief.bounds', {}, locale)),
      unknowns: z
        .string()
        .default('')
        .describe(text('tool.submitBrief.unknowns', {}, locale)),
    },
    goal: {
      statement: z
        .string()
        .default('')
        .describe(text('tool.submitGoal.statement', {}, locale)),
      items: z
        .array(
          z.object({
            text: z
              .string()
              .default('')
              .describe(text('tool.submitGoal.text', {}, locale)),
            verifiable: z
              .boolean()
              .default(true)
              .describe(text('tool.submitGoal.verifiable', {}, locale)),
            why: z
              .string()
              .default('')
              .describe(text('tool.submitGoal.why', {}, locale)),
          }),
        )
        .default([])
        .describe(text('tool.submitGoal.items', {}, locale)),
    },
    verdict: {
      items: z
        .array(
          z.object({
            number: z
              .number()
              .int()
              .describe(text('tool.submitVerdict.number', {}, locale)),
            state: z.enum(['met', 'failed', 'unverifiable']).describe(text('tool.submitVerdict.state', {}, locale)),
            evidence: z
              .string()
              .default('')
              .describe(text('tool.submitVerdict.evidence', {}, locale)),
          }),
        )
        .default([])
        .describe(text('tool.submitVerdict.items', {}, locale)),
      reason: z
        .string()
        .default('')
        .describe(text('tool.submitVerdict.reason', {}, locale)),
    },
    handoff: {
      doing: z
        .string()
        .default('')
        .describe(text('tool.submitHandoff.doing', {}, locale)),
      decided: z
        .string()
        .default('')
        .describe(text('tool.submitHandoff.decided', {}, locale)),
      deadends: z
        .string()
        .default('')
        .describe(text('tool.submitHandoff.deadends', {}, locale)),
      next: z
        .string()
        .default('')
        .describe(text('tool.submitHandoff.next', {}, locale)),
      scene: z
        .string()
        .default('')
        .describe(text('tool.submitHandoff.scene', {}, locale)),
    },
  } satisfies Record<HandInKind, z.ZodRawShape>;
}

type Shapes = ReturnType<typeof handInSchemas>;

/** What a hand-in tool is called with. */
export type HandInInput<K extends HandInKind> = { [F in keyof Shapes[K]]: z.output<Shapes[K][F]> };
