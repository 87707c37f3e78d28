import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { common } from './shapes.mjs';

const LINE = 90;

/** The text of one shape's job: the same calls, whoever makes them. */
export class Job {
  constructor(shape, workspace) {
    this.shape = shape;
    this.workspace = workspace;
    this.sizes = sizesOf(shape);
    this.packages = Array.from({ length: shape.packages }, (_, p) => this.#package(p));
  }

  get calls() {
    return this.packages.reduce((sum, steps) => sum + steps.length, 0);
  }

  /** Lays down what the job reads: sources to look at and a log to print from. */
  prepare() {
    const { readResult, bashResult } = this.shape.sizes;
    mkdirSync(join(this.workspace, 'lib'), { recursive: true });
    for (let p = 0; p < this.shape.packages; p += 1) {
      const { looks, bash } = this.#callsOf(p);
      mkdirSync(join(this.workspace, 'src', name(p)), { recursive: true });
      writeFileSync(this.#library(p), lines(looks * linesRead(readResult), `library ${p}`));
      writeFileSync(this.#log(p), lines(Math.ceil((bash * bashResult) / LINE) + 1, `log ${p}`));
    }
  }

  /** Stands for every file that the job leaves behind. */
  digestOfFiles() {
    const hash = createHash('sha256');
    const folder = join(this.workspace, 'src');
    for (const file of readdirSync(folder, { recursive: true }).sort()) {
      if (file.includes('.txt')) hash.update(file).update(readFileSync(join(folder, file)));
    }
    return hash.digest('hex').slice(0, 16);
  }

  /** One package as a plan names it. */
  planned(p) {
    return `Package ${p}: ${words(common.planned, `plan ${p}`)}`;
  }

  plan() {
    return this.packages.map((_, p) => `- [ ] ${this.planned(p)}`).join('\n');
  }

  /** A look at one of the prepared sources, for whoever looks without working: none of the calls of the work. */
  look(n) {
    const count = linesRead(this.shape.sizes.readResult);
    const p = n % this.shape.packages;
    return step('Read', {
      file_path: this.#library(p),
      offset: 1 + (Math.floor(n / this.shape.packages) % this.#callsOf(p).looks) * count,
      limit: count - 1,
    });
  }

  /** The calls of a package: those of the middling one, as often as this one is larger. */
  #callsOf(p) {
    const scaled = ([kind, count]) => [kind, Math.max(1, Math.round(count * this.sizes[p]))];
    return Object.fromEntries(Object.entries(this.shape.calls).map(scaled));
  }

  #package(p) {
    const { bash, looks, writes, edits } = this.#callsOf(p);
    const steps = [];
    let commands = 0;
    const run = () => {
      if (commands < bash) steps.push(this.#bash(p, commands++));
    };
    for (let n = 0; n < looks; n += 1) {
      steps.push(this.#read(p, n));
      if (bash > looks) run();
    }
    for (let n = 0; n < writes; n += 1) {
      steps.push(this.#write(p, n));
      run();
      run();
    }
    for (let n = 0; n < edits; n += 1) {
      steps.push(...this.#edit(p, n));
      run();
      run();
    }
    while (commands < bash) run();
    return steps;
  }

  #bash(p, n) {
    const { command, bashResult } = this.shape.sizes;
    const look = `tail -c +${1 + n * bashResult} ${this.#log(p)} | head -c ${bashResult}`;
    const script = words(command - look.length - 40, `command ${p}.${n}`).replaceAll('. ', '.\n');
    return step('Bash', { command: `cat > /dev/null <<'END'\n${script}\nEND\n${look}`, description: 'Try it' });
  }

  #read(p, n) {
    const count = linesRead(this.shape.sizes.readResult);
    return step('Read', { file_path: this.#library(p), offset: 1 + n * count, limit: count });
  }

  #write(p, n) {
    const count = Math.floor(this.shape.sizes.written / LINE);
    return step('Write', { file_path: this.#file(p, n), content: lines(count, `source ${p}.${n}`) });
  }

  /** Reads a passage of a file that was written, and replaces it. */
  #edit(p, n) {
    const { writes } = this.#callsOf(p);
    const { written, edited } = this.shape.sizes;
    const file = n % writes;
    const count = Math.floor(edited / LINE);
    const from = count * Math.floor(n / writes);
    const old = lines(Math.floor(written / LINE), `source ${p}.${file}`)
      .split('\n')
      .slice(from, from + count)
      .join('\n');
    const fresh = lines(count, `edited ${p}.${n}`).trimEnd();
    return [
      step('Read', {
        file_path: this.#file(p, file),
        offset: 1 + from,
        limit: linesRead(Math.min(this.shape.sizes.readResult, 3000)),
      }),
      step('Edit', { file_path: this.#file(p, file), old_string: old, new_string: fresh }),
    ];
  }

  #file(p, n) {
    return join(this.workspace, 'src', name(p), `part${n}.txt`);
  }

  #library(p) {
    return join(this.workspace, 'lib', `${name(p)}.txt`);
  }

  #log(p) {
    return join(this.workspace, 'lib', `${name(p)}.log`);
  }
}

/** The size of each package, 1 on average: large ones between small ones. */
function sizesOf({ packages, spread: [least, middle, most] = [1, 1, 1] }) {
  const ordered = Array.from({ length: packages }, (_, n) => {
    const at = (2 * n) / Math.max(1, packages - 1);
    return at < 1 ? least + (middle - least) * at : middle + (most - middle) * (at - 1);
  });
  const mean = ordered.reduce((sum, size) => sum + size, 0) / packages;
  // Seven has no common divisor with any of the numbers of packages.
  return ordered.map((_, p) => ordered[(p * 7) % packages] / mean);
}

/** Prose of so many characters that is like no other. */
export function words(length, seed) {
  let text = '';
  for (let n = 0; text.length < length; n += 1)
    text += `${seed}, ${n}: the reader takes one row and says what it skips. `;
  return text.slice(0, Math.max(0, length)).trimEnd();
}

function lines(count, seed) {
  return Array.from(
    { length: count },
    (_, n) => `${words(LINE - 1, `${seed} line ${n}`).padEnd(LINE - 1, '.')}\n`,
  ).join('');
}

/** Lines that make a result of so many characters with the line numbers that Read puts before them. */
function linesRead(length) {
  return Math.floor(length / (LINE + 5));
}

function step(tool, input) {
  return { tool, input };
}

function name(p) {
  return `p${String(p).padStart(2, '0')}`;
}
