// The engine's thread for those who bundle the engine without the program, as tests and benchmarks do: beside their
// bundle, where `platform/start-thread.ts` looks for it, and without what the build keeps compiled.

import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { kernelsPlugin } from './kernels.mjs'

const source = fileURLToPath(new URL('../src/store/embedded/job-worker.ts', import.meta.url))

/** `folder`: under node_modules, where its dependencies are found. */
export async function buildJobThread(folder) {
  await build({
    entryPoints: { thread: source },
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    define: { 'import.meta.url': '__filename' },
    packages: 'external',
    plugins: [kernelsPlugin],
  })
}
