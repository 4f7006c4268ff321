import { defineConfig } from 'vitest/config'
import { fluxText } from './test/flux/flux-text.js'
import { sqlEngineProgram } from './test/sql/engine-program.js'

/** Tests that run whole services, hundreds of them, or other programs: each file in a process of its own. */
const withServices =
  'test/{alerts,api,backup,clients,cluster,crash,migrate,packaging,proofs,tasks,ui}/**/*.test.ts'

export default defineConfig({
  plugins: [sqlEngineProgram(), fluxText()],
  test: {
    testTimeout: 60_000,
    setupFiles: ['test/after-file.ts'],
    // Three workers on two cores: many tests wait for processes, browsers and clocks.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [withServices, '**/node_modules/**'],
          // Files share the modules of their worker: nothing in them is state (see STYLE.md), and loading them anew for
          // each file is most of the work. What a file changes for a while is undone after it.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'services', include: [withServices] } },
    ],
  },
})
