import { defineConfig } from 'vitest/config'
import { compiledSources } from './test/compiled-sources.js'

/**
 * Tests of whole programs, which they start, kill or weigh, those that look at what their own process holds, and the
 * longest of the others: each file in a process of its own. What of the program they need in that process they load
 * anew, so they load little (`test/api/client.ts`).
 */
const withPrograms = [
  'test/{cluster,migrate,packaging,proofs}/**/*.test.ts',
  'test/ui/!(printers|serving).test.ts',
  'test/crash/{catalog,cluster,kill,replication}.test.ts',
  'test/**/{kill,cli,*-cli}.test.ts',
  'test/api/{failing-answers,hostile,lifecycle,limits,query-streaming,steady-memory}.test.ts',
  'src/platform/garbage.test.ts',
]

export default defineConfig({
  plugins: [compiledSources()],
  test: {
    // Far beyond what any of them takes, also where other programs use the machine.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    setupFiles: ['test/after-file.ts'],
    // Four workers on two cores: many tests wait for processes, browsers and clocks (three used 60 to 75 % of them).
    maxWorkers: 4,
    // Projects run in the order of their names: the long files first, so that no worker is left alone with one at the end.
    projects: [
      { extends: true, test: { name: 'alone', include: withPrograms } },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...withPrograms, '**/node_modules/**'],
          // Files share the modules of their worker: nothing in them is state (see STYLE.md), and loading them anew for
          // each file is most of the work. What a file changes for a while is undone after it.
          isolate: false,
        },
      },
    ],
  },
})
