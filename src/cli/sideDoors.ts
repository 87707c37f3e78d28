import type { HumanChannel } from '../human/humanChannel.js';
import { interruptWithWords } from '../human/interruptWithWords.js';
import { text } from '../locale/locale.js';
import { Aside, type AsideAnswer } from '../runtime/aside.js';
import type { Runtime } from '../runtime/runtime.js';
import type { RuntimeOptions } from '../runtime/runtimeOptions.js';
import { asideLines } from '../terminal/asideLines.js';
import type { TerminalUi } from '../terminal/terminalUi.js';

export interface SideDoorsOptions {
  readonly runtime: Runtime;
  readonly channel: HumanChannel | null;
  /** As for the Runtime. @default looked up */
  readonly settings?: RuntimeOptions['settings'];
  readonly ui: Pick<TerminalUi, 'lines' | 'notice'>;
  /** The screen as it is now. */
  readonly layout: () => Parameters<typeof asideLines>[1];
  /** Ends the process after it has booked what is in flight. */
  readonly leave: () => void;
}

export interface SideDoors {
  /** What the terminal calls. Without a terminal to type words at, the first Ctrl-C leaves. */
  readonly hooks: {
    readonly onAside: (question: string) => void;
    readonly onInterrupt?: (words: Promise<string>) => void;
    readonly onLeave: () => void;
    readonly onNudge: () => void;
  };
  readonly aside: Aside;
  /** Waits for the side questions that are open at the end of the run. */
  finish(): Promise<void>;
}

/** What a person can do to a run besides answering and writing to it: ask aside, interrupt, leave, and cut a wait short. */
export function openSideDoors(options: SideDoorsOptions): SideDoors {
  const { runtime, channel, settings = null, ui, leave } = options;
  const aside = new Aside(runtime, settings ? { settings } : {});
  let isOver = false;

  const show = (answer: AsideAnswer) => {
    if (answer.state === 'answered') ui.lines(asideLines(answer, options.layout()));
    else if (answer.state === 'failed') ui.lines(asideLines({ failed: answer }, options.layout()));
    else if (answer.state === 'off') ui.notice(text('aside.off'), 'dim');
  };
  const onInterrupt = (words: Promise<string>) => {
    if (isOver) aside.cancel();
    else interruptWithWords(runtime, channel, words);
  };

  return {
    aside,
    hooks: {
      onAside: (question) => void aside.ask(question).then(show),
      ...(process.stdin.isTTY && { onInterrupt }),
      onLeave: leave,
      onNudge: () => runtime.interrupt(),
    },
    finish: async () => {
      isOver = true;
      if (aside.open > 0) ui.notice(text('aside.wait', { n: aside.open }), 'dim');
      const cancelled = await aside.end();
      if (cancelled > 0) ui.notice(text('aside.cancelled', { n: cancelled }), 'dim');
    },
  };
}
