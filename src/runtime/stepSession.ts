import { join } from 'node:path';
import type { Hooks } from '../agent/agentSpec.js';
import { buildOptions } from '../agent/buildOptions.js';
import { CompactPolicy } from '../agent/compactPolicy.js';
import { toolLists } from '../agent/toolLists.js';
import { Event, type EventKind } from '../events/event.js';
import { mergeHooks } from '../guards/mergeHooks.js';
import { text } from '../locale/locale.js';
import { listPrice } from '../prices/prices.js';
import { askingAgentsHooks } from './askingAgents.js';
import { runAttempt } from './attempt.js';
import type { Failure } from './failure.js';
import { harnessEnvironment } from './harnessEnvironment.js';
import { kilo } from './kilo.js';
import { lastWordsHooks } from './lastWords.js';
import { MailPush } from './mailPush.js';
import { PromptStream } from './promptStream.js';
import { stepHooks } from './stepHooks.js';
import type { StepHost } from './stepHost.js';
import type { StepRun } from './stepRun.js';
import { lastStoredAt, readTranscripts, type SessionTranscripts, savedUsd, unbookedUsd } from './transcripts.js';
import { STOP, TurnStop } from './turnStop.js';
import { urgentMailHooks } from './urgentMail.js';

/** From where a query starts. */
export interface Start {
  readonly prompt: string;
  readonly resume: string | null;
  readonly fork: boolean;
  readonly resumeAt: string | null;
}

export interface QueryLimits {
  /** US dollars; null is no limit. */
  readonly usd: number | null;
  /** This round writes a handoff: threshold and interrupts wait for the successor. */
  readonly writing: boolean;
}

/** Makes the queries of one step, watches their context and keeps their bill. */
export class StepSession {
  readonly #host: StepHost;
  readonly #run: StepRun;
  /** Unix seconds until which the usage of a session is on this step's bill. */
  readonly #billed = new Map<string, number>();
  /** The model has answered in the query that was made last. */
  answered = false;

  constructor(host: StepHost, run: StepRun) {
    this.#host = host;
    this.#run = run;
  }

  /** One query, from its start to its result. `run` is the step's, or a copy of it for a round beside it. */
  async query(run: StepRun, start: Start, limits: QueryLimits): Promise<Failure> {
    const host = this.#host;
    const { result, desk } = run;
    const { channel, remark = false } = run.options;
    const stop = new TurnStop({ locale: host.locale, graceS: host.interruptGraceS, kill: () => host.processes.end() });
    run.stop = stop;
    this.answered = false;
    const mayStop = () => {
      if (limits.writing || !result.sessionId) return;
      if (host.interrupts.pending) stop.ask(STOP.interrupt);
      else if (host.account.restUsd === 0) stop.ask(STOP.budget);
    };
    const unlisten = host.interrupts.listen(mayStop);
    try {
      const before = start.resume ? await this.#transcripts(start.resume) : null;
      if (start.resume && before && !start.fork) this.#billUnbooked(start.resume, before);
      const input = new PromptStream();
      const mail = channel && !remark && !limits.writing ? new MailPush(channel, input) : null;
      const prompt = this.#withBench(start.prompt, before);
      if (mail) mail.begin(prompt);
      else void input.push(prompt);
      const { failure, booked } = await runAttempt({
        input,
        options: this.#options(run, start, limits, this.#hooks(run, stop, mail)),
        mainTools: toolLists(run.spec, desk.toolNames).main,
        savedUsd: before ? savedUsd(before) : 0,
        locale: host.locale,
        query: host.query,
        result,
        desk,
        stop,
        mail,
        silenceS: host.resilience.silenceS,
        emit: run.emit,
        onSession: (id) => host.noteSession(id),
        onMessage: mayStop,
        onContext: (context) => this.#onContext(context, limits.writing),
        onWindow: (window, model) => this.#onWindow(window, model),
        onSpent: (usd) => this.#onSpent(usd),
        isStored: async (id) => host.store.hasSession(host.projectKey, id),
        personIsAsked: () => (channel?.pending().length ?? 0) > 0,
        lastStderr: () => host.processes.lastStderr,
      });
      if (booked && result.sessionId) this.#billed.set(result.sessionId, Date.now() / 1000);
      return failure;
    } finally {
      unlisten();
      run.stop = null;
    }
  }

  /** What the next query may spend: the smaller rest of step and run. */
  budget(): { readonly usd: number | null; readonly ofRun: boolean } {
    const { spec, result } = this.#run;
    const ofStep =
      spec.maxBudgetUsd === null ? Number.POSITIVE_INFINITY : Math.max(0, spec.maxBudgetUsd - result.costUsd);
    const ofRun = this.#host.account.restUsd;
    const usd = Math.min(ofStep, ofRun);
    return { usd: Number.isFinite(usd) ? usd : null, ofRun: ofRun <= ofStep && Number.isFinite(ofRun) };
  }

  /** Puts what a killed attempt of this session spent, and no result has reported, onto the step's bill. */
  async billRest(sessionId: string): Promise<void> {
    this.#billUnbooked(sessionId, await this.#transcripts(sessionId));
  }

  /** What is stored of a session, uncurated. */
  #transcripts(sessionId: string): Promise<SessionTranscripts> {
    return readTranscripts(this.#host.store.inner, { projectKey: this.#host.projectKey, sessionId });
  }

  #options(run: StepRun, start: Start, limits: QueryLimits, hooks: Hooks) {
    const host = this.#host;
    const spec = run.spec.with({
      maxBudgetUsd: limits.usd,
      // Two mechanisms at once, and nobody could say which of them moved the context.
      compact: run.spec.compact ?? (host.handoff.enabled ? new CompactPolicy({ mode: 'no_summary' }) : null),
      hooks,
    });
    const options = buildOptions(spec, {
      cwd: host.workspace,
      addDirs: host.workbench?.external ? [host.workbench.root] : null,
      sessionStore: host.store,
      resume: start.resume,
      fork: start.fork,
      resumeAt: start.resumeAt,
      portable: host.portable,
      env: harnessEnvironment({
        configDir: join(host.runDir, 'harness'),
        projectKey: host.projectKey,
        startedAt: host.startedAt,
        settings: host.settings,
      }),
      tools: run.desk.toolNames,
      mcpServers: run.desk.servers(),
    });
    return { ...options, spawnClaudeCodeProcess: host.processes.spawn };
  }

  /** The step's own, and what this query is stopped, told and asked by. */
  #hooks({ spec, options: { channel } }: StepRun, stop: TurnStop, mail: MailPush | null): Hooks {
    return mergeHooks(
      stepHooks(spec, this.#host),
      { PostToolBatch: [stop.hook(mail ? () => mail.push() : undefined)] },
      lastWordsHooks(stop, this.#host.locale),
      channel && mergeHooks(urgentMailHooks(channel), askingAgentsHooks(channel)),
    );
  }

  /**
   * The index goes whole into the first message of a new session, where it can be cached: in the system prompt it would change the
   * prefix of everything with every file. A resumed session is told only what is new.
   */
  #withBench(prompt: string, before: SessionTranscripts | null): string {
    const { workbench } = this.#host;
    if (!workbench) return prompt;
    workbench.refresh();
    if (!this.#run.spec.workbench) return prompt;
    const block = before ? workbench.newSince(lastStoredAt(before)) : workbench.promptBlock();
    return block ? `${block}\n\n${prompt}` : prompt;
  }

  #onContext(context: number, writing: boolean): void {
    const run = this.#run;
    this.answered = true;
    if (writing) return;
    run.watermark = Math.max(run.watermark, context);
    const { policy, watermark } = run;
    if (!policy.enabled) return;
    if (!run.warned && watermark >= policy.warnAt) {
      run.warned = true;
      const left = Math.max(0, Math.round((policy.at - watermark) / 1000));
      const shown = { used: kilo(watermark, 1), window: kilo(policy.window), left };
      const payload = { phase: 'near', context: watermark, window: policy.window, at: policy.at };
      this.#emit('handoff', text('handoff.near', shown, this.#host.locale), payload);
    }
    if (watermark >= policy.at && run.result.sessionId) run.stop?.ask(STOP.handoff);
  }

  #onWindow(window: number, model: string): void {
    const notice = this.#host.modelNotice(model);
    if (notice) this.#emit('error', notice.text, { model_mismatch: true, want: notice.want, served: model });
    if (listPrice(model)) this.#run.policy = this.#run.policy.learn(window);
  }

  #onSpent(usd: number): number {
    const { account, locale } = this.#host;
    account.add(usd);
    const shown = { spent: account.spentUsd.toFixed(2), ceiling: (account.ceilingUsd ?? 0).toFixed(2) };
    for (const budget of account.notices()) {
      const words = text(budget === 'near' ? 'budget.near' : 'budget.usedUp', shown, locale);
      this.#emit('task', words, { budget, spent_usd: account.spentUsd, max_budget_usd: account.ceilingUsd });
    }
    return account.spentHereUsd;
  }

  #billUnbooked(sessionId: string, transcripts: SessionTranscripts): void {
    const usd = unbookedUsd(transcripts, this.#billedUntil(sessionId));
    this.#billed.set(sessionId, Date.now() / 1000);
    if (usd === 0) return;
    this.#run.result.costUsd += usd;
    this.#run.result.costEstimated = true;
    this.#onSpent(usd);
  }

  /** Here, or by an earlier step or process: a booked row covers what its session had stored when it ended. */
  #billedUntil(sessionId: string): number {
    const rows = this.#host.books
      .rows()
      .filter((row) => row.session_id === sessionId || row.retired?.includes(sessionId));
    return Math.max(0, ...rows.map((row) => row.ended_at), this.#billed.get(sessionId) ?? 0);
  }

  #emit(kind: EventKind, words: string, payload: Record<string, unknown>): void {
    this.#run.emit(new Event(kind, { text: words, payload: { step: this.#run.name, ...payload } }));
  }
}
