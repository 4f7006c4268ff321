// What the build of the page changes about the modules that go into it: names of the kit and of React lead to what they
// stand for, parsers do without their Node part, and what the first script has is not cut into pieces.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))
const root = dirname(folder)
const source = join(folder, 'src')
const require = createRequire(import.meta.url)

/**
 * Names of the kit lead to the files that declare them: through its index, which names everything, the bundle takes some
 * hundred components along that no page uses.
 */
export const kitFiles = {
  name: 'kit-files',
  setup({ onResolve, onLoad }) {
    const kit = join(root, 'node_modules/@mantine/core/esm')
    const exported = new Map()
    for (const line of readFileSync(join(kit, 'index.mjs'), 'utf8').split('\n')) {
      const found = /^import \{ (.*) \} from "(.*)";$/.exec(line)
      if (found === null) continue
      for (const name of found[1].split(',')) {
        const [original, local] = name.trim().split(' as ')
        exported.set(local ?? original, { original, file: join(kit, found[2]) })
      }
    }
    onResolve({ filter: /^@mantine\/core$/ }, ({ importer }) =>
      importer.startsWith(source)
        ? { path: importer, namespace: 'kit', sideEffects: false }
        : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'kit' }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const lines = []
      for (const [, names] of text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)) {
        for (const part of names.split(',').map((name) => name.trim())) {
          if (part === '' || part.startsWith('type ')) continue
          const name = part.split(' as ')[0].trim()
          const found = exported.get(name)
          if (found === undefined) throw new Error(`${path}: the kit has no ${name}`)
          lines.push(`export { ${found.original} as ${name} } from ${JSON.stringify(found.file)}`)
        }
      }
      return { contents: lines.join('\n'), resolveDir: kit }
    })
  },
}

/**
 * React is no module but an object. Whoever imports it would get a copy of that object with all of its names, some
 * hundred copies when the page opens: here it becomes one module with these names.
 */
export const reactModules = {
  name: 'react-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(react|react-dom|react\/jsx-runtime)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'react', sideEffects: false } : undefined,
    )
    onLoad({ filter: /.*/, namespace: 'react' }, ({ path }) => {
      const names = Object.keys(require(path)).filter((name) => name !== 'default')
      const lines = names.map((name) => `export const ${name} = whole.${name}`)
      const file = JSON.stringify(require.resolve(path))
      return {
        contents: `import whole from ${file}\nexport default whole\n${lines.join('\n')}`,
        resolveDir: root,
      }
    })
  },
}

/** The service's parsers ask for regular expressions, which the page leaves to the service: see the file. */
export const parserParts = {
  name: 'parser-parts',
  setup({ onResolve }) {
    onResolve({ filter: /\/column\/regex\.js$/ }, () => ({ path: join(source, 'query/regex.ts') }))
  },
}

/**
 * What is loaded later never comes without the first script. Told so, by an import, the build leaves that in one piece;
 * else it cuts it into as many as there are sets of pages that share something with it, some forty.
 */
export const firstInOnePiece = {
  name: 'first-in-one-piece',
  setup({ onLoad }) {
    const later = laterFiles()
    const first = JSON.stringify(join(source, 'app.tsx'))
    onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      if (!later.has(path)) return undefined
      const contents = `${readFileSync(path, 'utf8')}\nimport ${first}\n`
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}

/** What is imported when it is needed first. */
function laterFiles() {
  const found = new Set()
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    for (const [, name] of text.matchAll(/\bimport\('(\.[^']*)\.js'\)/g)) {
      for (const ending of ['ts', 'tsx']) found.add(join(entry.parentPath, `${name}.${ending}`))
    }
  }
  return found
}
