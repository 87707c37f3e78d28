import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Lineage } from '../books/lineage.js';
import { createTerminalUi } from '../terminal/terminalUi.js';
import { wakeState } from '../workflow/wakeState.js';
import { greet } from './greeting.js';

/** A workspace and, beside it, a run directory that several workspaces may share. */
function somewhere(): { workspace: string; runDir: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flower-greeting-')));
  for (const name of ['work', 'runs']) mkdirSync(join(folder, name));
  return { workspace: join(folder, 'work'), runDir: join(folder, 'runs') };
}

function greeting(places: { workspace: string; runDir: string }): string {
  const output = new PassThrough();
  const screen = { locale: 'en', verbose: false, color: false, columns: () => 200 } as const;
  const ui = createTerminalUi({ input: new PassThrough(), output, ...screen });
  greet({ ui, ...screen, json: false }, places, wakeState(places.workspace, { runDir: places.runDir }));
  ui.close();
  return String(output.read() ?? '').replace(/\s+/g, ' ');
}

describe('D2.6: a session that cannot be gone on with is said, and that the brief is the basis', () => {
  const lost = (why: string) => new RegExp(`^! Last session cannot be continued \\(.*${why}\\); .* confirmed brief $`);

  it('where it is not in the store', () => {
    const places = somewhere();
    Lineage.open(places.runDir, places.workspace).remember('work', '00000000-0000-4000-8000-000000000000');
    expect(greeting(places)).toMatch(lost('not in the session store'));
  });

  it('where the record belongs to another path', () => {
    const places = somewhere();
    Lineage.open(places.runDir, '/home/ann/elsewhere').remember('work', 's1');
    expect(greeting(places)).toMatch(lost('belongs to /home/ann/elsewhere'));
  });

  it('where an older record cannot be read', () => {
    const places = somewhere();
    writeFileSync(join(places.runDir, 'lineage.json'), '{"workspace": ');
    expect(greeting(places)).toMatch(lost('the lineage file is damaged'));
  });

  it('and is not said where there never was one', () => {
    expect(greeting(somewhere())).toMatch(/^<- continuing in /);
  });
});
