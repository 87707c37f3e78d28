import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Options,
  type Query,
  query,
  type SDKMessage,
  type SDKResultMessage,
  type SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk';

/** The switches under which the harness sends nothing that a test didn't ask for, beside the clean environment itself. */
const quiet = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
  CLAUDE_CODE_ENABLE_TASKS: '0',
  ENABLE_TOOL_SEARCH: 'false',
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
  CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1',
  CLAUDE_CODE_DISABLE_BUNDLED_SKILLS: '1',
  CLAUDE_CODE_DISABLE_CRON: '1',
  CLAUDE_CODE_DISABLE_WORKFLOWS: '1',
  CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS: '1',
  CLAUDE_CODE_FORK_SUBAGENT: '0',
};

/** What one run of the program gave. */
export interface HarnessRun {
  readonly messages: readonly SDKMessage[];
  /** The last result message. */
  readonly result: SDKResultMessage | undefined;
  /** What the iteration threw at its end, which it does after every error result. */
  readonly error: Error | undefined;
}

/** A folder tree with a home, a config folder and a workspace, for the real Claude Code program against a sim. */
export interface CleanHarness {
  readonly cwd: string;
  readonly configDir: string;
  /** The whole environment of the program. Nothing of the machine's own but PATH is in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a query that the test drives by itself: it can interrupt it, change the model, read message by message. */
  query(prompt: string | AsyncIterable<SDKUserMessage>, options?: Options): Query;
  /** Runs one query to its end. */
  run(prompt: string | AsyncIterable<SDKUserMessage>, options?: Options): Promise<HarnessRun>;
  /** Ends what still runs and deletes the tree. */
  remove(): void;
}

/**
 * Makes a clean place for the real program. Call `remove` when done.
 *
 * @example
 * const harness = cleanHarness(sim.url);
 * const { result } = await harness.run('Say hello', { tools: [] });
 * harness.remove();
 */
export function cleanHarness(baseUrl: string, extraEnv: Readonly<Record<string, string>> = {}): CleanHarness {
  const root = mkdtempSync(join(tmpdir(), 'flower-harness-'));
  const [home, configDir, cwd] = ['home', 'config', 'work'].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [home, configDir, cwd]) mkdirSync(folder);
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: home,
    CLAUDE_CONFIG_DIR: configDir,
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: 'sk-fake',
    ...quiet,
    ...extraEnv,
  };
  const started: Query[] = [];
  const start: CleanHarness['query'] = (prompt, options = {}) => {
    const running = query({ prompt, options: { ...defaults, cwd, ...options, env: { ...env, ...options.env } } });
    started.push(running);
    return running;
  };
  return {
    cwd,
    configDir,
    env,
    query: start,
    run: (prompt, options) => collect(start(prompt, options)),
    remove: () => {
      for (const running of started) running.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

const defaults: Options = {
  model: 'claude-opus-5-5',
  settingSources: [],
  permissionMode: 'acceptEdits',
  strictMcpConfig: true,
  skills: [],
};

/** Reads a query to its end. */
async function collect(running: Query): Promise<HarnessRun> {
  const messages: SDKMessage[] = [];
  let error: Error | undefined;
  try {
    for await (const message of running) messages.push(message);
  } catch (thrown) {
    error = thrown as Error;
  }
  return { messages, result: messages.findLast((message) => message.type === 'result'), error };
}
