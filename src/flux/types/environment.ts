// What names mean while types are inferred: scopes inside of scopes, and behind the outermost one the
// library, which is looked at only for the names that are used.

import type { Scheme } from './scheme.js'

/** The types that a package offers, worked out when they are asked for. */
export interface PackageTypes {
  readonly path: string
  names(): readonly string[]
  typeOf(name: string): Scheme | undefined
  isOption(name: string): boolean
  /** The package as a value: the record of all it offers. */
  record(): Scheme
}

export type Binding =
  | {
      readonly kind: 'value'
      readonly scheme: Scheme
      /** An option of the library. */
      readonly isOption?: boolean
    }
  | { readonly kind: 'package'; readonly types: PackageTypes }

export interface Names {
  lookup(name: string): Binding | undefined
}

export class Scope implements Names {
  readonly #names = new Map<string, Binding>()
  readonly #outer: Names

  constructor(outer: Names) {
    this.#outer = outer
  }

  lookup(name: string): Binding | undefined {
    return this.#names.get(name) ?? this.#outer.lookup(name)
  }

  add(name: string, binding: Binding): void {
    this.#names.set(name, binding)
  }

  /** Of this scope alone. */
  own(name: string): Binding | undefined {
    return this.#names.get(name)
  }

  remove(name: string): void {
    this.#names.delete(name)
  }

  /** The values of this scope alone, in the order of their assignments. */
  values(): ReadonlyMap<string, Scheme> {
    const values = new Map<string, Scheme>()
    for (const [name, binding] of this.#names) {
      if (binding.kind === 'value') values.set(name, binding.scheme)
    }
    return values
  }
}
