import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src/', import.meta.url));

/** The modules that are loaded together with one: what it imports, and what those import. Not what is imported when needed. */
function loadedWith(file: string, loaded = new Set<string>()): Set<string> {
  if (loaded.has(file) || !existsSync(file)) return loaded;
  loaded.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, clause = '', path = ''] of text.matchAll(
    /^(?:import|export)\s+(?!type\b)([^'"]*?)(?:\bfrom\s+)?'(\.[^']+)';/gm,
  )) {
    const onlyTypes = /^\{(?:\s*type\s[^,}]*,?)+\s*\}/.test(clause);
    if (!onlyTypes) loadedWith(resolve(dirname(file), path.replace(/\.js$/, '.ts')), loaded);
  }
  return loaded;
}

describe('the Bash grammar', () => {
  it('is found by this test where it is loaded', () => {
    expect(loadedWith(`${source}guards/workbenchHooks.ts`)).toContain(`${source}shell/grammar.ts`);
  });

  it('Z97 is not loaded on the way of --help', () => {
    const loaded = loadedWith(`${source}cli/main.ts`);
    expect(loaded.size).toBeGreaterThan(1);
    expect([...loaded].filter((file) => file.includes('/src/shell/'))).toEqual([]);
  });
});
