import { HandoffPolicy } from '../agent/handoffPolicy.js';
import type { WindowSettings } from '../agent/window.js';

/** The policy for the next session: an overflow may have taught a smaller window since this one was made. */
export function renewedPolicy(policy: HandoffPolicy, settings: WindowSettings): HandoffPolicy {
  if (policy.windowSource === 'option') return policy;
  const { enabled, headroom, maxGenerations } = policy;
  return new HandoffPolicy({ enabled, headroom, maxGenerations }, settings);
}
