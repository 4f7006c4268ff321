// Builds dist/: the program and its threads as texts (`split-program.mjs`) with what V8 compiles of them (`compile-program.mjs`), and the library, database session, SQL
// engine and Parquet reader bundled with what they share. Few files instead of a thousand modules halves the time to start and saves 20 MB of memory: dependencies are read whole otherwise.
// What package.json calls a dependency stays outside (native code, and what few load on demand) and is installed with the
// program; what it calls a development dependency is in the bundle, with its licence in `third-party.txt`. Types of the
// library come from the compiler; those that nobody can reach from it go again.

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { build } from 'esbuild'
import { buildUi } from '../ui/build.mjs'
import { compileProgram } from './compile-program.mjs'
import { kernelsPlugin } from './kernels.mjs'
import { splitProgram } from './split-program.mjs'
import { thirdPartyText } from './third-party.mjs'

const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'))

// The pages stay while nothing of them has changed.
for (const name of readable('dist')) {
  if (name !== 'ui') rmSync(`dist/${name}`, { recursive: true, force: true })
}
await buildUi()
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
const common = {
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  loader: { '.flux': 'text' },
  plugins: [kernelsPlugin],
  external: Object.keys({ ...dependencies, ...optionalDependencies }),
  metafile: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'linked',
  // V8 keeps the text of what it runs: without comments and blanks, and with nothing that would make it take two
  // bytes for every character, that is 2.6 MB and not 7.3. Names stay, for what is told of failures.
  minifyWhitespace: true,
  lineLimit: 120,
}
const shared = await build({
  ...common,
  entryPoints: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    'sql-process': 'src/platform/sql-process.ts',
    'sql-engine': 'src/sql/engine/sql-engine.ts',
    'parquet-reader': 'src/sql/parquet/parquet-reader.ts',
  },
  splitting: true,
  format: 'esm',
  // Dependencies written for CommonJS call `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
})
// What every thread runs first, beside the others, where `platform/start-thread.ts` looks for it.
await build({
  ...common,
  entryPoints: { thread: 'src/platform/thread.ts' },
  outExtension: { '.js': '.cjs' },
  format: 'cjs',
})
const asText = {
  ...common,
  format: 'cjs',
  // What is imported when needed is required then: a script that V8 was handed has no imports without flags of Node's.
  supported: { 'dynamic-import': false },
  define: { 'import.meta.url': '__fileUrl' },
  // The program is read as it is, one byte for a character (`platform/compiled-program.ts`).
  banner: {
    js: "(function(exports,require,module,__filename,__dirname){const __fileUrl=require('node:url').pathToFileURL(__filename).href;",
  },
  footer: { js: '})' },
}
const program = await splitProgram(asText, 'src/cli/command.ts', {
  program: ['src/cli/serve.ts', 'src/index.ts'],
  'program-control': ['src/http/managed.ts', 'src/http/cluster.ts', 'src/http/content.ts'],
  'program-flux': ['src/flux/flux.ts', 'src/flux/tools/script-tools.ts'],
  'program-later': [],
})
// Threads hold none of what others need.
const threads = [
  await splitProgram(asText, 'src/store/embedded/job-worker.ts', { 'job-worker': [] }),
  await splitProgram(asText, 'src/service/parse/parse-worker.ts', { 'parse-worker': [] }),
  await splitProgram(asText, 'src/service/query-thread/query-worker.ts', {
    'query-worker': [],
    'query-worker-later': [],
  }),
]
for (const name of readdirSync('dist').filter((each) => each.endsWith('.cjs'))) {
  if (readFileSync(`dist/${name}`).every((byte) => byte <= 127)) continue
  throw new Error(`${name} holds characters that are not ASCII: a regular expression?`)
}
await compileProgram()
const inputs = Object.keys(Object.assign({}, shared.metafile.inputs, program, ...threads))
writeFileSync('dist/third-party.txt', thirdPartyText(inputs))
pruneTypes('dist/index.d.ts')

/** Leaves of the types what the library's face leads to. */
function pruneTypes(entry) {
  const reached = new Set([entry])
  // A set hands out what is added to it while it is walked.
  for (const file of reached) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /(?:from|import)\s*\(?'(\.[^']+)'/g,
    )) {
      reached.add(join(dirname(file), path).replace(/\.js$/, '.d.ts'))
    }
  }
  const entries = readdirSync('dist', { recursive: true, withFileTypes: true })
  const folders = entries.filter((each) => each.isDirectory())
  for (const each of entries) {
    const path = join(each.parentPath, each.name)
    if (path.endsWith('.d.ts') && !reached.has(path)) rmSync(path)
  }
  // The deepest first, so that what holds only empty folders is empty when its turn comes.
  const deepest = folders
    .map((each) => join(each.parentPath, each.name))
    .sort()
    .reverse()
  for (const path of deepest) {
    if (existsSync(path) && readdirSync(path).length === 0) rmSync(path, { recursive: true })
  }
}

function readable(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
