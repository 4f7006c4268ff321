// The types of the library, worked out from the definitions of its packages: signatures of builtins
// are read when a name is first used, the Flux text of a package is inferred when one of the names it
// defines is. What is worked out is kept: a library lives as long as the process.

import {
  type Package,
  type PackageContents,
  type PackageOf,
  preludePaths,
} from '../package/package.js'
import type { SourceLocation } from '../syntax/ast.js'
import { parseType } from '../syntax/parser.js'
import { syntaxErrors } from '../syntax/syntax-errors.js'
import type { Binding, Names, PackageTypes } from './environment.js'
import { failureText } from './failure.js'
import { inferFile } from './infer-statements.js'
import { type Imports, Inference } from './inference.js'
import type { TypeProblem } from './problem.js'
import { generalize, plain, type Scheme } from './scheme.js'
import { schemeOf } from './signature.js'
import { BOOL, ERROR, RecordType } from './terms.js'

export class TypeLibrary implements Imports, Names {
  readonly #packageOf: PackageOf
  readonly #packages = new Map<string, LibraryPackage | undefined>()
  readonly #prelude = new Map<string, Binding | undefined>()

  constructor(packageOf: PackageOf) {
    this.#packageOf = packageOf
  }

  importPackage(path: string): PackageTypes | string {
    const found = this.package(path)
    return found ?? `invalid import path ${path}`
  }

  package(path: string): LibraryPackage | undefined {
    if (this.#packages.has(path)) return this.#packages.get(path)
    const found = this.#packageOf(path)
    const types = found && new LibraryPackage(found, this)
    this.#packages.set(path, types)
    return types
  }

  /** A name of the prelude. */
  lookup(name: string): Binding | undefined {
    const known = this.#prelude.get(name)
    if (known !== undefined) return known
    const binding = this.#find(name)
    if (binding !== undefined) this.#prelude.set(name, binding)
    return binding
  }

  preludeNames(): readonly string[] {
    const names = new Set<string>()
    for (const path of preludePaths)
      for (const name of this.package(path)?.names() ?? []) names.add(name)
    return [...names]
  }

  #find(name: string): Binding | undefined {
    for (let i = preludePaths.length - 1; i >= 0; i--) {
      const types = this.package(preludePaths[i])
      const scheme = types?.typeOf(name)
      if (types === undefined || scheme === undefined) continue
      return { kind: 'value', scheme, isOption: types.isOption(name) }
    }
    return name === 'true' || name === 'false' ? { kind: 'value', scheme: plain(BOOL) } : undefined
  }
}

const NOWHERE: SourceLocation = {
  start: { line: 0, column: 0 },
  end: { line: 0, column: 0 },
}

export class LibraryPackage implements PackageTypes, Names {
  readonly path: string
  readonly #library: TypeLibrary
  readonly #contents: PackageContents
  readonly #schemes = new Map<string, Scheme>()
  readonly #problems: TypeProblem[] = []
  #isInferred = false
  /** While it runs. */
  #inference: Inference | undefined = undefined
  #record: Scheme | undefined = undefined

  constructor({ path, contents }: Package, library: TypeLibrary) {
    this.path = path
    this.#library = library
    this.#contents = contents
  }

  names(): readonly string[] {
    return this.#contents.names
  }

  isOption(name: string): boolean {
    return this.#contents.options.has(name)
  }

  typeOf(name: string): Scheme | undefined {
    const known = this.#schemes.get(name)
    if (known !== undefined) return known
    if (this.#contents.defined.has(name)) return this.#definedType(name)
    const type = this.#contents.builtins.get(name)?.type
    if (type === undefined) return undefined
    const scheme = this.#read(name, type)
    this.#schemes.set(name, scheme)
    return scheme
  }

  record(): Scheme {
    this.#record ??= this.#makeRecord()
    return this.#record
  }

  /** Names that the text of the package may use: its builtins, then the prelude. */
  lookup(name: string): Binding | undefined {
    if (this.#contents.builtins.has(name) && !this.#contents.defined.has(name)) {
      const scheme = this.typeOf(name)
      if (scheme !== undefined) return { kind: 'value', scheme }
    }
    return this.#library.lookup(name)
  }

  /** What is wrong with the definition itself; everything is worked out for it. */
  problems(): readonly TypeProblem[] {
    for (const name of this.names()) this.typeOf(name)
    this.#infer()
    return this.#problems
  }

  #makeRecord(): Scheme {
    const fields = []
    for (const label of this.names()) {
      const type = this.typeOf(label)?.type
      if (type !== undefined) fields.push({ label, type })
    }
    return generalize(new RecordType(fields, undefined), 0)
  }

  #read(name: string, text: string): Scheme {
    try {
      return schemeOf(parseType(text), (location, message) => {
        this.#problems.push({ location, message: `${name}: ${message}` })
      })
    } catch (error) {
      // A signature that cannot be read is a mistake in the library, and must not take scripts down.
      const message = `${name}: ${error instanceof Error ? error.message : String(error)}`
      this.#problems.push({ location: NOWHERE, message })
      return plain(ERROR)
    }
  }

  /** Where the text is just being inferred, the names that stand before the place that asks. */
  #definedType(name: string): Scheme | undefined {
    this.#infer()
    const binding = this.#inference?.scope.own(name)
    return binding?.kind === 'value' ? binding.scheme : this.#schemes.get(name)
  }

  #infer(): void {
    const { file } = this.#contents
    if (this.#isInferred || file === undefined) return
    this.#isInferred = true
    for (const problem of syntaxErrors(file)) this.#problems.push(problem)
    const inference = new Inference(this, this.#library, file.location)
    this.#inference = inference
    inferFile(inference, file)
    for (const failure of inference.unifier.failures) {
      this.#problems.push({ location: failure.location, message: failureText(failure) })
    }
    for (const [name, scheme] of inference.scope.values()) this.#schemes.set(name, scheme)
    this.#inference = undefined
  }
}
