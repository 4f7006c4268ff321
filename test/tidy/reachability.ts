// No dead files: every file of src is reached by imports from the program, the library face, a test or a benchmark.
// Texts in Flux are reached in the same way and import nothing themselves.

import { importsOf, isRelative, targetOf } from './imports.js'
import { isTest, partOf, type SourceFile } from './source.js'

/** The last four are what threads run, as the build makes them (`scripts/build.mjs`). */
const entries = [
  ...['src/main.ts', 'src/index.ts', 'src/platform/thread.ts'],
  ...['src/store/embedded/job-worker.ts', 'src/service/parse/parse-worker.ts'],
  'src/service/query-thread/query-worker.ts',
]

/** `files` must hold src, test and bench. */
export function checkReachability(files: readonly SourceFile[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const reached = new Set<string>()
  for (const { path } of files) if (isEntry(path)) reached.add(path)
  // A set hands out what is added to it while it is walked.
  for (const path of reached) {
    const file = byPath.get(path)
    if (file === undefined || path.endsWith('.flux')) continue
    for (const { specifier } of importsOf(file)) {
      if (isRelative(specifier)) reached.add(builtFrom(targetOf(file, specifier)))
    }
  }
  return files
    .filter(({ path }) => partOf(path) !== undefined && !reached.has(path))
    .map(({ path }) => `${path}:1: is imported by nobody`)
}

// A contract suite that no test runs proves nothing, so it does not count as a test by itself.
function isEntry(path: string): boolean {
  // Declarations without a module are there for the compiler.
  if (entries.includes(path) || partOf(path) === undefined || path.endsWith('.d.ts')) return true
  return isTest(path) && path.endsWith('.test.ts')
}

/** Benchmarks and process tests import what was compiled. */
function builtFrom(path: string): string {
  return path.replace(/^dist\//, 'src/')
}
