// Files in Flux as modules that give their text, for tests, which run the sources; the built program has them from its
// bundler. A plugin of Vitest.

import type { Plugin } from 'vitest/config'

export function fluxText(): Plugin {
  return {
    name: 'flux-text',
    transform(code, id) {
      if (!id.endsWith('.flux')) return undefined
      return { code: `export default ${JSON.stringify(code)}`, map: null }
    },
  }
}
