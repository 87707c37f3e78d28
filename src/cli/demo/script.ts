import { join } from 'node:path';
import { type Locale, text } from '../../locale/locale.js';
import { byRole, call, type Reply, type Script, type SimRequest, say, turns } from '../../sim/index.js';
import { DEFAULT_NAME, type DemoJob, demoJob } from './job.js';

export interface DemoScriptOptions {
  /** Where the scripted worker works. */
  readonly workspace: string;
  readonly locale: Locale;
  /** Milliseconds before each answer, so that a person can follow. */
  readonly paceMs: number;
}

/**
 * The scripted model of the demo. It plays every role as a model would: looks before it asks, delegates, and rules by what its own
 * commands have shown. The tool's name is the person's answer and travels through brief, goal and task as with a real model.
 */
export function demoScript({ workspace, locale, paceMs }: DemoScriptOptions): Script {
  const at = (name: string) => join(workspace, name);
  const t = (key: Parameters<typeof words>[0], name = DEFAULT_NAME) => words(key, name, locale);

  const script = byRole({
    clarify: turns([
      say(t('demo.say.look')).call('Glob', { pattern: '*' }),
      call('mcp__human__ask', { question: t('demo.ask.name'), options: NAMES, default: DEFAULT_NAME }),
      (request) => {
        const { name } = chosenName(request);
        return call('mcp__flower__submit_brief', {
          goal: t('demo.brief.goal', name),
          accept: t('demo.brief.accept', name),
          bounds: t('demo.brief.bounds', name),
          unknowns: t('demo.brief.unknowns', name),
        });
      },
      say(t('demo.say.brief')),
    ]),

    goal: turns([
      (request) => {
        const { name } = jobOf(request);
        const items = t('demo.brief.accept', name).split('\n');
        return call('mcp__flower__submit_goal', {
          statement: t('demo.brief.goal', name),
          items: items.map((item) => ({ text: item })),
        });
      },
      say(t('demo.say.goal')),
    ]),

    coordinator: turns([
      (request) => {
        const { name } = jobOf(request);
        const repair = isSecondRound(request);
        return say(t(repair ? 'demo.say.dispatchRepair' : 'demo.say.dispatch', name)).call('Agent', {
          subagent_type: 'coder',
          description: t(repair ? 'demo.task.repairTitle' : 'demo.task.buildTitle', name),
          prompt: t(repair ? 'demo.task.repair' : 'demo.task.build', name),
        });
      },
      (request) => say(t(isSecondRound(request) ? 'demo.say.repaired' : 'demo.say.built', jobOf(request).name)),
    ]),

    workers: { coder: (request) => (request.prompt.includes('toLowerCase') ? repairs : builds)(request) },

    judge: turns([
      (request) => {
        const { name } = jobOf(request);
        return say(t('demo.say.judge', name))
          .call('Bash', { command: `node ${name}.mjs sample.txt --top 3`, description: t('demo.bash.run', name) })
          .call('Bash', { command: 'node --test', description: t('demo.bash.test', name) });
      },
      (request) => verdict(request, locale),
      say(t('demo.say.verdict')),
    ]),
  });

  const builds = turns([
    (request) => {
      const job = jobOf(request);
      return say(t('demo.say.write', job.name))
        .call('Write', { file_path: at(`${job.name}.mjs`), content: job.tool })
        .call('Write', { file_path: at(`${job.name}.test.mjs`), content: job.test })
        .call('Write', { file_path: at('sample.txt'), content: job.sample });
    },
    (request) => runTests(jobOf(request)),
    (request) => say(t('demo.report.built', jobOf(request).name)),
  ]);

  const repairs = turns([
    (request) =>
      call('Read', { file_path: at(`${jobOf(request).name}.mjs`) }).call('Read', {
        file_path: at(`${jobOf(request).name}.test.mjs`),
      }),
    (request) => {
      const job = jobOf(request);
      return call('Edit', { file_path: at(`${job.name}.mjs`), old_string: job.fault, new_string: job.repair }).call(
        'Write',
        {
          file_path: at(`${job.name}.test.mjs`),
          content: job.test + job.addedTest,
        },
      );
    },
    (request) => runTests(jobOf(request)),
    (request) => say(t('demo.report.repaired', jobOf(request).name)),
  ]);

  const runTests = (job: DemoJob): Reply =>
    call('Bash', { command: 'node --test', description: t('demo.bash.test', job.name) });

  return async (request) => (await script(request)).delay(paceMs);
}

const NAMES = [DEFAULT_NAME, 'topwords', 'wordcount'];

/** The tool's name stands in every prompt of the run as `<name>.mjs`: in the brief, the goal, the task. */
function jobOf(request: SimRequest): DemoJob {
  const everything = [request.prompt, ...request.calls.map((made) => JSON.stringify(made.input))].join('\n');
  return demoJob(/\b([a-z][a-z0-9-]*)\.mjs\b/.exec(everything)?.[1] ?? DEFAULT_NAME);
}

function chosenName(request: SimRequest): DemoJob {
  return demoJob(request.results[0]?.text.trim().toLowerCase() ?? DEFAULT_NAME);
}

/** The second round is told what the judge missed, in a session that has dispatched before. */
function isSecondRound(request: SimRequest): boolean {
  return request.calls.filter((made) => made.tool === 'Agent').length > (request.turn === 0 ? 0 : 1);
}

/** Rules by what the two commands of the judge printed, not by what it was told. */
function verdict(request: SimRequest, locale: Locale): Reply {
  const { name } = jobOf(request);
  const [output = '', tests = ''] = request.results.map((result) => result.text);
  const lines = output.split('\n').filter((line) => /^\d+\t/.test(line));
  const apart = lines.some((line) => /\t\p{Lu}/u.test(line));
  const passed = /^\S* ?fail 0$/m.test(tests);
  const shown = lines.join(', ').replaceAll('\t', ' ');
  const states = [lines.length === 3, lines.length > 0 && !apart, passed];
  const evidence = [
    words('demo.evidence.output', name, locale).replace('{output}', shown),
    words(apart ? 'demo.evidence.apart' : 'demo.evidence.output', name, locale).replace('{output}', shown),
    words(passed ? 'demo.evidence.pass' : 'demo.evidence.fail', name, locale),
  ];
  return call('mcp__flower__submit_verdict', {
    items: states.map((met, i) => ({ number: i + 1, state: met ? 'met' : 'failed', evidence: evidence[i] })),
    reason: states.every(Boolean) ? '' : words('demo.reason.apart', name, locale),
  });
}

type DemoKey = keyof typeof import('../../locale/en/demo.js').demo;

/** Every text of the script may name the tool. */
function words(key: DemoKey, name: string, locale: Locale): string {
  return (text as (key: DemoKey, values: Record<string, string>, locale: Locale) => string)(key, { name }, locale);
}
