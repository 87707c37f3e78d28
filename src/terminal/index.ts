export { type AsideAnswer, asideLines } from './asideLines.js';
export { type Closing, closingLines, exitCodeOf, type RunOutcome } from './closing.js';
export { wantsColor } from './paint.js';
export { Renderer, type RendererOptions, stepLabel } from './renderer.js';
export { sanitise } from './sanitise.js';
export { type SetupDialogueOptions, type SetupResult, setupDialogue } from './setupDialogue.js';
export {
  createTerminalUi,
  type Hue,
  type ReadLineOptions,
  type RunHooks,
  type TerminalUi,
  type TerminalUiOptions,
} from './terminalUi.js';
