import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { placesFor, placesToSee } from './places.js';

it('D1.4: records lie in the workspace, wherever the command was typed, or where -r says from there', () => {
  const workspace = join(realpathSync(mkdtempSync(join(tmpdir(), 'flower-places-'))), 'work');
  mkdirSync(workspace);
  for (const places of [placesFor, placesToSee]) {
    expect(places({ workspace, pointless: [] })).toEqual({ workspace, runDir: join(workspace, 'runs') });
    expect(places({ workspace, runDir: 'other', pointless: [] }).runDir).toBe(join(process.cwd(), 'other'));
  }
});
