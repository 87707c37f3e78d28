// Writes the manual page from the built program's own definition: node scripts/manPage.mjs [FILE]
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

process.env.FLOWER_LANG = 'en';
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const { buildProgram } = await import('../dist/cli/program.js');
const { manPage } = await import('../dist/cli/manPage.js');
const { version } = JSON.parse(readFileSync(at('../package.json'), 'utf8'));
const target = process.argv[2] ?? at('../dist/man/flower.1');
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, manPage(buildProgram(), { version }));
