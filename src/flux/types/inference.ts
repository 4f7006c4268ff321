// What one inference knows: the unifier, the scope it stands in, the names nobody has defined, and
// the types of the functions it has seen. Expressions and statements are inferred by their own files.

import type { FunctionExpression, SourceLocation } from '../syntax/ast.js'
import { type Binding, type Names, type PackageTypes, Scope } from './environment.js'
import { instantiate, plain, TypeBudget } from './scheme.js'
import { type Type, Variable } from './terms.js'
import { Unifier } from './unifier.js'

/** What inference must be given: packages by their import path. A text says why there is none. */
export interface Imports {
  importPackage(path: string): PackageTypes | string
}

/** Parts of types and steps of unification; scripts of a thousand lines take some ten thousand. */
const PARTS_MAX = 200_000

export class Inference {
  readonly unifier: Unifier
  readonly imports: Imports
  readonly functions = new Map<FunctionExpression, Type>()
  #scope: Scope
  /** A name that is not known is taken to be the same thing everywhere. */
  readonly #undefined = new Map<string, Type>()

  constructor(outer: Names, imports: Imports, location: SourceLocation) {
    this.unifier = new Unifier(location, new TypeBudget(PARTS_MAX))
    this.imports = imports
    this.#scope = new Scope(outer)
  }

  get scope(): Scope {
    return this.#scope
  }

  withinScope<Result>(inside: () => Result): Result {
    const outer = this.#scope
    this.#scope = new Scope(outer)
    const result = inside()
    this.#scope = outer
    return result
  }

  fail(location: SourceLocation, message: string): void {
    this.unifier.note({ location, failure: { kind: 'message', message }, context: undefined })
  }

  bindVariable(name: string, type: Type): void {
    this.#scope.add(name, { kind: 'value', scheme: plain(type) })
  }

  /** The type of a name at this use of it. */
  typeOfName(name: string, location: SourceLocation): Type {
    const binding = this.#scope.lookup(name)
    return binding === undefined ? this.#undefinedName(name, location) : this.typeOfBinding(binding)
  }

  typeOfBinding(binding: Binding): Type {
    const scheme = binding.kind === 'value' ? binding.scheme : binding.types.record()
    return instantiate(scheme, this.unifier.level, this.unifier.budget)
  }

  #undefinedName(name: string, location: SourceLocation): Type {
    this.fail(location, `undefined identifier ${name}`)
    const known = this.#undefined.get(name)
    if (known !== undefined) return known
    const type = new Variable(0)
    this.#undefined.set(name, type)
    return type
  }
}
