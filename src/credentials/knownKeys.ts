/** The keys that say who pays, where requests go and which models answer. Only these are borrowed from a local Claude Code. */
export const KNOWN_KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'ANTHROPIC_MODEL',
  'ANTHROPIC_DEFAULT_OPUS_MODEL',
  'ANTHROPIC_DEFAULT_SONNET_MODEL',
  'ANTHROPIC_DEFAULT_HAIKU_MODEL',
  'CLAUDE_CODE_SUBAGENT_MODEL',
  'CLAUDE_CODE_EFFORT_LEVEL',
] as const;

/** Either of these pays. With both set the first one is used. */
export const CREDENTIAL_KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const;

export const ADDRESS_KEY = 'ANTHROPIC_BASE_URL';

export const DEFAULT_ADDRESS = 'https://api.anthropic.com';

/**
 * Keys that a project's own `.env` may not set: a directory that somebody else made must not choose which program runs, where its
 * traffic goes, or whom it trusts.
 */
export function deniedToProject(key: string): boolean {
  return DENIED.test(key);
}

const DENIED = new RegExp(
  `^(?:${[
    'PATH|HOME|SHELL|ENV|BASH_ENV|IFS|TMPDIR|FLOWER_ENV|FLOWER_NOTIFY|FLOWER_PAUSE_AT',
    // Loaders, and the settings of the programs that flower itself starts: node, git, npm.
    '(?:XDG|LD|DYLD|NODE|GIT|NPM_CONFIG)_.*',
    '(?:HTTPS?|ALL|NO)_PROXY|SSL_CERT_(?:FILE|DIR)',
    'LANG|LC_.*|TERM',
  ].join('|')})$`,
  'i',
);
