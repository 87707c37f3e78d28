/**
 * Copies the Bash grammar beside the compiled command check. The package that it comes from has a native part with an install
 * script, which a user of flower has no need of; so only the grammar is shipped, with its licence.
 */
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = dirname(createRequire(import.meta.url).resolve('tree-sitter-bash/package.json'));
const target = fileURLToPath(new URL('../dist/shell/', import.meta.url));
copyFileSync(join(source, 'tree-sitter-bash.wasm'), join(target, 'tree-sitter-bash.wasm'));
copyFileSync(join(source, 'LICENSE'), join(target, 'tree-sitter-bash.LICENSE'));
