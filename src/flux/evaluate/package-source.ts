// Packages of the library as scripts are compiled with them: where their names lie, and their compiled text. What is
// made of a package is kept with it, for as long as the library lives.

import { assert } from '../../errors.js'
import {
  type Package,
  type PackageContents,
  type PackageOf,
  preludePaths,
} from '../package/package.js'
import { errorText, syntaxErrors } from '../syntax/syntax-errors.js'
import { RecordLayout } from '../value/record.js'
import type { FileCode } from './evaluate.js'

export class PackageSource {
  readonly path: string
  readonly contents: PackageContents
  readonly layout: RecordLayout
  /** Of its text, compiled by the first run that needs it. */
  code: FileCode | undefined = undefined

  constructor({ path, contents }: Package) {
    this.path = path
    this.contents = contents
    this.layout = new RecordLayout(contents.names)
    const errors = contents.file === undefined ? [] : syntaxErrors(contents.file)
    assert(errors.length === 0, `the text of package ${path}: ${errors.map(errorText).join('; ')}`)
  }
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
    const found = this.#packageOf(path)
    if (found === undefined) return undefined
    const source = new PackageSource(found)
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
