// Loads a bundled program together with what V8 has compiled of it before. Parsing and compiling is a third of what
// a start costs, and most of what a first query costs; Node 20 compiles anew each time. V8 itself refuses what
// another version or other flags have compiled; then the program is compiled from its text, as it would be without.
//
// A program may have a second text beside it, `-later` by name, that is loaded when the first asks for one of its
// modules (`scripts/split-program.mjs`).

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Script } from 'node:vm'

export interface LoadedProgram<Exports> {
  readonly exports: Exports
  /** Whether it began with what was kept. */
  readonly wasCompiled: boolean
  /** Keeps what has been compiled by now for the next start: what has not run is not among it. */
  keepCompiled(): void
}

/** Modules of a text that the other one requires, by path. */
type Modules = Readonly<Record<string, () => unknown>>

/** `file`: a function in the shape of CommonJS, in ASCII; what it needs it requires. */
export function loadProgram<Exports>(file: string): LoadedProgram<Exports> {
  let later: LoadedProgram<{ readonly modules: Modules }> | undefined
  const shared = (path: string) => first.exports.shared?.[path]()
  const first: LoadedProgram<Exports & { readonly shared?: Modules }> = loadText(file, (path) => {
    later ??= loadText(laterBeside(file), shared)
    return later.exports.modules[path]()
  })
  return {
    ...first,
    keepCompiled() {
      first.keepCompiled()
      later?.keepCompiled()
    },
  }
}

/** `requirePart`: a module of the other text, by its path. */
function loadText<Exports>(
  file: string,
  requirePart: (path: string) => unknown,
): LoadedProgram<Exports> {
  // The text as it was read: a wrapper around it would be a second copy of some megabytes.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    cachedData: keptFor(file),
  })
  const module = { exports: {} as Exports }
  const outside = createRequire(file)
  const require = (name: string) =>
    name.startsWith(partPrefix) ? requirePart(name.slice(partPrefix.length)) : outside(name)
  Object.assign(require, outside)
  script.runInThisContext()(module.exports, require, module, file, dirname(file))
  return {
    exports: module.exports,
    wasCompiled: script.cachedDataRejected === false,
    keepCompiled: () => writeFileSync(keptBeside(file), script.createCachedData()),
  }
}

function keptFor(file: string): Buffer | undefined {
  try {
    return readFileSync(keptBeside(file))
  } catch {
    return undefined
  }
}

const partPrefix = 'part:'
const keptBeside = (file: string) => `${file}.cache`
const laterBeside = (file: string) => file.replace(/\.cjs$/, '-later.cjs')
