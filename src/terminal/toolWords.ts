import type { Event } from '../events/event.js';
import { type Locale, type LocaleKey, text } from '../locale/locale.js';

/** What flower's own tools do, for a reader who does not know their names. */
const OWN_TOOLS = {
  mcp__human__ask: 'tool.ask',
  mcp__human__inbox: 'tool.inbox',
  mcp__flower__submit_brief: 'tool.submitBrief',
  mcp__flower__submit_goal: 'tool.submitGoal',
  mcp__flower__submit_verdict: 'tool.submitVerdict',
  mcp__flower__submit_handoff: 'tool.submitHandoff',
} as const satisfies Record<string, LocaleKey>;

/**
 * What a tool is called on screen.
 *
 * @example
 * toolName('mcp__github__search', 'en'); // 'github search'
 */
export function toolName(tool: string, locale: Locale): string {
  return Object.hasOwn(OWN_TOOLS, tool)
    ? text(OWN_TOOLS[tool as keyof typeof OWN_TOOLS], {}, locale)
    : tool.replace(/^mcp__(.+?)__/, '$1 ');
}

/** The argument of a tool call that says most, one short text. */
export function toolArgument(event: Event): string {
  const input = fieldsOf(event.payload.input);
  const keys = ['file_path', 'path', 'command', 'pattern', 'url', 'query', 'description'];
  const argument = keys.map((key) => input[key]).find((value) => typeof value === 'string' && value !== '');
  return (typeof argument === 'string' ? argument : event.text).slice(0, 200);
}

/** The worker that a dispatch calls for and what for; null if the call is none. */
export function dispatchOf(event: Event): { role: string; task: string } | null {
  if (event.tool !== 'Agent' && event.tool !== 'Task') return null;
  const { subagent_type: role, description, prompt } = fieldsOf(event.payload.input);
  return { role: String(role ?? ''), task: String(description || prompt || '') };
}

/**
 * What a tool answered. The event's own text is empty for a list of blocks; those are in the message that the event was made from,
 * if it is still at hand. Blocks without text are named by their kind.
 */
export function toolResultText(event: Event): string {
  if (event.text !== '') return event.text;
  const blocks = fieldsOf(fieldsOf(event.raw).message).content;
  const result = listOf(blocks).find((block) => block.tool_use_id === event.payload.tool_use_id);
  const parts = listOf(result?.content);
  const words = parts.flatMap((part) => (typeof part.text === 'string' ? [part.text] : []));
  return (words.length > 0 ? words.join('\n') : parts.map((part) => `[${part.type}]`).join(' ')).slice(0, 500);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}
