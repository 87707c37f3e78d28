/** Prices in US dollars for one million tokens of each kind. */
interface TokenPrices {
  readonly input: number;
  readonly output: number;
  /** Writing into the prompt cache with a life of five minutes. */
  readonly cacheWrite5m: number;
  /** Writing into the prompt cache with a life of one hour. */
  readonly cacheWrite1h: number;
  readonly cacheRead: number;
}

/** The list price of one model. */
export interface ListPrice extends TokenPrices {
  /** Some models cost more for a whole request once its prompt (input, cache reads and cache writes) passes a size. */
  readonly longPrompt?: TokenPrices & { readonly aboveTokens: number };
}

/** Token counts as the Messages API and stored transcripts give them. What is absent counts as 0. */
export interface TokenUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  /** How the cache writes divide by life. Without it all of them are five-minute writes. */
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number | null;
    readonly ephemeral_1h_input_tokens?: number | null;
  } | null;
}

/**
 * The list price of a model, or null for a model that has none here. Takes a canonical name, a dated one, one with a `[1m]`
 * suffix, an alias of the harness (`opus`, `sonnet`, `haiku`, `fable`), and the spellings of cloud vendors
 * (`us.anthropic.claude-…-v1:0`, `claude-…@20250929`).
 *
 * @example
 * listPrice('claude-haiku-4-5-20251001')?.output; // 5
 */
export function listPrice(model: string): ListPrice | null {
  const name = model
    .toLowerCase()
    .replace(/^.*?(?=claude-)/, '')
    .replace(/\[1m\]$/, '');
  const canonical = aliases.get(name) ?? name;
  const known = namesLongestFirst.find((entry) => canonical === entry || suffixes.test(afterPrefix(canonical, entry)));
  return known === undefined ? null : (table.get(known) ?? null);
}

/**
 * What a usage costs at list price in US dollars, or null when the model has no known price.
 *
 * @example
 * costOf('claude-opus-5-5', { input_tokens: 1_000_000, output_tokens: 100_000 }); // 6
 */
export function costOf(model: string, usage: TokenUsage): number | null {
  const price = listPrice(model);
  return price === null ? null : dollars(price, usage);
}

/**
 * What a usage counts for on a bill while nobody has named a sum, in US dollars: at list price, or for a model without one at the
 * price that the harness takes for it. So what is spent is never nothing, and is what a result of the harness will say.
 *
 * @example
 * estimateOf('gpt-9', { input_tokens: 1_000_000 }); // 4
 */
export function estimateOf(model: string, usage: TokenUsage): number {
  return dollars(listPrice(model) ?? unlisted, usage);
}

function dollars(price: ListPrice, usage: TokenUsage): number {
  const input = usage.input_tokens ?? 0;
  const read = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  const written1h = Math.min(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, written);
  const { longPrompt } = price;
  const tier = longPrompt !== undefined && input + read + written > longPrompt.aboveTokens ? longPrompt : price;
  const millionths =
    input * tier.input +
    (usage.output_tokens ?? 0) * tier.output +
    read * tier.cacheRead +
    written1h * tier.cacheWrite1h +
    (written - written1h) * tier.cacheWrite5m;
  return millionths / 1_000_000;
}

/** Cache writes cost 1.25 times the input price for five minutes and twice for an hour, whatever the model. */
function prices(input: number, output: number, cacheRead: number): TokenPrices {
  return { input, output, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2, cacheRead };
}

/** What the harness charges for a model that it does not know, whatever the name sounds like. */
const unlisted: ListPrice = prices(4, 20, 0.2);

const table: ReadonlyMap<string, ListPrice> = new Map(
  Object.entries({
    'claude-opus-5-5': prices(4, 20, 0.2),
    'claude-opus-5': prices(5, 25, 0.5),
    'claude-opus-4-8': prices(5, 25, 0.5),
    'claude-opus-4-7': prices(5, 25, 0.5),
    'claude-opus-4-6': prices(5, 25, 0.5),
    'claude-opus-4-5': prices(5, 25, 0.5),
    'claude-sonnet-5-5': prices(2, 10, 0.1),
    'claude-sonnet-5': prices(2, 10, 0.2),
    'claude-sonnet-4-6': prices(3, 15, 0.3),
    'claude-sonnet-4-5': prices(3, 15, 0.3),
    'claude-sonnet-4': prices(3, 15, 0.3),
    'claude-haiku-5-5': { ...prices(0.1, 0.5, 0.01), longPrompt: { ...prices(0.5, 2.5, 0.05), aboveTokens: 100_000 } },
    'claude-haiku-4-5': prices(1, 5, 0.1),
    'claude-fable-5-2': prices(8, 40, 0.2),
    'claude-fable-5-1': prices(10, 50, 0.25),
    'claude-fable-5': prices(10, 50, 1),
    'claude-mythos-5-2': prices(8, 40, 0.2),
    'claude-mythos-5-1': prices(10, 50, 0.25),
    'claude-mythos-5': prices(10, 50, 1),
  }),
);

/** What the harness takes for its newest models. */
const aliases: ReadonlyMap<string, string> = new Map([
  ['opus', 'claude-opus-5-5'],
  ['sonnet', 'claude-sonnet-5-5'],
  ['haiku', 'claude-haiku-5-5'],
  ['fable', 'claude-fable-5-2'],
]);

const namesLongestFirst = [...table.keys()].sort((a, b) => b.length - a.length);

/** A date, a vendor's version, or both. A further version number is another model, whose price nobody knows. */
const suffixes = /^(-0)?([-@]\d{8}|-latest)?(-v\d+(:\d+)?)?$/;

function afterPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : '\0';
}
