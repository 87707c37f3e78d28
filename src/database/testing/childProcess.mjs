import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const sources = fileURLToPath(new URL('../../', import.meta.url));
const packages = join(sources, '../node_modules');
const rooms = ['errors.ts', 'durableWrites.ts', 'locale', 'database', 'books'];
let built;

/** URL of a compiled source file, to import in a child: `source('books/books.ts')`. */
export function source(path) {
  built ??= build();
  return pathToFileURL(join(built, path.replace(/\.ts$/, '.js'))).href;
}

/** Compiles the rooms that children use, without checking, below `node_modules` so that packages are found; once per state of them. */
function build() {
  const files = rooms.flatMap(filesIn);
  const hash = createHash('sha256');
  for (const path of files) hash.update(path).update(readFileSync(join(sources, path)));
  const folder = join(packages, '.cache/flower-children', hash.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), '{"type": "module"}');
  const options = [
    '--noCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--rootDir',
    sources,
    '--outDir',
    unfinished,
  ];
  const compiler = join(packages, 'typescript/bin/tsc');
  spawnSync(process.execPath, [compiler, ...options, ...files.map((path) => join(sources, path))]);
  try {
    renameSync(unfinished, folder);
  } catch {
    // Another test file was faster.
    rmSync(unfinished, { recursive: true });
  }
  return folder;
}

function filesIn(path) {
  if (path.endsWith('.ts')) return path.endsWith('.test.ts') ? [] : [path];
  if (path.includes('.') || path.endsWith('testing')) return [];
  return readdirSync(join(sources, path)).flatMap((name) => filesIn(join(path, name)));
}

/** Starts a Node process that runs `code`, an ES module, with `parameters` as JSON in `process.argv[1]`. */
export function startChild(code, parameters = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, JSON.stringify(parameters)], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = new Promise((resolve) => {
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal, output, errors }));
  });
  const said = (word) =>
    new Promise((resolve, reject) => {
      const look = () => output.includes(word) && resolve();
      child.stdout.on('data', look);
      child.on('close', () => reject(new Error(`the child ended without saying ${word}: ${errors}`)));
      look();
    });
  return { pid: child.pid, ended, said, kill: (signal = 'SIGKILL') => child.kill(signal) };
}

/** Runs `code` to its end. */
export function runChild(code, parameters = {}) {
  return startChild(code, parameters).ended;
}
