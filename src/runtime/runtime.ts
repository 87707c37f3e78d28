import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { query, type SessionStore } from '@anthropic-ai/claude-agent-sdk';
import type { AgentSpec } from '../agent/agentSpec.js';
import { buildOptions } from '../agent/buildOptions.js';
import { toolLists } from '../agent/toolLists.js';
import { Books } from '../books/books.js';
import { checkCredentials } from '../credentials/checkCredentials.js';
import { loadDotenv } from '../credentials/loadDotenv.js';
import { projectKeyOf } from '../database/projectKey.js';
import { FlowerError } from '../errors.js';
import type { Event } from '../events/event.js';
import { activeLocale, type Locale } from '../locale/locale.js';
import { PruningSessionStore } from '../store/pruningSessionStore.js';
import type { StoreQueries } from '../store/storeQueries.js';
import { HandInDesk } from '../tools/handIn.js';
import { Workbench } from '../workbench/workbench.js';
import { type QueryFn, runAttempt } from './attempt.js';
import { savedTotal } from './cost.js';
import { harnessEnvironment } from './harnessEnvironment.js';
import { HarnessProcesses } from './harnessProcess.js';
import { stepHooks } from './stepHooks.js';
import { StepResult } from './stepResult.js';
import type { RunOptions, StepRun } from './stepRun.js';

export interface RuntimeOptions {
  /** Where the agents work; made if it is missing. */
  readonly workspace: string;
  /** Books and sessions, against the current directory. @default 'runs' */
  readonly runDir?: string;
  /** Read no Claude configuration of host or project. @default true */
  readonly portable?: boolean;
  /** `true`: one in `<runDir>/workbench`. @default false */
  readonly workbench?: Workbench | boolean;
  /** Characters from which a tool result is put into a file; null switches that off. @default 4000 */
  readonly spillThreshold?: number | null;
  /** Language of files and model texts. @default the active locale */
  readonly locale?: Locale;
  /** Where the transcripts are kept. @default SQLite in `<runDir>/sessions.db` */
  readonly store?: SessionStore & StoreQueries;
  /**
   * Credentials, address and models in place of those that environment and files hold: nothing is looked up then.
   * @default looked up, see `loadDotenv`
   */
  readonly settings?: Readonly<Record<string, string>> | null;
  /** The SDK's `query`, or something that stands in for it. */
  readonly query?: QueryFn;
}

/**
 * The execution core: owns workspace, session store, workbench and books, and runs one thing, a step.
 *
 * @example
 * const runtime = new Runtime({ workspace: '.' });
 * const result = await runtime.run(new AgentSpec({ name: 'look', instructions: '' }), 'What is in this folder?');
 * await runtime.close();
 */
export class Runtime {
  static readonly KILLED = 'killed-by-signal';

  readonly workspace: string;
  readonly runDir: string;
  readonly portable: boolean;
  readonly workbench: Workbench | null;
  readonly spillThreshold: number | null;
  readonly runId = newRunId();
  readonly locale: Locale;
  readonly books: Books;
  readonly projectKey: string;
  readonly results: StepResult[] = [];
  /** What callbacks of the user interface threw. They never change a run. */
  readonly uiErrors: string[] = [];
  store: PruningSessionStore;
  /** Called with every session id as soon as it is known. */
  onSession: ((sessionId: string) => void) | null = null;

  readonly #query: QueryFn;
  readonly #processes = new HarnessProcesses();
  readonly #running = new Set<StepRun>();
  readonly #startedAt = Date.now() / 1000;
  readonly #settings: Readonly<Record<string, string | undefined>>;
  #spentUsd = 0;
  #closed = false;

  /**
   * @throws {FlowerError} `credentials_missing`, before anything is opened; the codes of the database
   */
  constructor(options: RuntimeOptions) {
    this.locale = options.locale ?? activeLocale();
    this.workspace = makeFolder(options.workspace);
    if (!options.settings) loadDotenv(null, { workspace: this.workspace });
    this.#settings = options.settings ?? process.env;
    const missing = checkCredentials({ env: this.#settings });
    if (missing) throw new FlowerError('credentials_missing', missing);

    this.runDir = makeFolder(resolve(options.runDir ?? 'runs'));
    this.portable = options.portable ?? true;
    this.spillThreshold = options.spillThreshold === undefined ? 4000 : options.spillThreshold;
    this.#query = options.query ?? query;
    this.books = Books.open(this.runDir, { locale: this.locale });
    this.workbench = this.#benchOf(options.workbench ?? false);
    this.workbench?.refresh();
    this.store = new PruningSessionStore(options.store ?? join(this.runDir, 'sessions.db'), this.workspace, {
      locale: this.locale,
    });
    const stored = this.store.projects();
    this.projectKey = projectKeyOf(this.runDir, {
      workspace: this.workspace,
      // A store that answers later is one of a new kind: it holds no sessions under an older key.
      stored: Array.isArray(stored) ? stored : [],
    });
  }

  /** Runs one step and books it. Resolves with `ok: false` for a failed one. */
  async run(spec: AgentSpec, prompt: string, options: RunOptions = {}): Promise<StepResult> {
    const name = options.stepName ?? spec.name;
    const run: StepRun = {
      spec,
      name,
      options,
      result: new StepResult({ step: name, startedAt: Date.now() / 1000 }),
      desk: new HandInDesk({
        kinds: spec.submit ? [spec.submit] : [],
        checks: options.checks ?? null,
        locale: this.locale,
      }),
      emit: (event) => this.#emit(event, options.onEvent),
    };
    this.#running.add(run);
    try {
      run.result.attempts += 1;
      await this.#attempt(run, prompt, options);
    } finally {
      this.#running.delete(run);
      run.result.endedAt = Date.now() / 1000;
      this.results.push(run.result);
      this.#book();
    }
    return run.result;
  }

  /**
   * For handlers of SIGHUP and SIGTERM: books what is in flight as killed and ends the harness processes. Synchronous; never throws
   * and never prints.
   */
  rescue(): void {
    for (const { result } of this.#running) {
      result.endedAt = Date.now() / 1000;
      result.error ??= Runtime.KILLED;
      this.results.push(result);
    }
    this.#running.clear();
    try {
      this.#book();
    } catch {
      // The process is about to end: there is nobody left to tell.
    }
    this.#processes.signal('SIGTERM');
  }

  /** True if the store holds this session. */
  async hasSession(sessionId: string): Promise<boolean> {
    return this.store.hasSession(this.projectKey, sessionId);
  }

  /** Tokens of the last main-thread context of this session; 0 if it is not known. */
  async contextOf(sessionId: string): Promise<number> {
    return this.store.lastContext(this.projectKey, sessionId);
  }

  get manifestPath(): string {
    return join(this.runDir, 'manifest.json');
  }

  /** US dollars of all steps that this Runtime ran, four digits. */
  totalCost(): number {
    return Math.round(this.results.reduce((sum, result) => sum + result.costUsd, 0) * 10_000) / 10_000;
  }

  /** Closes store and books. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.store.close();
    this.books.close();
  }

  async #attempt(run: StepRun, prompt: string, from: RunOptions): Promise<void> {
    const { spec, desk } = run;
    const resume = from.resume ?? null;
    await runAttempt(run, {
      prompt: this.#withIndex(spec, prompt, resume),
      options: {
        ...buildOptions(spec.with({ hooks: stepHooks(spec, this) }), {
          cwd: this.workspace,
          addDirs: this.workbench?.external ? [this.workbench.root] : null,
          sessionStore: this.store,
          resume,
          fork: from.fork ?? false,
          resumeAt: from.resumeAt ?? null,
          portable: this.portable,
          env: harnessEnvironment({
            configDir: join(this.runDir, 'harness'),
            projectKey: this.projectKey,
            startedAt: this.#startedAt,
            settings: this.#settings,
          }),
          tools: desk.toolNames,
          mcpServers: desk.servers(),
        }),
        spawnClaudeCodeProcess: this.#processes.spawn,
      },
      mainTools: toolLists(spec, desk.toolNames).main,
      savedUsd: resume ? savedTotal(await this.store.load({ projectKey: this.projectKey, sessionId: resume })) : 0,
      locale: this.locale,
      query: this.#query,
      onSession: (id) => this.#tell(() => this.onSession?.(id)),
      onSpent: (usd) => {
        this.#spentUsd += usd;
        return this.#spentUsd;
      },
      isStored: async (id) => this.store.hasSession(this.projectKey, id),
      lastStderr: () => this.#processes.lastStderr,
    });
  }

  /** The index goes into the first message of a new session: in the system prompt it would change the cached prefix with every file. */
  #withIndex(spec: AgentSpec, prompt: string, resume: string | null): string {
    if (!this.workbench) return prompt;
    this.workbench.refresh();
    return spec.workbench && resume === null ? `${this.workbench.promptBlock()}\n\n${prompt}` : prompt;
  }

  #benchOf(option: Workbench | boolean): Workbench | null {
    if (typeof option !== 'boolean') return option;
    return option ? new Workbench(this.workspace, { home: join(this.runDir, 'workbench'), locale: this.locale }) : null;
  }

  #emit(event: Event, onEvent: RunOptions['onEvent']): void {
    this.#tell(() => onEvent?.(event));
  }

  #tell(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.uiErrors.push(error instanceof Error ? error.message : String(error));
    }
  }

  #book(): void {
    this.books.putSteps(
      this.runId,
      this.results.map((result) => ({ ...result.toJSON(), run: this.runId })),
    );
  }
}

function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  return realpathSync(path);
}

/** Local time and six random digits: unique for each Runtime, because the books tell runs apart by it. */
function newRunId(): string {
  const now = new Date();
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
  return `${day}-${time}-${randomBytes(3).toString('hex')}`;
}
