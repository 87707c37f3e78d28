/** The fields that were given, each known and of the type of its default. */
export function checkedFields<T extends object>(name: string, fields: T, defaults: object): Partial<T> {
  const known = defaults as Readonly<Record<string, unknown>>;
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  for (const [field, value] of given) {
    if (!Object.hasOwn(known, field))
      throw new TypeError(`${name}: no option ${field}; known: ${Object.keys(known).join(', ')}`);
    const isRight =
      field === 'spillDir' ? value === null || typeof value === 'string' : typeof value === typeof known[field];
    if (!isRight)
      throw new TypeError(`${name}: ${field} must be a ${typeof known[field]}, got ${JSON.stringify(value)}`);
    if (typeof value === 'number' && !(Number.isInteger(value) && value >= 0)) {
      throw new TypeError(`${name}: ${field} must be a whole number from 0 on, got ${value}`);
    }
  }
  return Object.fromEntries(given) as Partial<T>;
}
