// Packages of the library before anybody runs them: their names, and their Flux text parsed and
// compiled, once per process and only when it is needed.

import { assert } from '../../errors.js'
import type { Definition, PackageDefinition } from '../stdlib/define.js'
import type { File, Statement } from '../syntax/ast.js'
import { parseFlux } from '../syntax/parser.js'
import { errorText, syntaxErrors } from '../syntax/syntax-errors.js'
import { RecordLayout } from '../value/record.js'
import { Compiler } from './compiler.js'
import { compileFiles, type FileCode } from './statements.js'

/** The package that an import path names; undefined: there is none. */
export type Library = (path: string) => PackageDefinition | undefined

/** What every script sees without an import; of two packages with the same name the later one's. */
const preludePaths = ['internal/boolean', 'internal/location', 'universe', 'influxdata/influxdb']

export class PackageSource {
  readonly definition: PackageDefinition
  readonly builtins: ReadonlyMap<string, Definition>
  readonly optionNames: ReadonlySet<string>
  /** All names, also those that are not for others. */
  readonly layout: RecordLayout
  readonly #file: File | undefined
  readonly #library: Library
  #code: FileCode | undefined

  constructor(definition: PackageDefinition, library: Library) {
    this.definition = definition
    this.#library = library
    this.builtins = new Map(definition.builtins)
    this.#file = parsedSource(definition)
    const statements = this.#file?.body ?? []
    this.optionNames = new Set(statements.flatMap(optionName))
    this.layout = new RecordLayout([
      ...new Set([...this.builtins.keys(), ...statements.flatMap(assignedName)]),
    ])
  }

  /** Of the package's Flux text. */
  get code(): FileCode {
    const { path } = this.definition
    assert(this.#file !== undefined, `package ${path} has no text`)
    this.#code ??= compileFiles([this.#file], Compiler.forPackage(this.#library, path))
    return this.#code
  }
}

function parsedSource({ path, source }: PackageDefinition): File | undefined {
  if (source === undefined) return undefined
  const file = parseFlux(source, { fileName: path })
  const errors = syntaxErrors(file)
  assert(errors.length === 0, `the text of package ${path}: ${errors.map(errorText).join('; ')}`)
  return file
}

function assignedName(statement: Statement): string[] {
  if (statement.type === 'VariableAssignment') return [statement.id.name]
  return optionName(statement)
}

function optionName(statement: Statement): string[] {
  if (statement.type !== 'OptionStatement') return []
  const { assignment } = statement
  return assignment.type === 'VariableAssignment' ? [assignment.id.name] : []
}

const sources = new WeakMap<Library, Map<string, PackageSource>>()

export function packageSource(path: string, library: Library): PackageSource | undefined {
  let known = sources.get(library)
  if (known === undefined) {
    known = new Map()
    sources.set(library, known)
  }
  let source = known.get(path)
  if (source === undefined) {
    const definition = library(path)
    if (definition === undefined) return undefined
    source = new PackageSource(definition, library)
    known.set(path, source)
  }
  return source
}

/** The package that a name without an import belongs to. A package of the prelude sees those before it. */
export function preludePackage(
  name: string,
  library: Library,
  asker: string | undefined,
): PackageSource | undefined {
  let found: PackageSource | undefined
  for (const path of preludePaths) {
    if (path === asker) break
    const source = packageSource(path, library)
    if (source !== undefined && source.layout.place(name) >= 0) found = source
  }
  return found
}
