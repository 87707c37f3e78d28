export function median(list) {
  const sorted = [...list].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median with the smallest and the largest, as a table shows it. */
export function spread(list, digits = 0) {
  const [low, high] = [Math.min(...list), Math.max(...list)].map((n) => n.toFixed(digits));
  return `${median(list).toFixed(digits)} (${low} to ${high})`;
}

export function round(value, digits = 2) {
  return Number(value.toFixed(digits));
}

/**
 * Runs two or more things in turn, so often, and gives the list of what each returned. Which one is first changes with every round:
 * what else the machine does meanwhile falls on all of them.
 */
export async function inTurn(rounds, cases) {
  const names = Object.keys(cases);
  const results = Object.fromEntries(names.map((name) => [name, []]));
  for (let n = 0; n < rounds; n += 1) {
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + n) % names.length];
      results[name].push(await cases[name](n));
    }
  }
  return results;
}

/** The median of the quotients of two lists, pair by pair. */
export function ratioOf(list, base) {
  return round(median(list.map((value, n) => value / base[n])), 3);
}

/** Milliseconds of this process's processor time: what else the machine does meanwhile does not count. */
export async function cpuMs(run) {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** By which power of its size something grows: 1 is linear. The slope of the logarithms, fitted by least squares. */
export function exponent(sizes, values) {
  const xs = sizes.map(Math.log);
  const ys = values.map((value) => Math.log(Math.max(value, 1e-9)));
  const mean = (list) => list.reduce((sum, n) => sum + n, 0) / list.length;
  const [x0, y0] = [mean(xs), mean(ys)];
  const above = xs.reduce((sum, x, n) => sum + (x - x0) * (ys[n] - y0), 0);
  const below = xs.reduce((sum, x) => sum + (x - x0) ** 2, 0);
  return round(above / below, 2);
}

/** The ratio of a growth: how much longer ten times as much takes. Linear is 10; a tenth of a power is left to noise. */
export function growth(name, power) {
  return { name: `${name}: ten times as much takes`, value: round(10 ** power, 2), atMost: 12.6 };
}
