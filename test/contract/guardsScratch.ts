import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  type FSWatcher,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What happened to the scratch folder while a command ran, in words; empty if nothing did. */
export type Traces = string[];

/** Names that are options when a glob puts them into a command. */
const OPTION_NAMES = ['-oleak.txt', '--output=leak.txt', '-delete', '-i', '-exec', '-w'];
/** Programs that no look starts. Each is shadowed by a script that leaves a trace. */
const SHADOWED =
  `touch rm cp mv ln mkdir tee dd sh perl xargs gpg less more vi vim nano editor sudo curl ssh make helper.sh evil
  git-upload-pack`.split(/\s+/);
const TIMED_OUT = 124;
/** Nobody can tell whether such a loop ends; one that does not is ended by the time limit of the tool. */
const AWK_LOOP = /\bawk\b.*\b(?:while|for|do)\b/s;

/**
 * A folder with a git repository and files that tempt, a home and a temporary folder, where command lines run for real as a
 * user that owns nothing else. Whatever they change, start or leave behind is reported.
 */
export class Scratch {
  readonly root = mkdtempSync(join(tmpdir(), 'flower-shell-'));
  readonly folder = join(this.root, 'work');
  readonly #shadows = join(this.root, 'shadows');
  readonly #trace = join(this.root, 'trace');
  readonly #temporary = join(this.root, 'tmp');
  readonly #watchers: FSWatcher[] = [];
  readonly #seen: string[] = [];
  #before: ReadonlyMap<string, string>;

  /** @param limitS seconds after which a command counts as one that does not end; generous, for a busy machine */
  constructor(private readonly limitS = 30) {
    // top makes its configuration folder on every start; here it is there already.
    for (const name of [
      'work/src',
      'work/packages/core',
      'work/server',
      'work/my dir',
      'work/a',
      'home/.config/procps',
      'tmp',
      'shadows',
      'trace',
    ]) {
      mkdirSync(join(this.root, name), { recursive: true });
    }
    for (const name of SHADOWED) {
      const path = join(this.#shadows, name);
      writeFileSync(path, `#!/bin/bash\necho ${name} >> '${this.#trace}/started'\n`);
      chmodSync(path, 0o755);
    }
    this.#fill();
    this.#giveAway(this.root);
    this.#makeRepository();
    this.#before = this.#snapshot();
    for (const path of [this.root, ...this.#before.keys()].filter((path) => lstatSync(path).isDirectory())) {
      this.#watchers.push(watch(path, (event, name) => this.#seen.push(`${event} ${join(path, String(name))}`)));
    }
  }

  /** Runs the command lines one after the other, each in a Bash of its own. */
  async run(lines: readonly string[]): Promise<Traces> {
    const script = `while IFS= read -r -d '' line; do timeout -k 1 ${this.limitS} /bin/bash -c "$line" </dev/null >/dev/null 2>&1; [ $? = ${TIMED_OUT} ] && printf '%s\\0' "$line" >&2; done`;
    const input = lines.map((line) => `${line}\0`).join('');
    // A session of its own, so that what outlives the shell can be found.
    const shell = this.#spawn('setsid', ['--wait', '/bin/bash', '-c', `echo $$; ${script}`], { input });
    const session = shell.stdout.split('\n')[0] ?? '';
    const endless = shell.stderr.split('\0').filter((line) => line !== '' && !AWK_LOOP.test(line));
    const traces = endless.map((line) => `did not end: ${line}`);
    traces.push(...this.#differences(), ...processesOf(session).map((name) => `still running: ${name}`));
    if (existsSync(join(this.#trace, 'started')))
      traces.push(`started ${readFileSync(join(this.#trace, 'started'), 'utf8')}`);
    await this.#drainEvents();
    return [...traces, ...this.#seen.map((event) => `event ${event}`)];
  }

  remove(): void {
    for (const watcher of this.#watchers) watcher.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  #fill(): void {
    const files: Record<string, string> = {
      'notes.txt': 'a red\nb green\nb green\n# c todo\nfoo=1\n',
      'other.txt': 'other\n',
      'a.txt': 'a\nb\n',
      'b.txt': 'b\nc\n',
      'paths.txt': 'src/a.ts\n/usr/lib\n',
      'patterns.txt': 'foo\n',
      'data.json': '{"a":[{"b":4},{"b":1}],"scripts":{"x":"y"}}\n',
      'package.json': '{"name":"x","scripts":{"test":"true"},"dependencies":{"a":"1"}}\n',
      'data.csv': 'n,v\na,1\nb,6\n',
      'data.tsv': 'a\tx\nb\ty\n',
      'README.md': '# Title\n',
      mg: '0 string x y\n',
      'helper.sh': 'touch leak.txt\n',
      'src/a.ts': 'export const foo = 1;\nfunction bar() {}\n',
      'src/b.ts': 'import { foo } from "./a";\n',
      'packages/core/package.json': '{}\n',
      'server/package.json': '{}\n',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(this.folder, name), text);
    for (const name of OPTION_NAMES) writeFileSync(join(this.folder, name), 'option\n');
    symlinkSync('notes.txt', join(this.folder, 'link'));
  }

  #makeRepository(): void {
    const git = `git -c user.name=x -c user.email=x@example.test -c init.defaultBranch=main`;
    const setUp = [
      `${git} init -q . && ${git} add -A && ${git} commit -qm one`,
      `echo more >> notes.txt && ${git} commit -qam two && echo more >> src/a.ts && ${git} commit -qam three`,
      `${git} branch old-work && ${git} tag v1.0 && ${git} init -q --bare ../home/origin.git && ${git} remote add origin ../home/origin.git`,
      `git push -q origin main && echo s >> a.txt && ${git} stash push -q && echo changed >> b.txt && echo new > new.txt`,
    ];
    const { status, stderr } = this.#spawn('/bin/bash', ['-ec', setUp.join('\n')], { PATH: '/usr/bin:/bin' });
    if (status !== 0) throw new Error(`the scratch repository could not be made: ${stderr}`);
  }

  #spawn(command: string, args: readonly string[], extra: { input?: string; PATH?: string } = {}) {
    const options: SpawnSyncOptions = {
      cwd: this.folder,
      input: extra.input ?? '',
      env: {
        PATH: extra.PATH ?? `${this.#shadows}:/usr/local/bin:/usr/bin:/bin`,
        HOME: join(this.root, 'home'),
        TMPDIR: this.#temporary,
        LC_ALL: 'C.UTF-8',
        // What the harness's environment says too: a look must not refresh the index, nor ask or page.
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
        GIT_PAGER: 'cat',
      },
      ...nobody(),
      maxBuffer: 64 * 1024 * 1024,
    };
    const { status, stdout, stderr } = spawnSync(command, args, options);
    return { status, stdout: String(stdout), stderr: String(stderr) };
  }

  #giveAway(path: string): void {
    const { uid, gid } = nobody();
    if (uid === undefined || gid === undefined) return;
    if (!lstatSync(path).isSymbolicLink()) chownSync(path, uid, gid);
    if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) this.#giveAway(join(path, name));
  }

  #snapshot(path = this.root, into = new Map<string, string>()): Map<string, string> {
    for (const name of readdirSync(path)) {
      const child = join(path, name);
      // Programs may use the temporary folder while they run (sort, tac), as long as nothing stays.
      if (child === this.#temporary && readdirSync(child).length === 0) continue;
      const { mode, size, ino, mtimeNs, ctimeNs } = lstatSync(child, { bigint: true });
      into.set(child, `${mode} ${size} ${ino} ${mtimeNs} ${ctimeNs}`);
      if (lstatSync(child).isDirectory()) this.#snapshot(child, into);
    }
    return into;
  }

  #differences(): Traces {
    const after = this.#snapshot();
    const changed = [...this.#before]
      .filter(([path, state]) => after.get(path) !== state)
      .map(([path]) => `changed or gone: ${path}`);
    const added = [...after.keys()].filter((path) => !this.#before.has(path)).map((path) => `new: ${path}`);
    this.#before = after;
    return [...changed, ...added];
  }

  /** Events come in order: once those of a file of our own are there, all earlier ones are. */
  async #drainEvents(): Promise<void> {
    const marker = join(this.root, 'marker');
    writeFileSync(marker, '');
    const isMarker = (event: string) => event.endsWith(marker);
    while (!this.#seen.some(isMarker)) await new Promise((resolve) => setTimeout(resolve, 1));
    rmSync(marker);
    await new Promise((resolve) => setTimeout(resolve, 5));
    const others = this.#seen.filter((event) => !isMarker(event));
    this.#seen.splice(0, this.#seen.length, ...others);
    this.#before = this.#snapshot();
  }
}

/** As root the commands run as a user without rights, so that a hole in the check costs nothing but a failed test. */
function nobody(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

function processesOf(session: string): string[] {
  const stats = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/stat`, 'utf8');
      } catch {
        return '';
      }
    });
  // "pid (name) state parent group session …"; the name may hold blanks and brackets.
  return stats.filter((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3] === session);
}
