// Bundles a program, or a thread of it, as several texts: what it needs when it starts, and what is imported when it is
// first asked for. V8 reads and keeps a text whole, with all that was compiled of it: of 6.9 MB the start of a server
// needs 2.7, and the first request of the control plane 1.1 more.
//
// No module is in two texts. Each text exports those that others import (`modules`), by their paths; whoever needs one
// requires it by the name of its text and its path behind `part:`, which `platform/compiled-program.ts` knows. A text
// copies what it has of an earlier one into variables of its own, once: to ask the other's object with each use would
// make every call across them slower.

import { relative } from 'node:path'
import { build } from 'esbuild'

/**
 * `entry`: a module; its exports are those of the first text. `texts`: names, and what else they begin with. A module is
 * in the first one that cannot do without it, what is imported when it is needed by none of these in the last. Gives all
 * files.
 */
export async function splitProgram(options, entry, texts) {
  const textNames = Object.keys(texts)
  const { inputs } = await analyzed(options, [entry])
  const textOf = new Map()
  for (const [name, roots] of Object.entries(texts)) {
    const first = name === textNames[0] ? [entry] : []
    const last = name === textNames.at(-1) ? Object.keys(inputs) : []
    for (const path of reached(inputs, [...first, ...roots, ...last])) {
      if (!textOf.has(path)) textOf.set(path, name)
    }
  }
  const exported = new Map(textNames.map((name) => [name, new Set()]))
  for (const [path, { imports }] of Object.entries(inputs)) {
    for (const one of imports.filter(({ external }) => !external)) {
      const text = textOf.get(one.path)
      if (text !== textOf.get(path)) exported.get(text).add(one.path)
    }
  }
  // Those of CommonJS have no names that are known before they run.
  const known = [...exported.values()].flatMap((paths) => [...paths])
  const names = await namesIn(
    options,
    known.filter((path) => inputs[path].format === 'esm'),
  )
  for (const [i, name] of textNames.entries()) {
    const other = (path) => ({ path: `part:${textOf.get(path)}:${path}`, external: true })
    const isEarlier = (path) => textNames.indexOf(textOf.get(path)) < i
    const placeOf = (path) => {
      if (textOf.get(path) === name) return undefined
      return isEarlier(path) && names.has(path) ? { path, namespace: 'copied' } : other(path)
    }
    const list = [...exported.get(name)].map(
      (path) => `${JSON.stringify(path)}: () => require('./${path}')`,
    )
    const begin = i === 0 ? `export * from './${entry}'; ` : ''
    await build({
      ...options,
      ...from(`${begin}export const modules = {${list}}`, name),
      plugins: [
        ...options.plugins,
        replacing(inputs, placeOf),
        copying(names, (path) => other(path).path),
      ],
    })
  }
  return inputs
}

const from = (contents, name) => ({
  stdin: { contents, resolveDir: process.cwd(), sourcefile: `${name}.js` },
  outdir: undefined,
  outfile: `dist/${name}.cjs`,
})

async function analyzed(options, entryPoints, more = {}) {
  return (await build({ ...options, entryPoints, ...more, write: false, sourcemap: false }))
    .metafile
}

/** All that these import, and what those import, but not what is imported when it is needed. */
function reached(inputs, paths) {
  const found = new Set(paths)
  // A set hands out what is added to it while it is walked.
  for (const path of found) {
    for (const one of inputs[path].imports) {
      if (!one.external && one.kind !== 'dynamic-import') found.add(one.path)
    }
  }
  return found
}

/** The names that each of the modules exports, those included that it has from others. */
async function namesIn(options, paths) {
  const { outputs } = await analyzed(options, paths, { format: 'esm', splitting: true })
  return new Map(Object.values(outputs).map(({ entryPoint, exports }) => [entryPoint, exports]))
}

/** A plugin that puts what `decide` says by its path in the place of a module that is imported. */
function replacing(inputs, decide) {
  return {
    name: 'replacing',
    setup(bundle) {
      bundle.onResolve({ filter: /^part:/ }, ({ path }) => ({ path, external: true }))
      bundle.onResolve({ filter: /./ }, ({ path, importer, kind }) => {
        const imports = inputs[relative('.', importer)]?.imports ?? []
        const found = imports.find((one) => one.original === path && one.kind === kind)
        return found === undefined || found.external ? undefined : decide(found.path)
      })
    },
  }
}

/** Modules with these names are variables with what the other text exports. */
function copying(names, placeOf) {
  return {
    name: 'copying',
    setup(bundle) {
      bundle.onLoad({ filter: /./, namespace: 'copied' }, ({ path }) => {
        const copies = names
          .get(path)
          .map((name) =>
            name === 'default'
              ? 'export default all.default'
              : `export const ${name} = all.${name}`,
          )
        return { contents: [`const all = require('${placeOf(path)}')`, ...copies].join('\n') }
      })
    },
  }
}
