// The programs with DuckDB in them for tests, which run the sources: built once a run, and put in the place of those
// that lie beside the built service. A plugin of Vitest.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Plugin } from 'vitest/config'

/** Which file starts which program. */
const programs: Readonly<Record<string, string>> = {
  '/src/sql/engine/engine-pool.ts': 'sql-engine',
  '/src/sql/parquet/parquet-file.ts': 'parquet-reader',
}

export function sqlEngineProgram(): Plugin {
  let built: Promise<URL> | undefined
  return {
    name: 'sql-engine-program',
    // Before types are taken out, and the text changes.
    enforce: 'pre',
    async transform(code, id) {
      const program = Object.entries(programs).find(([file]) => id.endsWith(file))?.[1]
      if (program === undefined) return undefined
      const place = `new URL('./${program}.js', import.meta.url)`
      if (!code.includes(place)) throw new Error(`${id}: where is its program?`)
      built ??= buildPrograms()
      return { code: code.replace(place, `new URL('${await built}${program}.js')`), map: null }
    },
  }
}

/** Under node_modules, where its dependencies are found. */
async function buildPrograms(): Promise<URL> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const folder = mkdtempSync(`${root}node_modules/.sql-engine-`)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    entryPoints: {
      'sql-engine': `${root}src/sql/engine/sql-engine.ts`,
      'parquet-reader': `${root}src/sql/parquet/parquet-reader.ts`,
    },
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
  return pathToFileURL(`${folder}/`)
}
