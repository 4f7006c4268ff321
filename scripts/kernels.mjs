// The inner loops (folders named `kernels`) as WebAssembly: a plugin of esbuild that compiles them where `kernels.wasm`
// is imported, and makes their bytes a part of what it bundles. To compile takes seconds: what came out is kept until
// a source changes, or the compiler.

import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const flags = ['--optimizeLevel', '3', '--converge', '--noAssert']
const target = ['--runtime', 'stub', '--enable', 'simd', '--importMemory']

const compiled = fileURLToPath(new URL('../node_modules/.cache/kernels', import.meta.url))

/** `folder`: its `index.ts` exports the kernels. */
export async function compileKernels(folder) {
  const file = join(compiled, `${fingerprint(folder)}.wasm`)
  try {
    return readFileSync(file)
  } catch {
    // Not compiled yet.
  }
  const bytes = await compileAnew(folder)
  mkdirSync(compiled, { recursive: true })
  // Others may read it meanwhile.
  writeFileSync(`${file}.${process.pid}`, bytes)
  renameSync(`${file}.${process.pid}`, file)
  return bytes
}

/** Of the sources, and of what compiles them. */
function fingerprint(folder) {
  const compiler = new URL('../node_modules/assemblyscript/package.json', import.meta.url)
  const hash = createHash('sha256').update(readFileSync(compiler))
  hash.update([...flags, ...target].join(' '))
  for (const name of readdirSync(folder).sort()) {
    hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)))
  }
  return hash.digest('hex').slice(0, 32)
}

async function compileAnew(folder) {
  const { default: assemblyScript } = await import('assemblyscript/asc')
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
function kernelsOf(importer, path) {
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
      contents: moduleText(await compileKernels(path)),
    }))
  },
}
