import { type Locale, text } from '../locale/locale.js';
import type { SettingsNotice, Source } from './loadSettings.js';
import { homeOf } from './userEnvPath.js';

/**
 * A notice in words, one line.
 *
 * @example
 * for (const notice of loadSettings().notices) console.error(noticeText(notice));
 */
export function noticeText(notice: SettingsNotice, locale?: Locale): string {
  switch (notice.kind) {
    case 'open_quote':
      return text('cfg.quote', { file: shortPath(notice.file), line: notice.line, key: notice.key }, locale);
    case 'cut_at_hash':
      return text('cfg.hash', { file: shortPath(notice.file), line: notice.line, key: notice.key }, locale);
    case 'skipped':
      return text('cfg.skipped', { file: shortPath(notice.file), key: notice.key }, locale);
    case 'unreadable':
      return text('doctor.env_files.bad', { file: shortPath(notice.file), why: notice.why }, locale);
    case 'mixed': {
      const [a, b] = [sourceText(notice.address, locale), sourceText(notice.credential, locale)];
      return text(notice.withheld ? 'cfg.withheld' : 'cfg.mixed', { a, b, host: notice.host }, locale);
    }
    case 'project': {
      const { keys, file, host, tail } = notice;
      const line = text('cfg.project', { keys: keys.join(', '), file: shortPath(file), host }, locale);
      return tail === null ? line : `${line} · ${text('cfg.project_key', { tail }, locale)}`;
    }
  }
}

/** Names a source: the file's path, or a word for the process's environment. */
export function sourceText(source: Source, locale?: Locale): string {
  return source.path === null ? text('source.process', {}, locale) : shortPath(source.path);
}

function shortPath(path: string): string {
  const home = homeOf(process.env);
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
