const largestPayload = 64 * 1024;

/**
 * The JSON of an event's payload, at most 64 KiB: a larger one has its longest strings cut and carries `truncated: true`.
 *
 * @example
 * fitPayload({ output: 'x'.repeat(100_000) }); // '{"output":"xxx…","truncated":true}'
 */
export function fitPayload(payload: Readonly<Record<string, unknown>>): string {
  try {
    const whole = JSON.stringify(payload);
    if (Buffer.byteLength(whole) <= largestPayload) return whole;
    for (let longest = largestPayload / 2; longest >= 1; longest /= 2) {
      const cut = JSON.stringify({ ...payload, truncated: true }, (_key, value: unknown) => shortened(value, longest));
      if (Buffer.byteLength(cut) <= largestPayload) return cut;
    }
  } catch {
    // A payload that is no JSON must not take the events beside it along.
  }
  return JSON.stringify({ truncated: true });
}

function shortened(value: unknown, longest: number): unknown {
  return typeof value === 'string' && value.length > longest
    ? value.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')
    : value;
}
