import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Options, PostToolBatchHookInput, SessionStore } from '@anthropic-ai/claude-agent-sdk';
import type { Hooks } from '../agent/agentSpec.js';
import { buildOptions } from '../agent/buildOptions.js';
import { CompactPolicy } from '../agent/compactPolicy.js';
import { toolLists } from '../agent/toolLists.js';
import { Event, type EventKind } from '../events/event.js';
import { refreshAfterBatch } from '../guards/indexGuard.js';
import { mergeHooks } from '../guards/mergeHooks.js';
import { text } from '../locale/locale.js';
import { listPrice } from '../prices/prices.js';
import type { Workbench } from '../workbench/workbench.js';
import { askingAgentsHooks } from './askingAgents.js';
import { runAttempt } from './attempt.js';
import type { Failure } from './failure.js';
import { harnessEnvironment } from './harnessEnvironment.js';
import { heardStore } from './heardStore.js';
import { Holes } from './holes.js';
import { kilo } from './kilo.js';
import { LastWords } from './lastWords.js';
import { MailPush } from './mailPush.js';
import { PromptStream } from './promptStream.js';
import { StepBill } from './stepBill.js';
import { stepHooks } from './stepHooks.js';
import type { StepHost } from './stepHost.js';
import type { StepRun } from './stepRun.js';
import { holdsPrompt, lastStoredAt, savedUsd, storedAt } from './transcripts.js';
import { STOP, TurnStop } from './turnStop.js';
import { UrgentMail } from './urgentMail.js';

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
  /** This session writes its handoff: threshold and interrupts wait for the successor. */
  readonly writing: boolean;
}

/** What shows that a model or a tool has done something, be it that of a worker. */
const WORK: ReadonlySet<EventKind> = new Set(['text', 'thinking', 'tool_call', 'tool_result']);

/** Makes the queries of one step and watches their context. */
export class StepSession {
  readonly #host: StepHost;
  readonly #run: StepRun;
  readonly bill: StepBill;
  /** The model has answered in the query that was made last. */
  answered = false;
  /** The prompt of the query that was made last is stored: whoever resumes the session goes on from it. */
  promptStored = false;
  /** Seconds that the query made last had worked when it was last seen to: a wait for what never came is no work. */
  workedS = 0;

  constructor(host: StepHost, run: StepRun) {
    this.#host = host;
    this.#run = run;
    this.bill = new StepBill(host, run);
  }

  /** One query, from its start to its result. */
  async query(start: Start, limits: QueryLimits): Promise<Failure> {
    const host = this.#host;
    const run = this.#run;
    const { result, desk, interrupts } = run;
    const { channel, remark = false } = run.options;
    const harness = host.processes.begin();
    const stop = new TurnStop({ locale: host.locale, graceS: host.interruptGraceS, kill: () => harness.end() });
    const lastWords = new LastWords(stop, host.locale);
    run.stop = stop;
    this.answered = false;
    this.promptStored = false;
    this.workedS = 0;
    const begun = Date.now() / 1000;
    const begunAt = host.resilience.clock();
    // Booked before there is a process: what it asks for after a kill of this one is on the bill of its step.
    run.session = start.resume && !start.fork ? start.resume : randomUUID();
    host.book();
    const heedBudget = () => {
      if (this.bill.usedUp() !== null) stop.ask(STOP.budget);
    };
    const mayStop = () => {
      heedBudget();
      if (!limits.writing && result.sessionId && interrupts.pending) stop.ask(STOP.interrupt);
    };
    const unlisten = interrupts.listen(mayStop);
    const input = new PromptStream();
    const mail = channel && !remark && !limits.writing ? new MailPush(channel, input) : null;
    try {
      const prompt = await this.#withBench(start);
      if (mail) mail.begin(prompt);
      else void input.push(prompt);
      const bill = this.bill.ofQuery(heedBudget);
      const store = heardStore(host.store, {
        onLoad: ({ subpath }, entries) => bill.startFrom(entries, subpath ? undefined : savedUsd(entries)),
        onAppend: (_, entries) => {
          bill.note(entries);
          // A fork begins with copies, in which the same may have been said before.
          const own = entries.filter((entry) => storedAt(entry) >= begun);
          this.promptStored ||= holdsPrompt(own, start.prompt);
        },
      });
      return await runAttempt({
        input,
        options: {
          ...this.#options(start, limits, {
            hooks: this.#hooks(stop, lastWords, mail),
            store,
          }),
          spawnClaudeCodeProcess: harness.spawn,
        },
        mainTools: toolLists(run.spec, desk.toolNames).main,
        bill,
        locale: host.locale,
        query: host.query,
        result,
        desk,
        stop,
        mail,
        silenceS: host.resilience.silenceS,
        emit: (event) => {
          if (WORK.has(event.kind)) this.workedS = host.resilience.clock() - begunAt;
          lastWords.hear(event);
          run.emit(event);
        },
        onSession: (id) => {
          host.noteSession(id);
          host.book();
        },
        onMessage: mayStop,
        onAnswer: (context, model) => this.#onAnswer(context, { model, writing: limits.writing }),
        onWindow: (window, model) => {
          if (listPrice(model)) run.policy = run.policy.learn(window);
          if (!limits.writing) this.#checkThreshold();
        },
        spentUsd: () => host.account.spentHereUsd,
        isStored: async (id) => host.store.hasSession(host.projectKey, id),
        holes: new Holes(host, harness, run.emit),
        personIsAsked: () => (channel?.pending().length ?? 0) > 0,
        lastStderr: () => harness.lastStderr,
      });
    } finally {
      mail?.end();
      unlisten();
      run.stop = null;
      await harness.over();
    }
  }

  #options(start: Start, limits: QueryLimits, made: { readonly hooks: Hooks; readonly store: SessionStore }): Options {
    const host = this.#host;
    const { spec: own, desk } = this.#run;
    const spec = own.with({
      maxBudgetUsd: limits.usd,
      // Two mechanisms at once, and nobody could say which of them moved the context.
      compact: own.compact ?? (host.handoff.enabled ? new CompactPolicy({ mode: 'no_summary' }) : null),
      hooks: made.hooks,
    });
    return buildOptions(spec, {
      cwd: host.workspace,
      addDirs: host.workbench?.external ? [host.workbench.root] : null,
      sessionStore: made.store,
      resume: start.resume,
      fork: start.fork,
      resumeAt: start.resumeAt,
      sessionId: this.#run.session,
      portable: host.portable,
      env: harnessEnvironment({
        configDir: join(host.runDir, 'harness'),
        projectKey: host.projectKey,
        startedAt: host.startedAt,
        settings: host.settings,
      }),
      tools: desk.toolNames,
      mcpServers: desk.servers(),
    });
  }

  /** The step's own, and what this query is stopped, told and asked by. */
  #hooks(stop: TurnStop, lastWords: LastWords, mail: MailPush | null): Hooks {
    const { spec, options } = this.#run;
    const { workbench } = this.#host;
    const urgent = options.channel ? new UrgentMail(options.channel) : null;
    const boundary = {
      beforeDeciding: (batch: PostToolBatchHookInput) => {
        if (workbench) refreshAfterBatch(workbench, batch);
        return this.bill.upToDate(batch.tool_calls.map((made) => made.tool_use_id));
      },
      beforeGoingOn: () => mail?.push() ?? null,
      wordsFor: (worker: string) => urgent?.take(worker) ?? null,
    };
    return mergeHooks(
      stepHooks(spec, this.#host),
      { PostToolBatch: [stop.hook(boundary)] },
      lastWords.hooks(),
      urgent?.hooks(),
      options.channel && askingAgentsHooks(options.channel),
    );
  }

  /**
   * The index goes whole into the first message of a new session, where it can be cached: in the system prompt it would change the
   * prefix of everything with every file. A resumed session is told only what is new.
   */
  async #withBench({ prompt, resume }: Start): Promise<string> {
    const { workbench, store, projectKey } = this.#host;
    if (!workbench) return prompt;
    this.#refresh(workbench);
    if (!this.#run.spec.workbench) return prompt;
    const before = resume && (await store.inner.load({ projectKey, sessionId: resume }));
    const block = before ? workbench.newSince(lastStoredAt(before)) : workbench.promptBlock();
    return block ? `${block}\n\n${prompt}` : prompt;
  }

  /** The work matters more than the index of what is there: an older one is told with. */
  #refresh(workbench: Workbench): void {
    try {
      workbench.refresh();
    } catch (error) {
      this.#emit('error', error instanceof Error ? error.message : String(error), { view_failed: true });
    }
  }

  /** The main thread has answered. */
  #onAnswer(context: number, { model, writing }: { readonly model: string; readonly writing: boolean }): void {
    const run = this.#run;
    this.answered = true;
    const notice = this.#host.modelNotice(model);
    if (notice) this.#emit('error', notice.text, { model_mismatch: true, want: notice.want, served: model });
    run.watermark = Math.max(run.watermark, context);
    run.result.context = run.watermark;
    if (!writing) this.#checkThreshold();
  }

  #checkThreshold(): void {
    const run = this.#run;
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

  #emit(kind: EventKind, words: string, payload: Record<string, unknown>): void {
    this.#run.emit(new Event(kind, { text: words, payload: { step: this.#run.name, ...payload } }));
  }
}
