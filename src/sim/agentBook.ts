import { firstSaid } from './history.js';
import { textOf, type WireBlock, type WireMessage, type WireRequest } from './wire.js';

interface AgentCall {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  /** The worker that was found to be this call's. */
  agentId?: string;
}

/**
 * Knows the workers of each session by name. A request names its worker by an id only; the name stands in the Agent call that
 * made the worker, and that call went through the sim as an answer, or comes back in the history of the thread that made it.
 */
export class AgentBook {
  readonly #calls = new Map<string, Map<string, AgentCall>>();
  /** Names by system prompt, once found; null for a prompt that several names share. They hold for other sessions too. */
  readonly #prompts = new Map<string, string | null>();
  /** What the session's listing says of each agent: the tools it gets. */
  readonly #listings = new Map<string, Map<string, string>>();

  /** Learns from an answer of the sim. */
  learnCalls(session: string, content: readonly WireBlock[]): void {
    const calls = this.#callsOf(session);
    for (const { type, id, name, input } of content) {
      if (type !== 'tool_use' || id === undefined || (name !== 'Agent' && name !== 'Task') || calls.has(id)) continue;
      const { prompt, subagent_type: agent = 'general-purpose' } = input as {
        prompt?: unknown;
        subagent_type?: unknown;
      };
      if (typeof prompt === 'string' && typeof agent === 'string') calls.set(id, { id, agent, prompt });
    }
  }

  /** Learns from a request: the calls of its history with their workers' ids, and the listing of agents. */
  learnHistory(session: string, messages: readonly WireMessage[]): void {
    for (const message of messages) {
      if (typeof message.content === 'string') this.#learnListing(session, message.content);
      else if (message.role === 'assistant') this.learnCalls(session, message.content);
      else for (const block of message.content) this.#learnBlock(session, block);
    }
  }

  /** The name of the worker that sent a request, or null. */
  nameOf(session: string, agentId: string | null, request: WireRequest): string | null {
    const system = workerPrompt(request);
    const call = this.#callOf(session, agentId, request, system);
    if (call === undefined) return this.#prompts.get(system) ?? null;
    if (agentId !== null) call.agentId = agentId;
    this.#learnPrompt(system, call.agent);
    return call.agent;
  }

  #callOf(session: string, agentId: string | null, request: WireRequest, system: string): AgentCall | undefined {
    const all = [...this.#callsOf(session).values()];
    const known = agentId === null ? undefined : all.find((call) => call.agentId === agentId);
    if (known !== undefined) return known;
    const said = firstSaid(request.messages);
    const same = all.filter((call) => call.prompt.trim() === said);
    // A hook may have put something around the prompt.
    const alike =
      same.length > 0 ? same : all.filter((call) => call.prompt !== '' && said.includes(call.prompt.trim()));
    const free = alike.filter((call) => call.agentId === undefined);
    const candidates = free.length > 0 ? free : alike;
    return (
      candidates.find((call) => call.agent === this.#prompts.get(system)) ??
      candidates.find((call) => this.#listings.get(session)?.get(call.agent) === toolList(request)) ??
      candidates[0]
    );
  }

  #learnPrompt(system: string, agent: string): void {
    const known = this.#prompts.get(system);
    this.#prompts.set(system, system === '' || (known !== undefined && known !== agent) ? null : agent);
  }

  #learnBlock(session: string, block: WireBlock): void {
    if (block.type === 'text') this.#learnListing(session, block.text ?? '');
    const call = this.#callsOf(session).get(block.tool_use_id ?? '');
    const agentId = call && /^agentId: (\w+)/m.exec(textOf(block.content))?.[1];
    if (call && agentId !== undefined) call.agentId = agentId;
  }

  #learnListing(session: string, text: string): void {
    if (!text.includes('Available agent types')) return;
    const listing = new Map(
      [...text.matchAll(/^- ([^:\n]+): .*\(Tools: (.*)\)$/gm)].map(([, agent = '', tools = '']) => [
        agent,
        sorted(tools.split(', ')),
      ]),
    );
    this.#listings.set(session, listing);
  }

  #callsOf(session: string): Map<string, AgentCall> {
    const calls = this.#calls.get(session) ?? new Map<string, AgentCall>();
    this.#calls.set(session, calls);
    return calls;
  }
}

function toolList(request: WireRequest): string {
  return sorted((request.tools ?? []).map((tool) => tool.name));
}

function sorted(names: readonly string[]): string {
  return names.toSorted().join(', ');
}

/** The last system block: the agent's own prompt. */
function workerPrompt(request: WireRequest): string {
  return typeof request.system === 'string' ? request.system : (request.system?.at(-1)?.text ?? '');
}
