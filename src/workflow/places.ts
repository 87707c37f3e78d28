import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { activeLocale, type Locale, localeOf, text } from '../locale/locale.js';

/** Where the documents of a workspace lie, and in which language. */
export interface Places {
  readonly workspace: string;
  /** The workbench's root. */
  readonly home: string;
  readonly notes: string;
  readonly brief: string;
  readonly goal: string;
  readonly log: string;
  readonly locale: Locale;
}

/**
 * The one place that decides where `starterFlow` and `wakeState` find and put things. Reads only. A directory that holds documents
 * keeps their language, whatever the screen speaks.
 *
 * @param options `isolate`: workers get worktrees of their own, and the workbench must lie outside the repository
 */
export function placesOf(
  workspace: string,
  options: {
    readonly isolate?: boolean;
    readonly locale?: Locale;
    readonly briefName?: string;
    readonly goalName?: string;
    readonly logName?: string;
  } = {},
): Places {
  const root = existsSync(workspace) ? realpathSync(workspace) : resolve(workspace);
  const home = options.isolate ? join(dirname(root), `.flower-${basename(root)}`) : join(root, '.flower');
  const notes = join(home, 'notes');
  const locale = localeOf(notes) ?? options.locale ?? activeLocale();
  const file = (key: 'file.brief' | 'file.goal' | 'file.qaLog', name?: string) =>
    join(notes, name ?? text(key, {}, locale));
  return {
    workspace: root,
    home,
    notes,
    brief: file('file.brief', options.briefName),
    goal: file('file.goal', options.goalName),
    log: file('file.qaLog', options.logName),
    locale,
  };
}
