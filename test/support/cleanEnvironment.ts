import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Every test file runs without the machine's credentials and below a HOME that cannot be read or written: it lies below a
 * regular file, which stops root too. A test that needs a home makes its own.
 */
for (const name of Object.keys(process.env)) {
  if (/^(ANTHROPIC|CLAUDE|FLOWER)/.test(name) || name === 'XDG_CONFIG_HOME' || name === 'LC_ALL')
    delete process.env[name];
}
const file = join(mkdtempSync(join(tmpdir(), 'flower-nohome-')), 'a-regular-file');
writeFileSync(file, '');
process.env.HOME = join(file, 'home');
process.env.LANG = 'C.UTF-8';
process.env.NO_COLOR = '1';
