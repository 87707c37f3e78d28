import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Handoff } from '../documents/handoff.js';
import { durably } from '../durableWrites.js';
import { type Locale, text } from '../locale/locale.js';
import type { Workbench } from '../workbench/workbench.js';

/**
 * Writes a handoff into the notes; an older one of the same step goes to the archive first. Gives the path, empty if there is no
 * workbench or it cannot be written: the successor gets the text in any case.
 */
export function writeHandoff(handoff: Handoff, workbench: Workbench | null, locale: Locale): string {
  if (!workbench) return '';
  const name = safeName(handoff.step);
  const path = join(workbench.notes, text('file.handoff', { step: name }, locale));
  try {
    if (existsSync(path)) archive(path, name, join(workbench.notes, 'archive', text('dir.handoffArchive', {}, locale)));
    return handoff.write(path);
  } catch {
    return '';
  }
}

function archive(path: string, name: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
    let target = join(folder, `${name}-${stamp}.md`);
    for (let n = 2; existsSync(target); n += 1) target = join(folder, `${basename(name)}-${stamp}-${n}.md`);
    durably('handoff.archive', () => renameSync(path, target));
  } catch {
    // The new document matters more than the place of the old one.
  }
}

/** A step name without the characters that file systems refuse. */
function safeName(step: string): string {
  return step.replace(/[/\\:*?"<>|]/g, '').trim() || 'step';
}
