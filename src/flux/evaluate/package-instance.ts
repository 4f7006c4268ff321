// A package as one run of a script sees it: a record of functions, constants and options. Everything is
// made when it is first asked for; options may be set, and the package's own functions see what was.

import { assert } from '../../errors.js'
import { FluxError } from '../value/error.js'
import type { FluxValue } from '../value/value.js'
import { BuiltinFunction } from './builtin-function.js'
import { Compiler } from './compiler.js'
import { evaluateInOrder, type FileCode } from './evaluate.js'
import { Frame } from './frame.js'
import { type PackageSource, PackageSources } from './package-source.js'
import { PackageRecord, type Packages, type Run } from './run.js'
import { compileFiles } from './statements.js'

export class PackageInstance extends PackageRecord {
  readonly #source: PackageSource
  readonly #library: PackageSources
  readonly #run: Run
  readonly #builtins: (FluxValue | undefined)[] = []
  #frame: Frame | undefined

  constructor(source: PackageSource, library: PackageSources, run: Run) {
    super()
    this.#source = source
    this.#library = library
    this.#run = run
  }

  get shape(): object {
    return this.#source.layout
  }

  place(name: string): number {
    return this.#source.layout.place(name)
  }

  get(name: string): FluxValue | undefined {
    const place = this.place(name)
    return place < 0 ? undefined : this.at(place)
  }

  /** Names that begin with an underscore are the package's own. */
  names(): Iterable<string> {
    return this.#source.layout.names.filter((name) => !name.startsWith('_'))
  }

  at(place: number): FluxValue {
    const known = this.#builtins[place]
    if (known !== undefined) return known
    const name = this.#source.layout.names[place]
    const definition = this.#source.contents.builtins.get(name)
    if (definition === undefined) return this.#assigned(name)
    const value =
      definition.kind === 'value'
        ? definition.value
        : new BuiltinFunction(`${this.#source.path}.${name}`, definition, this.#run)
    this.#builtins[place] = value
    return value
  }

  setOption(name: string, value: FluxValue): void {
    if (!this.#source.contents.options.has(name)) {
      throw new FluxError(`package ${this.#source.path} has no option ${name}`)
    }
    const { slots } = this.#started()
    slots[this.#code.places.get(name)!] = value
  }

  #assigned(name: string): FluxValue {
    const value = this.#started().slots[this.#code.places.get(name)!]
    assert(value !== undefined, `${this.#source.path}.${name} is used before it is defined`)
    return value
  }

  get #code(): FileCode {
    const source = this.#source
    const { path, contents } = source
    const { file } = contents
    assert(file !== undefined, `package ${path} has no text`)
    source.code ??= compileFiles([file], Compiler.forPackage(this.#library, path))
    return source.code
  }

  #started(): Frame {
    if (this.#frame !== undefined) return this.#frame
    const code = this.#code
    // There before its statements run: packages may use each other.
    this.#frame = new Frame(code.frame.size, undefined, this.#run, undefined)
    const frame = this.#frame
    const result = this.#run.yielder.suspended(() => evaluateInOrder(code.statements, frame))
    assert(
      !(result instanceof Promise),
      `the text of package ${this.#source.path} waits for something`,
    )
    return frame
  }
}

/** The packages that `packageOf` knows, for scripts that are compiled and for their runs. */
export class Library extends PackageSources implements Packages {
  open(path: string, run: Run): PackageRecord | undefined {
    const source = this.source(path)
    return source && new PackageInstance(source, this, run)
  }

  preludePath(name: string): string | undefined {
    return this.prelude(name, undefined)?.path
  }
}
