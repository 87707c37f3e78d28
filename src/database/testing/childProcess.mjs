import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

const sources = fileURLToPath(new URL('../../', import.meta.url));
const rooms = ['errors.ts', 'locale', 'database', 'books'];
let built;

/** URL of a source file below `src/`, stripped of its types, to import in a child. */
export function source(path) {
  built ??= build();
  return pathToFileURL(join(built, path.replace(/\.ts$/, '.js'))).href;
}

/** The rooms that children use as plain JavaScript, below `node_modules` so that packages are found; once per state of the sources. */
function build() {
  const files = rooms
    .flatMap((room) => filesIn(room))
    .map((path) => ({ path, content: readFileSync(join(sources, path), 'utf8') }));
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 16);
  const folder = join(sources, '../node_modules/.cache/flower-children', hash);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };
  for (const { path, content } of [...files, { path: 'package.json', content: '{"type": "module"}' }]) {
    const target = join(unfinished, path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, path.endsWith('.ts') ? ts.transpileModule(content, { compilerOptions }).outputText : content);
  }
  try {
    renameSync(unfinished, folder);
  } catch {
    // Another test file was faster.
  }
  return folder;
}

function filesIn(path) {
  if (path.endsWith('.ts')) return /\.test\.ts$|\.d\.ts$/.test(path) ? [] : [path];
  if (path.includes('.')) return [];
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
