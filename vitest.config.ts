import { defineConfig } from 'vitest/config'
import { fluxText } from './test/flux/flux-text.js'
import { sqlEngineProgram } from './test/sql/engine-program.js'

export default defineConfig({
  plugins: [sqlEngineProgram(), fluxText()],
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    // Two workers: the machines this runs on have two cores, and the crash tests start processes.
    maxWorkers: 2,
  },
})
