import { activeLocale, type Locale } from '../locale/locale.js';
import { wantsColor } from '../terminal/paint.js';
import { createTerminalUi, type TerminalUi } from '../terminal/terminalUi.js';

/** The one way from a command to whoever sits in front of it. */
export interface Screen {
  readonly ui: TerminalUi;
  readonly locale: Locale;
  readonly color: boolean;
  readonly columns: () => number | undefined;
  readonly verbose: boolean;
  /** Standard output carries events only; words go to standard error. */
  readonly json: boolean;
}

/** What `Layout` and the lines of `closingLines` want to know. */
export function layoutOf({ columns, color, locale }: Screen): {
  columns: number | undefined;
  color: boolean;
  locale: Locale;
} {
  return { columns: columns(), color, locale };
}

/**
 * Opens the screen for one command and closes it behind it, whatever happens: the terminal gets its mode back before the last words
 * are written.
 */
export async function withScreen<T>(
  options: { readonly verbose?: boolean | undefined; readonly json?: boolean | undefined },
  command: (screen: Screen) => Promise<T>,
): Promise<T> {
  const { verbose = false, json = false } = options;
  const output = json ? process.stderr : process.stdout;
  const color = wantsColor(output, process.env);
  const columns = () => output.columns;
  const locale = activeLocale();
  const ui = createTerminalUi({
    input: process.stdin,
    output,
    locale,
    verbose,
    color,
    columns,
    ...(json && { isTerminal: false, shows: 'receipts' }),
  });
  try {
    return await command({ ui, locale, color, columns, verbose, json });
  } finally {
    ui.close();
  }
}
