import { carry } from './history.js';
import { type Reply, say } from './reply.js';
import type { SimRequest } from './simRequest.js';

/** Answers what a client asks for itself: whether all is well, a title for a session, the summary of a compaction. */
export function answerSide(request: SimRequest): Reply {
  if (request.kind === 'probe') return say('ok').stop('max_tokens');
  if (request.kind === 'title') return say(JSON.stringify({ title: 'A scripted session' }));
  const calls = request.calls.map(({ tool, input }) => `- ${tool} ${JSON.stringify(input).slice(0, 200)}`);
  return say(
    `<summary>\nA scripted summary of ${request.messages.length} messages. Tools used:\n${calls.join('\n')}\n${carry(request)}\n</summary>`,
  );
}
