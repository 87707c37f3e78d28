import { randomBytes } from 'node:crypto';
import { mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import type { AgentSpec } from '../agent/agentSpec.js';
import { HandoffPolicy } from '../agent/handoffPolicy.js';
import { Books } from '../books/books.js';
import { Lineage } from '../books/lineage.js';
import { checkCredentials } from '../credentials/checkCredentials.js';
import { loadDotenv } from '../credentials/loadDotenv.js';
import { projectKeyOf } from '../database/projectKey.js';
import { FlowerError } from '../errors.js';
import { Event } from '../events/event.js';
import { activeLocale, type Locale, text } from '../locale/locale.js';
import { whyUnwritten } from '../store/appendQueue.js';
import { EphemeralPolicy } from '../store/ephemeralPolicy.js';
import { PrunePolicy } from '../store/prunePolicy.js';
import { PruningSessionStore } from '../store/pruningSessionStore.js';
import { TrimPolicy } from '../store/trimPolicy.js';
import { HandInDesk } from '../tools/handIn.js';
import { Workbench } from '../workbench/workbench.js';
import { Account } from './account.js';
import type { QueryFn } from './attempt.js';
import { importCrashed } from './crashImport.js';
import { ownerMark } from './harnessEnvironment.js';
import { HarnessProcesses } from './harnessProcess.js';
import { hearStore } from './hearStore.js';
import { Interrupts } from './interrupts.js';
import { billKilledSteps, KILLED } from './killedSteps.js';
import { endLeftovers, endMarked } from './leftovers.js';
import { modelNotice } from './modelNotice.js';
import { renewedPolicy } from './renewedPolicy.js';
import { Resilience } from './resilience.js';
import { type RoleUsage, usageByRole } from './roleUsage.js';
import type { RuntimeOptions } from './runtimeOptions.js';
import type { StepHost } from './stepHost.js';
import { StepLoop } from './stepLoop.js';
import { StepResult } from './stepResult.js';
import { handInKinds, type OpenBill, type RunOptions, type StepRun } from './stepRun.js';
import { STOP } from './turnStop.js';

/**
 * The execution core: owns workspace, session store, workbench and books, and runs one thing, a step. Retrying, going on after an
 * interrupt and handing over when the context is full all happen inside that one call.
 *
 * @example
 * const runtime = new Runtime({ workspace: '.' });
 * const result = await runtime.run(new AgentSpec({ name: 'look', instructions: '' }), 'What is in this folder?');
 * await runtime.close();
 */
export class Runtime {
  static readonly INTERRUPTED = STOP.interrupt;
  static readonly HANDOFF_DUE = STOP.handoff;
  static readonly BUDGET_EXHAUSTED = STOP.budget;
  static readonly SILENT = STOP.silence;
  static readonly KILLED = KILLED;

  readonly workspace: string;
  readonly runDir: string;
  readonly portable: boolean;
  readonly workbench: Workbench | null;
  readonly spillThreshold: number | null;
  readonly resilience: Resilience;
  readonly handoff: HandoffPolicy;
  readonly interruptGraceS: number;
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
  readonly #account: Account;
  /** Takes what a person asks while nothing runs; the next step has it. */
  #interrupts = new Interrupts();
  readonly #processes = new HarnessProcesses();
  readonly #running = new Set<StepRun>();
  /** Booked as killed; their queries may still run for a moment. */
  readonly #rescued = new Set<StepRun>();
  readonly #startedAt = Date.now() / 1000;
  readonly #settings: Readonly<Record<string, string | undefined>>;
  /** What happened while no step ran; the next one tells it. */
  readonly #troubles: Event[] = [];
  #recovery: Promise<Recovered> | null = null;
  #modelNoticed = false;
  #earlierLimitTaken = false;
  /** Until when runs wait for a usage limit, as far as the books do not know it yet. */
  readonly #limits = new Map<string, number | null>();
  /** Why the books could not be written the last time. */
  #booksFault: string | null = null;
  /** The process is about to end. */
  #ending = false;
  #closed = false;

  /**
   * @throws {FlowerError} `credentials_missing`, before anything is opened; the codes of the database
   */
  constructor(options: RuntimeOptions) {
    this.locale = options.locale ?? activeLocale();
    this.workspace = makeFolder(options.workspace);
    if (!options.settings) loadDotenv(null, { workspace: this.workspace });
    this.#settings = options.settings ?? process.env;
    const missing = checkCredentials({ env: this.#settings, locale: this.locale });
    if (missing) throw new FlowerError('credentials_missing', missing);

    this.runDir = makeFolder(resolve(options.runDir ?? 'runs'));
    this.portable = options.portable ?? true;
    this.spillThreshold = options.spillThreshold === undefined ? 4000 : options.spillThreshold;
    this.resilience = policy(options.resilience, (enabled) => new Resilience({ enabled }, this.locale));
    this.handoff = policy(options.handoff, (enabled) => new HandoffPolicy({ enabled }, this.#settings));
    this.interruptGraceS = options.interruptGraceS ?? 10;
    this.#query = options.query ?? query;

    this.books = Books.open(this.runDir, {
      locale: this.locale,
      onViewFailed: (why) => this.#trouble(why, 'view_failed'),
      onSetAside: (what) => this.#trouble(what, 'import_failed'),
    });
    if (options.maxBudgetUsd != null) this.books.setBudgetUsd(options.maxBudgetUsd);
    this.#account = new Account({
      ceilingUsd: this.books.budgetUsd(),
      spentBeforeUsd: this.books.spentUsd(),
      parent: options.parent ? options.parent.#account : null,
    });
    this.workbench = this.#benchOf(options.workbench ?? false);
    this.workbench?.refresh();
    this.store = this.#storeOf(options);
    hearStore(this.store, this.locale, (event) => this.#announce(event));
    const stored = this.store.projects();
    this.projectKey = projectKeyOf(this.runDir, {
      workspace: this.workspace,
      lineagePath: Object.values(Lineage.open(this.runDir, this.workspace).movedFrom)[0],
      // A store that answers later is one of a new kind: it holds no sessions under an older key.
      stored: Array.isArray(stored) ? stored : [],
    });
  }

  /** Runs one step and books it. Resolves with `ok: false` for a failed one. */
  async run(spec: AgentSpec, prompt: string, options: RunOptions = {}): Promise<StepResult> {
    const name = options.stepName ?? spec.name;
    const result = new StepResult({ step: name, startedAt: Date.now() / 1000 });
    const run: StepRun = {
      spec,
      name,
      options,
      result,
      desk: new HandInDesk({
        kinds: handInKinds(spec, this.handoff),
        checks: options.checks ?? null,
        locale: this.locale,
      }),
      emit: (event) => this.#tell(() => options.onEvent?.(event)),
      interrupts: this.#interrupts,
      session: null,
      policy: renewedPolicy(this.handoff, this.#settings),
      watermark: 0,
      warned: false,
      degraded: 0,
      stop: null,
      open: () => ({ usd: 0, countedUntil: result.startedAt }),
    };
    this.#interrupts = new Interrupts();
    this.#running.add(run);
    try {
      await this.recover();
      for (const trouble of this.#troubles.splice(0)) run.emit(trouble);
      await new StepLoop(this.#host(), run, prompt).execute();
    } finally {
      if (this.#running.delete(run)) this.#settle(run);
      else this.#settleRescued(run);
    }
    return result;
  }

  /**
   * Stops what runs, at once: at a boundary if one comes within `interruptGraceS`, else where it stands. The same session then goes
   * on with the words, once they are there. Callable from any callback; with nothing running it meets the next step, with several
   * steps running all of them.
   *
   * @param message what the person says, or a promise of it; nothing means: stop, then go on
   */
  interrupt(message: string | Promise<string> = ''): void {
    const running = [...this.#running].map((run) => run.interrupts);
    for (const interrupts of running.length > 0 ? running : [this.#interrupts]) interrupts.request(message);
  }

  /**
   * For handlers of SIGHUP and SIGTERM: books what is in flight as killed and ends the harness processes. Synchronous; never throws
   * and never prints.
   */
  rescue(): void {
    this.#ending = true;
    for (const run of this.#running) {
      // A handoff that is being written is cut off as well.
      if (run.result.error === null || run.result.error === STOP.handoff) run.result.error = Runtime.KILLED;
      this.#running.delete(run);
      this.#rescued.add(run);
      try {
        this.#settle(run);
      } catch {
        // The process is about to end: there is nobody left to tell.
      }
    }
    this.#processes.signal('SIGTERM');
  }

  /**
   * Puts right what a killed process left, once: ends the processes that it started, and takes in what its harness wrote down and
   * the store never got. `run` calls it too, before its first query, and again if there was no room or a lock.
   */
  recover(): Promise<Recovered> {
    this.#recovery ??= this.#recover().catch((error) => {
      this.#recovery = null;
      throw error;
    });
    return this.#recovery;
  }

  /** True if the store holds this session. */
  async hasSession(sessionId: string): Promise<boolean> {
    return this.store.hasSession(this.projectKey, sessionId);
  }

  /** Tokens of the last main-thread context of this session; 0 if it is not known. */
  async contextOf(sessionId: string): Promise<number> {
    return this.store.lastContext(this.projectKey, sessionId);
  }

  /** What the steps of this run have used so far, by who used it: the main thread and each worker. */
  async usageByRole(): Promise<readonly RoleUsage[]> {
    return usageByRole(
      this.store.inner,
      this.projectKey,
      this.results.map((result) => result.toJSON()),
    );
  }

  get manifestPath(): string {
    return join(this.runDir, 'manifest.json');
  }

  /** US dollars of all steps that this Runtime ran, four digits. */
  totalCost(): number {
    return Math.round(this.#settled().reduce((sum, result) => sum + result.costUsd, 0) * 10_000) / 10_000;
  }

  /** Ends what workers have left running, and closes store and books. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    // Before the books are closed: a directory that is free has nothing in it that still works.
    await endMarked('FLOWER_OWNER', ownerMark({ projectKey: this.projectKey, startedAt: this.#startedAt }));
    if (this.#booksFault !== null) this.#book();
    await this.store.close();
    this.books.close();
  }

  async #recover(): Promise<Recovered> {
    const { projectKey, store, runDir } = this;
    const processes = await endLeftovers(projectKey);
    const { entries, failures } = await importCrashed({
      store,
      projectKey,
      configDir: join(runDir, 'harness'),
      tmpDir: tmpdir(),
    });
    for (const failure of failures) this.#trouble(failure, 'import_failed');
    // What could be found of a history with a hole has been taken in.
    if (failures.length === 0) for (const { storeKey } of this.books.repairs()) this.books.clearRepair(storeKey);
    await billKilledSteps(this.books, store.inner, projectKey);
    this.#account.spentBeforeUsd = this.books.spentUsd();
    return { processes, entries };
  }

  #trouble(words: string, kind: 'view_failed' | 'import_failed'): void {
    this.#announce(new Event('error', { text: words, payload: { [kind]: true } }));
  }

  /** Tells every step that runs, else the next one. */
  #announce(event: Event): void {
    if (this.#running.size === 0) this.#troubles.push(event);
    for (const run of this.#running) run.emit(event);
  }

  #host(): StepHost {
    const { workspace, runDir, runId, projectKey, portable, locale, workbench, spillThreshold, interruptGraceS } = this;
    const { store, books, handoff, resilience } = this;
    return {
      ...{ workspace, runDir, runId, projectKey, portable, locale, workbench, spillThreshold, interruptGraceS },
      ...{ store, books, handoff, resilience },
      account: this.#account,
      processes: this.#processes,
      query: this.#query,
      settings: this.#settings,
      startedAt: this.#startedAt,
      noteSession: (id) => this.#tell(() => this.onSession?.(id)),
      book: () => this.#book(),
      noteLimit: (until) => this.#noteLimit(until),
      takeEarlierLimit: () => this.#takeEarlierLimit(),
      isEnding: () => this.#ending,
      modelNotice: (served) => this.#modelNotice(served),
    };
  }

  #noteLimit(until: number | null): void {
    this.#limits.set(this.runId, until);
    this.#book();
  }

  /** In one booking from the runs that were killed to this one: at any moment the next process finds it with one of them. */
  #takeEarlierLimit(): number {
    if (this.#earlierLimitTaken) return 0;
    this.#earlierLimitTaken = true;
    const earlier = this.books.runs().filter(({ run, limitUntil }) => run !== this.runId && limitUntil !== null);
    for (const { run } of earlier) this.#limits.set(run, null);
    const until = Math.max(0, ...earlier.map(({ limitUntil }) => limitUntil ?? 0));
    if (until > 0) this.#noteLimit(until);
    return until;
  }

  #modelNotice(served: string): { text: string; want: string } | null {
    if (this.#modelNoticed) return null;
    this.#modelNoticed = true;
    return modelNotice(served, this.#settings, this.locale);
  }

  #storeOf(options: RuntimeOptions): PruningSessionStore {
    const { locale } = this;
    const spill = this.workbench ? { spillDir: this.workbench.spill } : {};
    return new PruningSessionStore(options.store ?? join(this.runDir, 'sessions.db'), this.workspace, {
      policy: policy(options.trim ?? false, (enabled) => new TrimPolicy({ enabled, ...spill }, locale)),
      ephemeral: policy(options.ephemeral, (enabled) => new EphemeralPolicy({ enabled }, locale)),
      prune: new PrunePolicy({ keepDenials: options.keepDenials ?? 1 }, locale),
      locale,
    });
  }

  #benchOf(option: Workbench | boolean): Workbench | null {
    if (typeof option !== 'boolean') return option;
    return option ? new Workbench(this.workspace, { home: join(this.runDir, 'workbench'), locale: this.locale }) : null;
  }

  #settle(run: StepRun): void {
    const { result, open } = run;
    result.endedAt = result.error === KILLED ? open().countedUntil : Date.now() / 1000;
    this.results.push(result);
    this.#book([...this.#running, run]);
  }

  /** A step that was rescued is in the books already; what it turned out to have spent is known only now. */
  #settleRescued(run: StepRun): void {
    this.#rescued.delete(run);
    if (!run.result.ok) Object.assign(run.result, { error: KILLED, endedAt: run.open().countedUntil });
    if (!this.#closed) this.#book();
  }

  /**
   * A step that still runs is booked as it would stand if the process were killed now: what it has spent is kept, and the next start
   * knows from when on its sessions hold more. That is not this moment: the harness may have written what is still on its way.
   *
   * @param tell the steps that hear of it if the books cannot be written; no step fails of that
   */
  #book(tell: readonly StepRun[] = [...this.#running]): void {
    const running = [...this.#running].map(({ result, session, open }) => {
      const sessionId = result.sessionId ?? session;
      return withOpen(new StepResult({ ...result, sessionId, ok: false, error: KILLED }), open());
    });
    const rows = [...this.#settled(), ...running].map((result) => result.toJSON());
    try {
      this.books.transaction(() => {
        this.books.putSteps(
          this.runId,
          rows.map((row) => ({ ...row, run: this.runId })),
        );
        for (const [run, until] of this.#limits) this.books.setLimitUntil(run, until);
      }, 'books.steps');
      this.#limits.clear();
      this.#booksFault = null;
    } catch (error) {
      // Nothing was written, and the next booking brings all of it again.
      if (!FlowerError.isInstance(error)) throw error;
      this.#tellBooksFault(error, tell);
    }
  }

  /** Once for each fault; a lock is nobody's concern: somebody reads for a moment. */
  #tellBooksFault(error: FlowerError, runs: readonly StepRun[]): void {
    const { code } = error;
    const isNews = code !== 'database_locked' && code !== this.#booksFault && !this.#ending;
    this.#booksFault = code;
    if (!isNews) return;
    const why = whyUnwritten(error, join(this.runDir, 'sessions.db'), this.locale);
    const words = text('books.waiting', { why }, this.locale);
    for (const run of runs) run.emit(new Event('error', { text: words, payload: { books_fault: code } }));
  }

  /** The results as they stand; one that was rescued has spent what its query has spent by now. */
  #settled(): StepResult[] {
    const open = new Map([...this.#rescued].map((run) => [run.result, run.open()]));
    return this.results.map((result) => {
      const bill = open.get(result);
      return bill ? withOpen(result, bill) : result;
    });
  }

  #tell(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.uiErrors.push(error instanceof Error ? error.message : String(error));
    }
  }
}

/** What `recover` found: processes that it ended, transcript entries that it took in. */
export interface Recovered {
  readonly processes: number;
  readonly entries: number;
}

/** A result with what its query has spent and no result has named: an estimate from the usage that is stored. */
function withOpen(result: StepResult, { usd, countedUntil }: OpenBill): StepResult {
  const costEstimated = result.costEstimated || usd > 0;
  return new StepResult({ ...result, costUsd: result.costUsd + usd, costEstimated, endedAt: countedUntil });
}

/** An option that is a policy, or a switch for the default one. */
function policy<P extends object>(option: P | boolean | undefined, make: (enabled: boolean) => P): P {
  return typeof option === 'object' ? option : make(option ?? true);
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
