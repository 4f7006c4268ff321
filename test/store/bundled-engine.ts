// The engine with its worker, bundled as the program is: run from its TypeScript sources it has no
// threads. The bundle lies under node_modules, where its dependencies are found.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { kernelsPlugin } from '../../scripts/kernels.mjs'

export interface BundledEngine {
  readonly openEngine: typeof import('../../src/store/embedded/engine.js').openEngine
  cleanUp(): void
}

export async function bundleEngine(): Promise<BundledEngine> {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const folder = mkdtempSync(`${root}node_modules/.engine-`)
  const common: BuildOptions = {
    bundle: true,
    platform: 'node',
    packages: 'external',
    plugins: [kernelsPlugin],
  }
  const engine = `${root}src/store/embedded/engine.ts`
  await build({ ...common, entryPoints: [engine], outdir: folder, format: 'esm' })
  await build({
    ...common,
    entryPoints: { thread: `${root}src/store/embedded/job-worker.ts` },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    define: { 'import.meta.url': '__filename' },
  })
  writeFileSync(`${folder}/package.json`, '{ "type": "module" }')
  const { openEngine } = await import(pathToFileURL(`${folder}/engine.js`).href)
  return { openEngine, cleanUp: () => rmSync(folder, { recursive: true, force: true }) }
}
