export { type Closing, closingLines, exitCodeOf, type RunOutcome } from './closing.js';
export { wantsColor } from './paint.js';
export { Renderer, type RendererOptions, stepLabel } from './renderer.js';
export { sanitise } from './sanitise.js';
export { createTerminalUi, type TerminalUi, type TerminalUiOptions } from './terminalUi.js';
