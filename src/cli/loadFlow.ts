import { existsSync } from 'node:fs';
import { Module } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { text } from '../locale/locale.js';
import type { Workflow } from '../workflow/workflow.js';
import { Exit } from './exit.js';

/**
 * Loads the workflow that `<module>:<export>` names. A module that ends like a source file is a path against the current directory,
 * in TypeScript or JavaScript; any other is a package that the workspace has. An exported function is called for the workflow.
 *
 * @throws Exit with what is wrong with the target
 */
export async function loadFlow(target: string, workspace: string): Promise<Workflow> {
  const [, module = '', name = ''] = /^(.+):([^:]+)$/.exec(target) ?? [];
  if (name === '') throw new Exit(1, text('err.target_form'));
  const exports = await loadModule(module, workspace);
  const exported = exports[name];
  if (exported === undefined) throw new Exit(1, text('err.target_attr', { module, name }));
  const flow: unknown = typeof exported === 'function' ? await called(exported as () => unknown, module) : exported;
  if (!isWorkflow(flow)) throw new Exit(1, text('err.target_kind', { target }));
  return flow;
}

async function loadModule(module: string, workspace: string): Promise<Record<string, unknown>> {
  const isFile = /\.(?:[mc]?js|m?ts)$/.test(module);
  const path = resolve(module);
  if (isFile && !existsSync(path)) {
    throw new Exit(1, text('err.target_missing', { path, cwd: process.cwd() }));
  }
  try {
    const load = await loaderFrom(isFile ? path : join(workspace, 'package.json'));
    return await load(isFile ? pathToFileURL(path).href : module);
  } catch (error) {
    throw importFault(module, error);
  }
}

/**
 * Imports as if from `parent`. To the modules that it loads, `flower-agent` is the package that runs now, wherever it is installed:
 * a second copy beside it would have its own locks and its own language.
 */
async function loaderFrom(parent: string): Promise<(id: string) => Promise<Record<string, unknown>>> {
  const { createJiti } = await import('jiti');
  const alias: Record<string, string> = {};
  const cached = new Map<string, unknown>();
  for (const [name, entry] of OWN_ENTRIES) {
    const path = fileURLToPath(new URL(entry, import.meta.url));
    alias[name] = path;
    cached.set(path, await import(pathToFileURL(path).href));
  }
  const jiti = createJiti(parent, { alias, fsCache: false, interopDefault: false });
  const cache: Record<string, unknown> = jiti.cache;
  for (const [path, exports] of cached) {
    cache[path] = Object.assign(new Module(path), { filename: path, loaded: true, exports });
  }
  return (id) => jiti.import(id);
}

/** Longer names first: an alias is matched by its beginning. */
const OWN_ENTRIES = [
  ['flower-agent/terminal', '../terminal/index.js'],
  ['flower-agent/sim', '../sim/index.js'],
  ['flower-agent', '../index.js'],
] as const;

async function called(make: () => unknown, module: string): Promise<unknown> {
  try {
    return await make();
  } catch (error) {
    throw importFault(module, error);
  }
}

function importFault(module: string, error: unknown): Exit {
  const why = error instanceof Error ? error.message : String(error);
  return new Exit(1, text('err.target_import', { module, why: why.split('\n')[0] ?? '' }), { cause: error });
}

/** By what it can do: a workflow may come from another copy of the package. */
function isWorkflow(value: unknown): value is Workflow {
  const { steps, run } = Object(value) as { steps?: unknown; run?: unknown };
  return Array.isArray(steps) && typeof run === 'function';
}
