import { type Entry, isBoundary, isInChain, mapEntries, uuidOf } from './entry.js';

/**
 * Makes the `parentUuid` chain whole: an entry whose parent is missing, stands later or is itself hangs on the chain entry before
 * it. Parents that stand before their children cannot form a cycle. A null is kept where a history begins.
 */
export function mendParents(entries: readonly Entry[]): { entries: readonly Entry[]; parents: number } {
  const earlier = new Set<string>();
  let previous: string | null = null;
  let parents = 0;
  const mended = mapEntries(entries, (entry) => {
    const uuid = uuidOf(entry);
    if (uuid === null) return entry;
    const isSound = !isInChain(entry) || hasSoundParent(entry, earlier, previous);
    const parentUuid = previous;
    earlier.add(uuid);
    if (isInChain(entry)) previous = uuid;
    if (isSound) return entry;
    parents += 1;
    return { ...entry, parentUuid };
  });
  return { entries: mended, parents };
}

/** True if the entry hangs on one of the `earlier` ones, of which `previous` is the last in the chain, or rightly on none. */
export function hasSoundParent(entry: Entry, earlier: ReadonlySet<string>, previous: string | null): boolean {
  const parent = entry.parentUuid;
  if (typeof parent === 'string') return parent === previous || earlier.has(parent);
  return (parent === null || parent === undefined) && (previous === null || isBoundary(entry));
}
