// The store's kernels for tests, which run the sources: compiled once a run, as the bundler compiles them. A plugin of
// Vitest.

import type { Plugin } from 'vitest/config'
import { compileKernels, kernelsOf, moduleText } from '../../scripts/kernels.mjs'

export function kernels(): Plugin {
  return {
    name: 'kernels',
    enforce: 'pre',
    resolveId(path, importer) {
      if (importer === undefined || !path.endsWith('.wasm')) return undefined
      return `\0kernels:${kernelsOf(importer, path)}`
    },
    async load(id) {
      if (!id.startsWith('\0kernels:')) return undefined
      const bytes = await compileKernels(id.slice('\0kernels:'.length))
      return { code: moduleText(bytes), map: null }
    },
  }
}
