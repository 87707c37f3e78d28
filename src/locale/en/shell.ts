/** Why a command line does more than look, or is not known to look only. `{what}` is a piece of the command. */
export const shell = {
  'shell.empty': 'there is no command',
  'shell.tooLong': 'it is longer than 8192 characters',
  'shell.control': 'it holds a control character',
  'shell.syntax': 'it cannot be read to its end as Bash: `{what}`',
  'shell.construct':
    '`{what}` is not judged; a line that only looks is made of simple commands, pipes, `&&`, `||` and `;`',
  'shell.substitution': '`{what}` runs another command',
  'shell.background': 'in the background it outlives the turn',
  'shell.noSandbox': 'it asks to run outside the sandbox',
  'shell.redirect': '`{what}` writes a file or opens a connection; output may only go to /dev/null',
  'shell.assignment': 'an assignment changes what runs after it: `{what}`',
  'shell.spelling': 'a command name must be written plainly, without quotes, path or variables: `{what}`',
  'shell.unlisted': '`{what}` is not among the commands that only look',
  'shell.lonelyCd': '`{what}` only moves; it needs a command that looks after it (`cd dir && ls`)',
  'shell.variable': 'a variable in `{what}` could be any option; write its value',
  'shell.expands': '`{what}` could expand to an option; put `--` or `./` before it',
  'shell.writes': '`{what}` writes or deletes files',
  'shell.starts': '`{what}` starts another program',
  'shell.changes': '`{what}` changes something',
  'shell.endless': '`{what}` does not end by itself',
  'shell.unknown': '`{what}` is not known to only look',
} as const;
