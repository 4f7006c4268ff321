// A script from its tree to its results: compiled once, evaluated per run. Whether it is sound was
// checked before.

import type { File } from '../syntax/ast.js'
import type { FluxValue } from '../value/value.js'
import { Compiler, type FunctionTypes } from './compiler.js'
import { evaluateInOrder, type FileCode } from './evaluate.js'
import { Frame } from './frame.js'
import type { PackageSources } from './package-source.js'
import type { Run } from './run.js'
import { compileFiles } from './statements.js'

export class Script {
  readonly #code: FileCode

  /** Files share their names: later ones see those of the earlier. Throws UserError where they cannot be compiled. */
  constructor(files: readonly File[], library: PackageSources, functionType?: FunctionTypes) {
    this.#code = compileFiles(files, Compiler.forScript(library, functionType))
  }

  /** Carries out the statements; the streams they call for are in `run.sideEffects`. The names it defined. */
  async evaluate(run: Run): Promise<ReadonlyMap<string, FluxValue>> {
    const { frame: size, statements, places } = this.#code
    const frame = new Frame(size.size, undefined, run, undefined)
    await evaluateInOrder(statements, frame)
    const names = new Map<string, FluxValue>()
    for (const [name, index] of places) names.set(name, frame.slots[index] ?? null)
    return names
  }
}
