// A package of the library: functions and values in TypeScript, and Flux text that is evaluated with them in scope. The
// text is parsed when the package is first used, once for its types and its code.

import type { File } from '../syntax/ast.js'
import { parseFlux } from '../syntax/parser.js'
import type { Definition, Definitions } from './define.js'

export interface PackageContents {
  readonly builtins: ReadonlyMap<string, Definition>
  readonly file: File | undefined
  /** What the text defines, options among it. */
  readonly defined: ReadonlySet<string>
  readonly options: ReadonlySet<string>
  /** All names, also those that are not for others. */
  readonly names: readonly string[]
}

export class Package {
  /** As an import names it: `influxdata/influxdb/schema`. Its last part is what a script calls it without `as`. */
  readonly path: string
  readonly #builtins: Definitions
  readonly #source: string | undefined
  #contents: PackageContents | undefined = undefined

  constructor(path: string, builtins: Definitions, source?: string) {
    this.path = path
    this.#builtins = builtins
    this.#source = source
  }

  get contents(): PackageContents {
    this.#contents ??= this.#read()
    return this.#contents
  }

  #read(): PackageContents {
    const source = this.#source
    const file = source === undefined ? undefined : parseFlux(source, { fileName: this.path })
    const builtins = new Map(Object.entries(this.#builtins))
    const defined = new Set<string>()
    const options = new Set<string>()
    for (const statement of file?.body ?? []) {
      if (statement.type === 'VariableAssignment') defined.add(statement.id.name)
      if (statement.type !== 'OptionStatement') continue
      const { assignment } = statement
      if (assignment.type === 'VariableAssignment') options.add(assignment.id.name)
    }
    for (const name of options) defined.add(name)
    return {
      builtins,
      file,
      defined,
      options,
      names: [...new Set([...builtins.keys(), ...defined])],
    }
  }
}

/** The package that an import path names; undefined: there is none. */
export type PackageOf = (path: string) => Package | undefined

/** What every script sees without an import; of two packages with the same name the later one's. */
export const preludePaths: readonly string[] = ['universe', 'influxdata/influxdb']
