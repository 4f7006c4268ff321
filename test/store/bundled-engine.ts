// The engine with its worker, bundled as the program is: run from its TypeScript sources it has no
// threads. The bundle lies under node_modules, where its dependencies are found.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { buildJobThread } from '../../scripts/job-thread.mjs'
import { kernelsPlugin } from '../../scripts/kernels.mjs'

export interface BundledEngine {
  readonly openEngine: typeof import('../../src/store/embedded/engine.js').openEngine
  cleanUp(): void
}

export async function bundleEngine(): Promise<BundledEngine> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const folder = mkdtempSync(`${root}node_modules/.engine-`)
  await build({
    entryPoints: [`${root}src/store/embedded/engine.ts`],
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [kernelsPlugin],
  })
  await buildJobThread(folder)
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
  const { openEngine } = await import(pathToFileURL(`${folder}/engine.js`).href)
  return { openEngine, cleanUp: () => rmSync(folder, { recursive: true, force: true }) }
}
