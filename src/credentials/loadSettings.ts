import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FlowerError } from '../errors.js';
import { text } from '../locale/locale.js';
import { ADDRESS_KEY, CREDENTIAL_KEYS, DEFAULT_ADDRESS, deniedToProject, KNOWN_KEYS } from './knownKeys.js';
import { type EnvFile, parseEnvFile } from './parseEnvFile.js';
import { homeOf, userEnvPath } from './userEnvPath.js';

/**
 * Where a value was found. From the strongest to the weakest: the process's environment, the file that `FLOWER_ENV` names, a
 * project's `.env` (the workspace's, then the current directory's), the user's own file, a source checkout's `.env`, and what a
 * local Claude Code uses. `explicit` is a file that a caller named.
 */
export interface Source {
  readonly kind: 'process' | 'named' | 'project' | 'user' | 'checkout' | 'borrowed' | 'explicit';
  /** `null` for the process's environment. */
  readonly path: string | null;
}

export interface Setting {
  readonly value: string;
  readonly source: Source;
}

/** Something that whoever starts flower should know about the settings. Never holds a secret: four characters of one at most. */
export type SettingsNotice =
  | { readonly kind: 'open_quote' | 'cut_at_hash'; readonly file: string; readonly line: number; readonly key: string }
  | { readonly kind: 'skipped'; readonly file: string; readonly key: string }
  | { readonly kind: 'unreadable'; readonly file: string; readonly why: string }
  /** Address or credential come from a project's file. `tail` is null without a credential, or if it is short. */
  | {
      readonly kind: 'project';
      readonly file: string;
      readonly keys: readonly string[];
      readonly host: string;
      readonly tail: string | null;
    }
  /** A project's file chose the address that another source's credential goes to. `withheld`: the credential is not used. */
  | {
      readonly kind: 'mixed';
      readonly address: Source;
      readonly credential: Source;
      readonly host: string;
      readonly withheld: boolean;
    };

export interface Settings {
  /** What applies. Of the process's environment only the known keys and those that some file sets as well. */
  readonly values: ReadonlyMap<string, Setting>;
  /** Every source that sets a key, the strongest first. */
  readonly sources: ReadonlyMap<string, readonly Source[]>;
  /** The `.env` files that were read. */
  readonly files: readonly string[];
  readonly notices: readonly SettingsNotice[];
}

export interface SettingsOptions {
  /** @default process.env */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default the HOME of `env` */
  readonly home?: string;
  /** @default process.cwd() */
  readonly cwd?: string;
  /** Directory whose `.env` counts before the one of `cwd`. */
  readonly workspace?: string | null;
  /** Root of a source checkout whose `.env` counts, null for none. @default the checkout that this file lies in, if any */
  readonly packageRoot?: string | null;
  /** Read this file and no other. */
  readonly path?: string | null;
  /** Files win over the environment. @default false */
  readonly override?: boolean;
}

interface Layer {
  readonly source: Source;
  readonly entries: ReadonlyMap<string, string>;
}

/**
 * Finds out which settings apply and where each comes from, key by key. Changes nothing.
 *
 * @throws FlowerError `env_file_missing` if the file that `FLOWER_ENV` names cannot be read
 * @example
 * const { values } = loadSettings({ workspace: '.' });
 * console.log(values.get('ANTHROPIC_MODEL')?.source.path);
 */
export function loadSettings(options: SettingsOptions = {}): Settings {
  const { env = process.env } = options;
  const notices: SettingsNotice[] = [];
  const fileLayers = options.path ? explicitLayers(options.path, options, notices) : standardLayers(options, notices);
  const keys = new Set<string>([...KNOWN_KEYS, ...fileLayers.flatMap((layer) => [...layer.entries.keys()])]);
  const processLayer: Layer = {
    source: { kind: 'process', path: null },
    entries: new Map([...keys].flatMap((key) => (env[key] ? [[key, env[key]]] : []))),
  };
  const layers = options.override ? [...fileLayers, processLayer] : [processLayer, ...fileLayers];

  const values = new Map<string, Setting>();
  const sources = new Map<string, Source[]>();
  for (const { source, entries } of layers) {
    for (const [key, value] of entries) {
      if (!values.has(key)) values.set(key, { value, source });
      sources.set(key, [...(sources.get(key) ?? []), source]);
    }
  }
  notices.push(...judgeOrigins(values));
  const files = fileLayers.flatMap(({ source }) => (source.kind !== 'borrowed' && source.path ? [source.path] : []));
  return { values, sources, files, notices };
}

function explicitLayers(path: string, options: SettingsOptions, notices: SettingsNotice[]): Layer[] {
  return fileLayer({ kind: 'explicit', path: resolve(options.cwd ?? process.cwd(), path) }, notices);
}

function standardLayers(options: SettingsOptions, notices: SettingsNotice[]): Layer[] {
  const { env = process.env, cwd = process.cwd() } = options;
  const home = options.home ?? homeOf(env);
  const packageRoot = options.packageRoot === undefined ? sourceCheckout() : options.packageRoot;
  const projects = new Set([resolve(cwd, options.workspace ?? '.'), resolve(cwd)]);
  return [
    ...(env.FLOWER_ENV ? namedLayer(resolve(cwd, env.FLOWER_ENV), notices) : []),
    ...[...projects].flatMap((directory) => fileLayer({ kind: 'project', path: join(directory, '.env') }, notices)),
    ...fileLayer({ kind: 'user', path: userEnvPath({ env, home }) }, notices),
    ...(packageRoot ? fileLayer({ kind: 'checkout', path: join(packageRoot, '.env') }, notices) : []),
    ...['settings.local.json', 'settings.json'].flatMap((name) => borrowedLayer(join(home, '.claude', name))),
  ];
}

/** The root of the source checkout that this file lies in; null if it is installed. */
export function sourceCheckout(): string | null {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return existsSync(join(root, '.git')) ? root : null;
}

function namedLayer(path: string, notices: SettingsNotice[]): Layer[] {
  const layers = fileLayer({ kind: 'named', path }, notices);
  if (layers.length > 0) return layers;
  throw new FlowerError('env_file_missing', text('err.env_file', { path }));
}

/** The layer of one `.env`, or none if there is no such file or it cannot be read. */
function fileLayer(source: Source & { readonly path: string }, notices: SettingsNotice[]): Layer[] {
  const file = source.path;
  let parsed: EnvFile;
  try {
    parsed = parseEnvFile(readFileSync(file, 'utf8'));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') notices.push({ kind: 'unreadable', file, why: code });
    return [];
  }
  for (const { kind, line, key } of parsed.problems) {
    notices.push(kind === 'bad_key' ? { kind: 'skipped', file, key } : { kind, file, line, key });
  }
  const entries = new Map<string, string>();
  for (const [key, value] of parsed.values) {
    if (source.kind === 'project' && deniedToProject(key)) notices.push({ kind: 'skipped', file, key });
    else if (value !== '') entries.set(key, value);
  }
  return [{ source, entries }];
}

/** What a local Claude Code was given. Its settings file belongs to another program, so a fault in it is none of ours. */
function borrowedLayer(path: string): Layer[] {
  try {
    const settings: { env?: Record<string, unknown> } = JSON.parse(readFileSync(path, 'utf8'));
    const entries = KNOWN_KEYS.flatMap((key): [string, string][] => {
      const value = settings.env?.[key];
      return typeof value === 'string' && value !== '' ? [[key, value]] : [];
    });
    return [{ source: { kind: 'borrowed', path }, entries: new Map(entries) }];
  } catch {
    return [];
  }
}

/**
 * Where address and credential come from is where a stranger's directory could send somebody's token. A borrowed credential is
 * taken out again if a file that is not the user's own chose the address; everything else is said.
 */
function judgeOrigins(values: Map<string, Setting>): SettingsNotice[] {
  const notices: SettingsNotice[] = [];
  const address = values.get(ADDRESS_KEY);
  const host = hostOf(address?.value ?? DEFAULT_ADDRESS);

  const borrowed = CREDENTIAL_KEYS.filter((key) => values.get(key)?.source.kind === 'borrowed');
  const [withheld] = borrowed.map((key) => values.get(key));
  if (withheld && address && (address.source.kind === 'project' || address.source.kind === 'checkout')) {
    for (const key of borrowed) values.delete(key);
    notices.push({ kind: 'mixed', address: address.source, credential: withheld.source, host, withheld: true });
  }

  const credential = values.get('ANTHROPIC_API_KEY') ?? values.get('ANTHROPIC_AUTH_TOKEN');
  if (address?.source.kind === 'project' && credential && credential.source.path !== address.source.path) {
    notices.push({ kind: 'mixed', address: address.source, credential: credential.source, host, withheld: false });
  }

  const files = new Set([address, credential].flatMap((it) => (it?.source.kind === 'project' ? [it.source.path] : [])));
  for (const file of files) {
    if (file === null) continue;
    const keys = KNOWN_KEYS.filter((key) => values.get(key)?.source.path === file);
    const tail = credential && credential.source.path === file ? tailOf(credential.value) : null;
    notices.push({ kind: 'project', file, keys, host, tail });
  }
  return notices;
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '?';
}

function tailOf(secret: string): string | null {
  return secret.length > 8 ? secret.slice(-4) : null;
}
