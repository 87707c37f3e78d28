import type { Brief } from './brief.js';
import type { Goal } from './goal.js';
import type { Handoff } from './handoff.js';
import type { Verdict } from './verdict.js';

/** A document that a role has handed in by tool, and which it is. */
export type HandIn =
  | { readonly kind: 'brief'; readonly document: Brief }
  | { readonly kind: 'goal'; readonly document: Goal }
  | { readonly kind: 'verdict'; readonly document: Verdict }
  | { readonly kind: 'handoff'; readonly document: Handoff };

/** The documents that can be handed in. */
export type HandInKind = HandIn['kind'];

/** The tools with which roles hand their documents in, as the model sees them. */
export const HAND_IN_TOOLS: Readonly<Record<HandInKind, string>> = {
  brief: 'mcp__flower__submit_brief',
  goal: 'mcp__flower__submit_goal',
  verdict: 'mcp__flower__submit_verdict',
  handoff: 'mcp__flower__submit_handoff',
};
