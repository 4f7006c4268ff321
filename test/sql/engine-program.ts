// The program of an SQL engine for tests, which run the sources: built once a run, and put in the place of the one
// that lies beside the built service. A plugin of Vitest.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Plugin } from 'vitest/config'

const place = "new URL('./sql-engine.js', import.meta.url)"

export function sqlEngineProgram(): Plugin {
  let built: Promise<URL> | undefined
  return {
    name: 'sql-engine-program',
    // Before types are taken out, and the text changes.
    enforce: 'pre',
    async transform(code, id) {
      if (!id.endsWith('/src/sql/engine/engine-pool.ts')) return undefined
      if (!code.includes(place)) throw new Error(`${id}: where is its program?`)
      built ??= buildEngine()
      return { code: code.replace(place, `new URL('${await built}')`), map: null }
    },
  }
}

/** Under node_modules, where its dependencies are found. */
async function buildEngine(): Promise<URL> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const folder = mkdtempSync(`${root}node_modules/.sql-engine-`)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  await build({
    entryPoints: [`${root}src/sql/engine/sql-engine.ts`],
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
  })
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
  return pathToFileURL(`${folder}/sql-engine.js`)
}
