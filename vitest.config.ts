import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { fluxText } from './test/flux/flux-text.js'
import { sqlEngineProgram } from './test/sql/engine-program.js'

/**
 * Tests that kill or weigh, those that look at what their own process holds, and the longest of the others: each file in
 * a process of its own. What of the program they need in that process they load anew, so they load little
 * (`test/api/client.ts`).
 */
const alone = [
  'test/cluster/**/*.test.ts',
  'test/crash/{catalog,cluster,kill,replication}.test.ts',
  'test/**/kill.test.ts',
  'test/api/{failing-answers,hostile,lifecycle,limits,query-streaming,steady-memory}.test.ts',
  'src/platform/garbage.test.ts',
]

/** Those that start whole programs and wait for them: before the short ones, but in the same processes. */
const withPrograms = /\/test\/(migrate|packaging|proofs|ui)\/|\/([a-z-]+-)?cli\.test\.ts$/

/** The long files first, so that no worker is left alone with one at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.name === 'alone' ? 0 : withPrograms.test(moduleId) ? 1 : 2
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  plugins: [sqlEngineProgram(), fluxText()],
  test: {
    // Far beyond what any of them takes, also where other programs use the machine.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    setupFiles: ['test/after-file.ts'],
    // Four workers on two cores: many tests wait for processes, browsers and clocks (three used 60 to 75 % of them).
    maxWorkers: 4,
    sequence: { sequencer: LongFirst },
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...alone, '**/node_modules/**'],
          // Files share the modules of their worker: nothing in them is state (see STYLE.md), and loading them anew for
          // each file is most of the work. What a file changes for a while is undone after it.
          isolate: false,
        },
      },
    ],
  },
})
