import { type Locale, text } from '../locale/locale.js';

const ALIASES = new Set(['opus', 'sonnet', 'haiku', 'default']);

/**
 * What to tell a person when another model answers than the settings ask for: its window may be another one too. Null where there
 * is nothing to tell: no model asked for, the same one, or a bare alias.
 */
export function modelNotice(
  served: string,
  settings: Readonly<Record<string, string | undefined>>,
  locale: Locale,
): { text: string; want: string } | null {
  const want = (settings.ANTHROPIC_MODEL || settings.ANTHROPIC_DEFAULT_OPUS_MODEL || '').trim();
  if (!want || ALIASES.has(want.toLowerCase()) || want.toLowerCase() === served.toLowerCase()) return null;
  return { text: text('ev.model_mismatch', { want, served }, locale), want };
}
