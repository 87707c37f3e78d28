/** What a person is asked for when flower is set up. Left empty means the default. */
export interface SetupAnswers {
  /** An official key or a gateway's token. */
  readonly token: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Context window in tokens. */
  readonly window: string;
}

/**
 * The keys that these answers set, null for those they take away: an empty answer, and the credential of the other kind.
 *
 * @example
 * saveUserEnv(settingsFromAnswers({ token: 'sk-ant-…', baseUrl: '', model: '', window: '' }));
 */
export function settingsFromAnswers(answers: SetupAnswers): Record<string, string | null> {
  const { token, baseUrl, model, window } = answers;
  const isOfficial = token.startsWith('sk-ant-');
  return {
    ANTHROPIC_API_KEY: isOfficial ? token : null,
    ANTHROPIC_AUTH_TOKEN: isOfficial ? null : token,
    ANTHROPIC_BASE_URL: withoutVersion(baseUrl) || null,
    ANTHROPIC_MODEL: model || null,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model || null,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model || null,
    FLOWER_WINDOW: window || null,
  };
}

/** People copy the address with the part that the request adds itself. */
function withoutVersion(address: string): string {
  return address.replace(/\/+$/, '').replace(/\/v1$/, '');
}
