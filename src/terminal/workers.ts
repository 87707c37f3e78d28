import type { Event } from '../events/event.js';
import { dispatchOf, toolArgument } from './toolWords.js';

/** A worker that was dispatched in this run. Times are milliseconds. */
export interface Worker {
  readonly id: string;
  readonly role: string;
  /** Counts the workers of its role, in order of dispatch. */
  readonly number: number;
  readonly startedAt: number;
  live: boolean;
  description: string;
  /** The tool that it called last, and what with. */
  tool: string;
  argument: string;
  lastEventAt: number;
}

/** Who works at the moment, told from the events alone. */
export class Workers {
  readonly #all = new Map<string, Worker>();

  event(event: Event, now: number): void {
    const { payload } = event;
    if (event.kind === 'task' && typeof payload.task_id === 'string') {
      const worker = this.#worker(payload.task_id, payload.agent_type, now);
      if (payload.kind === 'TaskStartedMessage') worker.live = true;
      if (payload.kind === 'TaskNotificationMessage') worker.live = false;
      if (typeof payload.description === 'string') worker.description ||= payload.description;
    } else if (payload.subagent === true && typeof payload.agent_id === 'string') {
      const worker = this.#worker(payload.agent_id, payload.agent_type, now);
      if (event.kind === 'tool_call') {
        worker.tool = event.tool;
        worker.argument = dispatchOf(event)?.task ?? toolArgument(event);
      }
    }
  }

  get live(): readonly Worker[] {
    return [...this.#all.values()].filter((worker) => worker.live);
  }

  /** The name of a worker on screen, its role and number. */
  label(id: string): string | null {
    const worker = this.#all.get(id);
    return worker ? `${worker.role} #${worker.number}` : null;
  }

  #worker(id: string, role: unknown, now: number): Worker {
    let worker = this.#all.get(id);
    if (!worker) {
      const name = typeof role === 'string' && role !== '' ? role : '?';
      const number = 1 + [...this.#all.values()].filter((other) => other.role === name).length;
      worker = {
        id,
        role: name,
        number,
        startedAt: now,
        live: true,
        description: '',
        tool: '',
        argument: '',
        lastEventAt: now,
      };
      this.#all.set(id, worker);
    }
    worker.lastEventAt = now;
    return worker;
  }
}
