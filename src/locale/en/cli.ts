/** What only the command line says: usage, and why it could not start. */
export const cli = {
  'usage.wantInteger': 'a whole number of at least {least} is needed',
  'usage.wantSeconds': 'seconds, a number of at least 0, or `forever`',
  'error.endpointUnreachable':
    '{host}:{port} cannot be reached ({why}). Nothing was started. Check network, proxy and ANTHROPIC_BASE_URL, then run the same command again.',
  'error.internal': 'flower itself failed: {why}. What was done is saved. Run again with -v for details.',
} as const;
