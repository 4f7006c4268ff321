// Loads a bundled program together with what V8 has compiled of it before. Parsing and compiling is a third of what
// a start costs, and most of what a first query costs; Node 20 compiles anew each time. V8 itself refuses what
// another version or other flags have compiled; then the program is compiled from its text, as it would be without.
//
// A program may have further texts beside it, each of which is loaded when another one asks for a module of it
// (`scripts/split-program.mjs`).

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { threadId } from 'node:worker_threads'

export interface LoadedProgram<Exports> {
  readonly exports: Exports
  /** Whether it began with what was kept. */
  readonly wasCompiled: boolean
  /** Keeps what has been compiled by now for the next start: what has not run is not among it. */
  keepCompiled(): void
}

/** What texts require of each other, by path. */
interface Shared {
  readonly modules?: Readonly<Record<string, () => unknown>>
}

/** `file`: a function in the shape of CommonJS, in ASCII; what it needs it requires. */
export function loadProgram<Exports>(file: string): LoadedProgram<Exports> {
  const texts = new Map<string, LoadedProgram<Shared>>()
  const textOf = (name: string): LoadedProgram<Shared> => {
    const known = texts.get(name)
    const text = known ?? loadText<Shared>(join(dirname(file), `${name}.cjs`), requirePart)
    if (known === undefined) texts.set(name, text)
    return text
  }
  const requirePart = (place: string) => {
    const [name, path] = place.split(':')
    return textOf(name).exports.modules?.[path]()
  }
  return {
    ...(textOf(basename(file, '.cjs')) as LoadedProgram<Exports>),
    keepCompiled() {
      for (const text of texts.values()) text.keepCompiled()
    },
  }
}

/** `requirePart`: a module of another text, by the name of the text and its path. */
function loadText<Exports>(
  file: string,
  requirePart: (place: string) => unknown,
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
    keepCompiled: () => keep(keptBeside(file), script.createCachedData()),
  }
}

/** Whole or not at all: a thread may be ended while it keeps what it has. */
function keep(file: string, compiled: Buffer): void {
  const written = `${file}.${threadId}`
  writeFileSync(written, compiled)
  renameSync(written, file)
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
