import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Locale, text } from '../locale/locale.js';
import type { Ask } from './ask.js';

/** Appends a settled question to the log of questions and answers. A log that cannot be written is given up silently. */
export function logAsk(path: string | null, ask: Ask, locale: Locale): void {
  const label = text('log.options', {}, locale) + (locale === 'zh' ? '' : ' ');
  const options = ask.options.length > 0 ? [`  - ${label}${ask.options.join(' / ')}`] : [];
  append(
    path,
    [`- **Q**(${ask.id}) ${indent(ask.question)}`, ...options, `  - **A**[${ask.state}] ${indent(ask.answer)}`],
    locale,
  );
}

/** Appends words that a person said unasked. */
export function logWords(path: string | null, id: string, words: string, locale: Locale): void {
  append(path, ['', `- **${text('log.mail', {}, locale)}**(${id}) ${indent(words)}`], locale);
}

function append(path: string | null, lines: readonly string[], locale: Locale): void {
  if (path === null) return;
  try {
    mkdirSync(dirname(path), { recursive: true });
    const head = existsSync(path) ? '' : `# ${text('log.title', {}, locale)}\n\n> ${text('log.note', {}, locale)}\n\n`;
    appendFileSync(path, `${head}${lines.join('\n')}\n`);
  } catch {
    // The log is for the record only; a run does not end because its folder is gone.
  }
}

/** Further lines stay inside the list item that the first one begins. */
function indent(words: string): string {
  return words.replace(/\r\n?|\n/g, '\n    ');
}
