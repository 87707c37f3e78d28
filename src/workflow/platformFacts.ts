import { existsSync } from 'node:fs';
import { arch, release, type } from 'node:os';
import { type Locale, text } from '../locale/locale.js';

/** One line about the machine, for those who decide what can be verified on it. */
export function platformFacts(locale: Locale): string {
  const inside = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  const container = text(inside ? 'goal.inContainer' : 'goal.notInContainer', {}, locale);
  return text('goal.platform', { system: type(), version: release(), arch: arch(), container }, locale);
}
