import type { SessionSummaryEntry } from '@anthropic-ai/claude-agent-sdk';

/** Names of the summary fields on disk. Earlier flower wrote them like this, and both can go on with one file. */
const diskNames = new Map(
  Object.entries({
    isSidechain: 'is_sidechain',
    createdAt: 'created_at',
    cwd: 'cwd',
    firstPrompt: 'first_prompt',
    firstPromptLocked: 'first_prompt_locked',
    commandFallback: 'command_fallback',
    customTitle: 'custom_title',
    aiTitle: 'ai_title',
    lastPrompt: 'last_prompt',
    summaryHint: 'summary_hint',
    gitBranch: 'git_branch',
    tag: 'tag',
    fileSize: 'file_size',
  }),
);
const sdkNames = new Map([...diskNames].map(([sdk, disk]) => [disk, sdk]));

/** The text that is stored for a summary. Fields that are not known here keep their names. */
export function encodeSummary(summary: SessionSummaryEntry): string {
  const data = renamed(summary.data, diskNames);
  return JSON.stringify({ session_id: summary.sessionId, mtime: summary.mtime, data });
}

/** A stored summary as the SDK wants it; undefined if the text is none, so that it is made anew instead of stopping an append. */
export function decodeSummary(text: string): SessionSummaryEntry | undefined {
  try {
    const { session_id, mtime, data } = JSON.parse(text);
    if (typeof session_id !== 'string' || typeof mtime !== 'number' || typeof data !== 'object' || !data)
      return undefined;
    return { sessionId: session_id, mtime, data: renamed(data, sdkNames) };
  } catch {
    return undefined;
  }
}

function renamed(data: Record<string, unknown>, names: ReadonlyMap<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(data).map(([name, value]) => [names.get(name) ?? name, value]));
}
