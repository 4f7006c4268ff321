// Bundles the program as two texts: what every server needs when it starts, and what is imported when it is first asked
// for (the control plane, Flux, Flight, ClickHouse, other commands). V8 reads and keeps a text whole, with all that was
// compiled of it: of 6.9 MB a start needs 2.7.
//
// No module is in both. The first text exports those that the second one needs (`shared`), by their paths; the second
// exports those that the first one imports (`modules`). Each is required by the other with its path behind `part:`,
// which `platform/compiled-program.ts` knows. The second copies what it was given into variables of its own, once: to ask the
// other's object with each use would make every call across them slower.

import { relative } from 'node:path'
import { build } from 'esbuild'

/** What a server is made of; it is imported when a command serves, and that is nearly always. */
const serving = ['src/cli/serve.ts', 'src/index.ts']

/** `entry`: a module of the program; its exports are those of the first text. Gives all files. */
export async function splitProgram(options, entry) {
  const { inputs } = await analyzed(options, [entry])
  const first = reached(inputs, [entry, ...serving])
  const later = new Set()
  const shared = new Set()
  for (const [path, { imports }] of Object.entries(inputs)) {
    for (const one of imports.filter(({ external }) => !external)) {
      if (one.kind === 'dynamic-import' && !first.has(one.path)) later.add(one.path)
      if (!first.has(path) && first.has(one.path)) shared.add(one.path)
    }
  }
  // Those of CommonJS have no names that are known before they run.
  const modules = [...shared].filter((path) => inputs[path].format === 'esm')
  const list = (paths) =>
    [...paths].map((path) => `${JSON.stringify(path)}: () => require('./${path}')`)
  const other = (path) => ({ path: `part:${path}`, external: true })
  await build({
    ...options,
    ...from(`export * from './${entry}'; export const shared = {${list(shared)}}`, 'program'),
    plugins: [
      ...options.plugins,
      replacing(inputs, (path) => (first.has(path) ? undefined : other(path))),
    ],
  })
  const names = await namesIn(options, modules)
  const copyOf = (path) => (names.has(path) ? { path, namespace: 'copied' } : other(path))
  await build({
    ...options,
    ...from(`export const modules = {${list(later)}}`, 'program-later'),
    plugins: [
      ...options.plugins,
      replacing(inputs, (path) => (first.has(path) ? copyOf(path) : undefined)),
      copying(names),
    ],
  })
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
function copying(names) {
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
        return { contents: [`const all = require('part:${path}')`, ...copies].join('\n') }
      })
    },
  }
}
