import { KNOWN_KEYS } from '../credentials/knownKeys.js';
import { findOnPath } from './findOnPath.js';

/** What the harness process gets from flower's own environment. Everything else stays outside. */
const INHERITED = new Set([
  'PATH',
  'HOME',
  'LANG',
  'TERM',
  'TMPDIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]);

/** Every switch that flower sets, with its reason. `AgentSpec.env` can override any of them. */
const SWITCHES: readonly (readonly [name: string, value: string, why: string])[] = [
  ['CLAUDE_CODE_DISABLE_BACKGROUND_TASKS', '1', 'workers run in the foreground: one prompt, one result'],
  ['BASH_MAX_TIMEOUT_MS', '7200000', 'a build of two hours can be waited for in one call'],
  ['CLAUDE_CODE_FORK_SUBAGENT', '0', 'a fork counts as a worker and would do what the main thread may not'],
  ['CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS', '1', 'built-in agent types have every tool'],
  ['CLAUDE_CODE_DISABLE_AUTO_MEMORY', '1', 'nothing is remembered outside the run'],
  ['CLAUDE_CODE_DISABLE_CRON', '1', 'nothing starts by itself'],
  ['CLAUDE_CODE_DISABLE_WORKFLOWS', '1', 'no second way to start agents'],
  [
    'CLAUDE_CODE_DISABLE_BUNDLED_SKILLS',
    '1',
    'skills of a workflow come by its plugin; the bundled list only costs context',
  ],
  ['CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS', '1', 'a git status in the first message ages and changes the cached prompt'],
  ['CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC', '1', 'no request that nobody asked for'],
  ['DISABLE_AUTOUPDATER', '1', 'the program does not change under a run'],
  ['CLAUDE_CODE_ENABLE_TASKS', '0', 'TodoWrite exists only then'],
  ['ENABLE_TOOL_SEARCH', 'false', 'the ask and hand-in tools stand in the request, not behind a search'],
  ['CLAUDE_CODE_MAX_RETRIES', '2', 'flower does the waiting; by default a wrong key costs three minutes'],
  ['CLAUDE_BYTE_STREAM_IDLE_TIMEOUT_MS', '120000', 'a stalled answer is cut after two minutes'],
  ['API_TIMEOUT_MS', '300000', 'a request without an answer is cut after five minutes'],
  ['GIT_PAGER', 'cat', 'no pager waits for a key'],
  ['GIT_OPTIONAL_LOCKS', '0', 'a look at the repository takes no lock from the one who works in it'],
  ['GIT_TERMINAL_PROMPT', '0', 'git fails instead of asking for a password'],
];

/** Variables that are set here, whatever the shell or a settings file says. */
export const OWN_VARIABLES: readonly string[] = [
  ...SWITCHES.map(([name]) => name),
  'CLAUDE_CONFIG_DIR',
  'CLAUDE_CODE_PROJECT_DIR_NAME',
  'DISABLE_AUTO_COMPACT',
  'DISABLE_COMPACT',
  'CLAUDE_CODE_AUTO_COMPACT_WINDOW',
];

export interface HarnessEnvironmentOptions {
  /** The harness's own folder: without it the session store is silently never written. */
  readonly configDir: string;
  /** The stable name of this run directory's sessions. */
  readonly projectKey: string;
  /** Unix seconds at which this process started. */
  readonly startedAt: number;
  /** Where the known keys are taken from: credentials, address, models. */
  readonly settings: Readonly<Record<string, string | undefined>>;
}

/** What everything that a Runtime starts carries in its environment: whose it is. */
export function ownerMark({
  projectKey,
  startedAt,
}: Pick<HarnessEnvironmentOptions, 'projectKey' | 'startedAt'>): string {
  return `${projectKey}:${process.pid}:${startedAt}`;
}

/**
 * Builds the environment of the harness process: an allow list and the switches above, nothing inherited by accident. So a run is
 * the same under a login shell, cron and CI, and no variable of the host changes what a guard relies on.
 */
export function harnessEnvironment(options: HarnessEnvironmentOptions): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value && (INHERITED.has(name) || name.startsWith('LC_'))) environment[name] = value;
  }
  for (const key of KNOWN_KEYS) {
    const value = options.settings[key];
    if (value) environment[key] = value;
  }
  for (const [name, value] of SWITCHES) environment[name] = value;
  // Without a word the harness would rather take zsh. Models write Bash, and the guards judge a command as Bash.
  const bash = findOnPath('bash');
  if (bash) environment.SHELL = bash;
  // The commands' standard input is a socket. Bash would think that it runs for a network connection, and read ~/.bashrc each time.
  environment.SHLVL = '1';
  environment.CLAUDE_CONFIG_DIR = options.configDir;
  // The harness takes names of at most 64 plain characters; with another one it derives the key from the path, as it did for the directory that has it.
  if (/^[A-Za-z0-9_-]{1,64}$/.test(options.projectKey)) environment.CLAUDE_CODE_PROJECT_DIR_NAME = options.projectKey;
  environment.FLOWER_OWNER = ownerMark(options);
  return environment;
}
