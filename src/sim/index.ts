export type { Meter, MeterFilter, MeterRow, Totals } from './meter.js';
export {
  type Break,
  call,
  fail,
  type HttpAnswer,
  http,
  type Place,
  Reply,
  type ReplyBlock,
  reset,
  type StopReason,
  say,
  silence,
  stall,
  think,
} from './reply.js';
export { byRole, type Role, type RoleScripts, roleOf, type Script, turns } from './script.js';
export type { SimRequest, ToolCall, ToolResult } from './simRequest.js';
export { type Fault, type Sim, type SimOptions, startSim } from './startSim.js';
export type { Usage } from './wire.js';
