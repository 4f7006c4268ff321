// Builds dist/: six entry points (program, library, worker, database session, SQL engine, Parquet reader) bundled with what they share. One file instead of a
// thousand modules halves the time to start and saves 20 MB of memory: dependencies are read whole otherwise.
// Types of the library come from the compiler. `libsql` is native, `re2js` and the clients of databases are loaded on
// demand: they stay outside.

import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { build } from 'esbuild'
import { buildUi } from '../ui/build.mjs'

// The pages stay while nothing of them has changed.
for (const name of readable('dist')) {
  if (name !== 'ui') rmSync(`dist/${name}`, { recursive: true, force: true })
}
await buildUi()
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  stdio: 'inherit',
})
await build({
  entryPoints: {
    main: 'src/main.ts',
    index: 'src/index.ts',
    // Beside the others, where `new URL('./job-worker.js', import.meta.url)` looks for it.
    'job-worker': 'src/store/embedded/job-worker.ts',
    'sql-process': 'src/platform/sql-process.ts',
    'sql-engine': 'src/sql/engine/sql-engine.ts',
    'parquet-reader': 'src/sql/parquet/parquet-reader.ts',
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.19',
  loader: { '.flux': 'text' },
  external: [
    'libsql',
    '@duckdb/node-api',
    're2js',
    'pg',
    'pg-cursor',
    'mysql2',
    '@clickhouse/client',
  ],
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'linked',
  // V8 keeps the text of what it runs: without comments and blanks, and with nothing that would make it take two
  // bytes for every character, that is 2.6 MB and not 7.3. Names stay, for what is told of failures.
  minifyWhitespace: true,
  lineLimit: 120,
  // Dependencies written for CommonJS call `require`.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';const require = __createRequire(import.meta.url);",
  },
})

function readable(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
