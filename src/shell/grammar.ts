import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Language, Parser } from 'web-tree-sitter';

/**
 * The parser of Bash. Loading takes some tens of milliseconds and only works asynchronously, so this module waits for it at its
 * top level: whoever imports the command check pays once, and the check itself is synchronous. If the grammar is missing, the
 * import fails; a guard without its grammar must not start.
 */
export const bash: Parser = await loadParser();

async function loadParser(): Promise<Parser> {
  await Parser.init();
  const parser = new Parser();
  parser.setLanguage(await Language.load(readFileSync(grammarFile())));
  return parser;
}

/** The build copies the grammar beside this module; in a source checkout it lies in the package that it comes from. */
function grammarFile(): string {
  const name = 'tree-sitter-bash.wasm';
  const copied = fileURLToPath(new URL(name, import.meta.url));
  return existsSync(copied) ? copied : createRequire(import.meta.url).resolve(`tree-sitter-bash/${name}`);
}
