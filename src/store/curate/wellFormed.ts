/** The value with every half surrogate pair in it replaced by U+FFFD, in texts and in names; itself if there is none. */
export function wellFormed<T>(value: T): T {
  if (typeof value === 'string') return (value.isWellFormed() ? value : value.toWellFormed()) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (isWellFormed(value)) return value;
  if (Array.isArray(value)) return value.map(wellFormed) as T;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.toWellFormed(), wellFormed(part)])) as T;
}

/** True if no string in the value holds half a surrogate pair. */
export function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isWellFormed);
  for (const name in value) {
    if (!name.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[name])) return false;
  }
  return true;
}
