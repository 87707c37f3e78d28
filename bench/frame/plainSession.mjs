import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { settingsFor } from './place.mjs';

export const MODEL = 'claude-opus-5-5';

/**
 * A session of the program as it comes, without flower: its own prompt and tools, and no configuration of this machine.
 *
 * @param agents what the session can dispatch beside the program's own
 * @param onMessage called with every message of the SDK
 * @throws {Error} when the session ends with an error
 */
export async function plainSession({ folder, url }, prompt, { env = {}, agents, onMessage = () => {} } = {}) {
  const options = {
    cwd: join(folder, 'work'),
    model: MODEL,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    tools: { type: 'preset', preset: 'claude_code' },
    allowedTools: ['Read', 'Write', 'Edit', 'Bash', 'Glob', 'Grep'],
    permissionMode: 'acceptEdits',
    settingSources: [],
    ...(agents && { agents }),
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      SHELL: '/bin/bash',
      SHLVL: '1',
      CLAUDE_CONFIG_DIR: join(folder, 'harness'),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      ...settingsFor(url),
      ...env,
    },
  };
  for await (const message of query({ prompt, options })) {
    onMessage(message);
    if (message.type === 'result' && message.is_error) throw new Error(message.result ?? message.subtype);
  }
}
