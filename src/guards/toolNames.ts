/** Tools that run a command. What holds for `Bash` holds for all of them. */
export const SHELLS: readonly string[] = ['Bash', 'PowerShell', 'Monitor'];
/** Tools that change a file. */
export const WRITERS: readonly string[] = ['Write', 'Edit', 'NotebookEdit'];
/** The dispatch tool under its present and its old name. */
export const DISPATCHERS: readonly string[] = ['Agent', 'Task'];

/** Matcher of every tool that works hands-on: runs a command or changes a file. */
export const HANDS_ON = 'Bash|PowerShell|Monitor|Write|Edit|NotebookEdit';
/** Matcher of the tools that change a file. */
export const WRITE_ONLY = 'Write|Edit|NotebookEdit';
/** Matcher of the built-in tools whose results can be long. */
export const BULKY = 'Bash|Read|Grep|Glob|WebFetch|WebSearch';
/** Matcher of those among them whose results are in no file yet. */
export const BULKY_UNFILED = 'Bash|Grep|Glob|WebFetch|WebSearch';
