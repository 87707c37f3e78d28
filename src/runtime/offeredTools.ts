/** What the first `system/init` of a query says about the main thread's tools, held against what was meant. */
export interface OfferedTools {
  /** Built-in tools that it must not have. One is enough to stop: a misspelt or forgotten `agent` gives every tool in silence. */
  readonly tooMany: readonly string[];
  /** Tools that it lacks. */
  readonly missing: readonly string[];
}

/**
 * Compares the tools that a session offers on its main thread with the list that was meant.
 *
 * @param offered names as `system/init` gives them (it calls `Agent` by its old name `Task`)
 * @param meant the list given to the harness, with `Agent(<worker>)` for each worker
 */
export function compareTools(offered: readonly string[], meant: readonly string[]): OfferedTools {
  const has = new Set(offered.map((tool) => (tool === 'Task' ? 'Agent' : tool)));
  const should = new Set(meant.map((tool) => (tool.startsWith('Agent(') ? 'Agent' : tool)));
  return {
    tooMany: [...has].filter((tool) => !should.has(tool) && !tool.startsWith('mcp__')),
    missing: [...should].filter((tool) => !has.has(tool)),
  };
}
