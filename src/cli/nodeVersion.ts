import { text } from '../locale/locale.js';

const NEEDED = '20.19.0';

/** One line that says what to do, if this Node is too old for flower; else null. */
export function tooOld(version: string): string | null {
  const have = version.split('.').map(Number);
  const need = NEEDED.split('.').map(Number);
  for (const [i, wanted] of need.entries()) {
    const found = have[i] ?? 0;
    if (found !== wanted) return found > wanted ? null : text('doctor.node.bad', { version, need: NEEDED });
  }
  return null;
}
