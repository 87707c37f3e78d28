/**
 * What a result adds to the bill. The harness reports a running total, and a resumed or forked session starts from the total that
 * was saved with it, so adding totals up would count money twice.
 *
 * @param total `total_cost_usd` of this result, US dollars
 * @param base the total before: of this query's previous result, else the one saved with the session that it goes on with, else 0
 * @example
 * costDelta(1.4, 1.0); // 0.4
 * costDelta(0.3, 1.0); // 0.3: the saved total was lost, so the count began anew
 */
export function costDelta(total: number, base: number): number {
  return total >= base ? total - base : total;
}
