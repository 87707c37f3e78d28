/** A number of tokens: from a thousand on in `K` with one decimal. */
export function tokens(count: number): string {
  return count < 1000 ? String(Math.round(count)) : `${(count / 1000).toFixed(1)}K`;
}

/** A span of time, `m:ss`, from an hour on `h:mm:ss`. */
export function elapsed(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (count: number) => String(count).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** Money without its sign. A figure that is missing counts as nothing spent. */
export function dollars(amount: unknown, decimals: 2 | 4): string {
  return (typeof amount === 'number' && Number.isFinite(amount) ? amount : 0).toFixed(decimals);
}
