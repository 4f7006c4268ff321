import { defineConfig } from 'vitest/config'
import { fluxText } from './test/flux/flux-text.js'
import { sqlEngineProgram } from './test/sql/engine-program.js'

export default defineConfig({
  plugins: [sqlEngineProgram(), fluxText()],
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    // Files share the modules of their worker: nothing in them is state (see STYLE.md), and loading them anew for each
    // file is a third of the work. What a file changes for a while is undone after it.
    isolate: false,
    setupFiles: ['test/after-file.ts'],
    // Three workers on two cores: many tests wait for processes, browsers and clocks.
    maxWorkers: 3,
  },
})
