import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['./test/support/tempRoot.ts'],
    setupFiles: ['./test/support/cleanEnvironment.ts'],
    reporters: ['default', './test/support/plainSummary.ts'],
    // On a machine that does other things too; no test is meant to come near.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Scenario tests start the real Claude Code program (about 200 MB each): two files at a time suit two cores.
    maxWorkers: 2,
  },
});
