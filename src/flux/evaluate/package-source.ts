// Packages of the library before anybody runs them: their names, and their Flux text parsed, when they
// are first needed. What is made of a package is kept with it, for as long as the library lives.

import { assert } from '../../errors.js'
import {
  type Definition,
  type PackageDefinition,
  type PackageOf,
  preludePaths,
} from '../package/define.js'
import type { File, Statement } from '../syntax/ast.js'
import { parseFlux } from '../syntax/parser.js'
import { errorText, syntaxErrors } from '../syntax/syntax-errors.js'
import { RecordLayout } from '../value/record.js'
import type { FileCode } from './evaluate.js'

export class PackageSource {
  readonly path: string
  readonly builtins: ReadonlyMap<string, Definition>
  readonly optionNames: ReadonlySet<string>
  /** All names, also those that are not for others. */
  readonly layout: RecordLayout
  readonly file: File | undefined
  /** Of the file, compiled by the first run that needs it. */
  code: FileCode | undefined = undefined

  constructor(definition: PackageDefinition) {
    this.path = definition.path
    this.builtins = new Map(definition.builtins)
    this.file = parsedSource(definition)
    const statements = this.file?.body ?? []
    this.optionNames = new Set(statements.flatMap(optionName))
    this.layout = new RecordLayout([
      ...new Set([...this.builtins.keys(), ...statements.flatMap(assignedName)]),
    ])
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

export class PackageSources {
  readonly #packageOf: PackageOf
  readonly #sources = new Map<string, PackageSource>()

  constructor(packageOf: PackageOf) {
    this.#packageOf = packageOf
  }

  /** undefined: there is no such package. */
  source(path: string): PackageSource | undefined {
    const known = this.#sources.get(path)
    if (known !== undefined) return known
    const definition = this.#packageOf(path)
    if (definition === undefined) return undefined
    const source = new PackageSource(definition)
    this.#sources.set(path, source)
    return source
  }

  /** The package that a name without an import belongs to. `from`: a package of the prelude sees those before it. */
  prelude(name: string, from: string | undefined): PackageSource | undefined {
    let found: PackageSource | undefined
    for (const path of preludePaths) {
      if (path === from) break
      const source = this.source(path)
      if (source !== undefined && source.layout.place(name) >= 0) found = source
    }
    return found
  }
}
