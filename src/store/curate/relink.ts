import { type Entry, uuidOf } from './entry.js';

/**
 * The list without the entries whose uuid is in `drop`, with each child of one hung on its nearest ancestor that stays: a chain
 * that breaks loses everything before the break. `entries` must still hold what is to be dropped.
 */
export function relink(entries: readonly Entry[], drop: ReadonlySet<string>): readonly Entry[] {
  return mapOrDrop(entries, (entry) => (drop.has(uuidOf(entry) ?? '') && uuidOf(entry) !== null ? null : entry));
}

/** Changes entries, and drops those for which `change` gives null, with their children relinked. The list itself if that is none. */
export function mapOrDrop(
  entries: readonly Entry[],
  change: (entry: Entry, index: number) => Entry | null,
): readonly Entry[] {
  const dropped = new Map<string, unknown>();
  const kept: Entry[] = [];
  let isChanged = false;
  entries.forEach((entry, index) => {
    const other = change(entry, index);
    isChanged ||= other !== entry;
    if (other) kept.push(other);
    else if (uuidOf(entry) !== null) dropped.set(String(entry.uuid), entry.parentUuid);
  });
  if (dropped.size === 0) return isChanged ? kept : entries;
  return kept.map((entry) => {
    const { parentUuid } = entry;
    if (typeof parentUuid !== 'string' || !dropped.has(parentUuid)) return entry;
    return { ...entry, parentUuid: survivingAncestor(parentUuid, dropped) };
  });
}

function survivingAncestor(parent: string, dropped: ReadonlyMap<string, unknown>): string | null {
  const passed = new Set<string>();
  let current: unknown = parent;
  while (typeof current === 'string' && dropped.has(current) && !passed.has(current)) {
    passed.add(current);
    current = dropped.get(current);
  }
  return typeof current === 'string' && !dropped.has(current) ? current : null;
}
