import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = join(root, 'bench', 'results');

/**
 * What a bench gives, with the day and the versions it was taken with.
 *
 * @typedef {{ title: string, rows: object[], notes?: string[] }} Table
 * @typedef {{ name: string, value: number, atMost?: number, why?: string, noisy?: boolean }} Ratio a figure without
 *   a unit; `why` says what stands against its target; the check leaves out what is `noisy`, since it depends on the machine
 * @typedef {{ tables: Table[], ratios: Ratio[] }} Measured
 * @typedef {{ name: string, title: string, question: string, run: (options: { long: boolean, base: URL }) => Promise<Measured> }} Bench
 */
export function resultOf({ name, title, question }, { tables, ratios }, seconds) {
  const { version, dependencies } = readJson(join(root, 'package.json'));
  const sdk = readJson(join(root, 'node_modules', '@anthropic-ai', 'claude-agent-sdk', 'package.json'));
  return {
    bench: name,
    title,
    question,
    date: new Date().toISOString().slice(0, 10),
    versions: {
      flower: version,
      sdk: dependencies['@anthropic-ai/claude-agent-sdk'],
      program: sdk.claudeCodeVersion,
      node: process.versions.node,
      machine: `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'unknown'}, ${process.platform}`,
      // How many processes wanted a processor in the last minutes, this bench's own among them.
      load: Math.round(loadavg()[1]),
    },
    seconds: Math.round(seconds),
    tables,
    ratios,
  };
}

export function saveResult(result) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(result.bench), `${JSON.stringify(result, null, 2)}\n`);
}

/** The committed figures of a bench, or null for one that has none yet. */
export function savedResult(name) {
  return readdirSync(folder).includes(`${name}.json`) ? readJson(fileOf(name)) : null;
}

/** True if a ratio has no target or keeps it. */
export function isMet({ value, atMost = Infinity }) {
  return value <= atMost;
}

/** The same as a table says it. */
export function metInWords(ratio) {
  if (targetOf(ratio) === '') return '';
  return isMet(ratio) ? 'yes' : 'no';
}

export function targetOf({ atMost }) {
  return atMost === undefined ? '' : `at most ${atMost}`;
}

function fileOf(name) {
  return join(folder, `${name}.json`);
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
