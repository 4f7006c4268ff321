// The inner loops of the store (`src/store/embedded/encoding/kernels`) as WebAssembly: a plugin of esbuild that
// compiles them where `kernels.wasm` is imported, and makes their bytes a part of what it bundles.

import { dirname, join, relative } from 'node:path'
import assemblyScript from 'assemblyscript/asc'

const flags = ['--optimizeLevel', '3', '--converge', '--noAssert']
const target = ['--runtime', 'stub', '--enable', 'simd', '--importMemory']

/** `folder`: its `index.ts` exports the kernels. */
export async function compileKernels(folder) {
  let bytes
  const { error, stderr } = await assemblyScript.main(
    ['index.ts', '--baseDir', folder, '--outFile', 'kernels.wasm', ...flags, ...target],
    {
      writeFile: (_name, contents) => {
        bytes = contents
      },
    },
  )
  if (error) throw new Error(`${folder}: ${error.message}\n${stderr}`)
  return bytes
}

/** A module that gives these bytes. */
export function moduleText(bytes) {
  return `export default Buffer.from('${Buffer.from(bytes).toString('base64')}', 'base64')`
}

/** The folder beside the importing file that has the name of what is imported, from where the build runs. */
export function kernelsOf(importer, path) {
  return relative('.', join(dirname(importer), path.replace(/\.wasm$/, '')))
}

export const kernelsPlugin = {
  name: 'kernels',
  setup(bundle) {
    bundle.onResolve({ filter: /\.wasm$/ }, ({ importer, path }) => ({
      path: kernelsOf(importer, path),
      namespace: 'kernels',
    }))
    bundle.onLoad({ filter: /./, namespace: 'kernels' }, async ({ path }) => ({
      contents: moduleText(await compiled(path)),
    }))
  },
}

/** By folder: a program is bundled in several parts. */
const known = new Map()

function compiled(folder) {
  if (!known.has(folder)) known.set(folder, compileKernels(folder))
  return known.get(folder)
}
