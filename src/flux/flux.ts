// Flux as a language of the service: text is parsed, checked and compiled once; a run evaluates the
// script, finds its results and lets their tables pass one after the other.

import { UserError } from '../errors.js'
import { streamOf } from '../platform/pull-stream.js'
import type {
  Language,
  Prepared,
  QueryParameters,
  ResultTableColumn,
  TablePiece,
} from '../query/language.js'
import type { FluxScope } from './context/scope.js'
import { Library } from './evaluate/package-instance.js'
import { paramsStatement } from './evaluate/parameters.js'
import { namedResults } from './evaluate/results.js'
import { Run } from './evaluate/run.js'
import { Script } from './evaluate/script.js'
import { planResults } from './plan/planner.js'
import { packageOf } from './stdlib/packages.js'
import type { File, Statement } from './syntax/ast.js'
import { readExtern } from './syntax/extern-file.js'
import { type Json, packageToJson, packageOf as treeOf } from './syntax/json.js'
import { parseFlux } from './syntax/parser.js'
import { syntaxErrors } from './syntax/syntax-errors.js'
import type { Table, TableStream } from './table/table.js'
import { type BatchStream, TableBatch } from './table/table-batch.js'
import { onlyReads } from './tools/only-reads.js'
import { checkScript } from './types/check.js'
import { describeFunctions } from './types/describe.js'
import { TypeLibrary } from './types/library.js'
import { parameterTypes } from './types/parameter-types.js'
import { problemsText } from './types/problem.js'
import { ScriptChecks } from './types/script-checks.js'
import { TypeNames, typeText } from './types/type-text.js'
import { locationText } from './value/error.js'

const profilerResult = '_profiler'

export interface AnalyzeError {
  readonly line: number
  readonly column: number
  readonly character: number
  readonly message: string
}

export interface FluxFunctionDescription {
  readonly name: string
  readonly params: Readonly<Record<string, string>>
}

/** Owns the library: packages are parsed, typed and compiled when a script first uses them, once for all scripts. */
export class FluxLanguage implements Language<FluxScope, TablePiece> {
  readonly #library = new Library(packageOf)
  readonly #types = new TypeLibrary(packageOf)
  readonly #checks = new ScriptChecks(this.#types)

  /** Throws UserError with all that is wrong with the script. */
  prepare(text: string, parameters: QueryParameters = {}): Prepared<FluxScope, TablePiece> {
    const { script, files } = this.#compile(text, parameters)
    return {
      isCacheable: true,
      onlyReads: onlyReads(files),
      run: (scope, signal) => {
        const run = new Run(scope, signal, this.#library)
        return streamOf(results(script, run, signal))
      },
    }
  }

  /** What is wrong with a script: its form, its names, its types. Nothing of it is run. */
  analyze(text: string): AnalyzeError[] {
    return checkScript(parseFlux(text), this.#types).errors.map(
      ({ location: { start }, message }) => ({
        line: start.line,
        column: start.column,
        character: 0,
        message,
      }),
    )
  }

  /** The syntax tree as the interface shows it. Throws UserError with the first mistake. */
  ast(text: string): Json {
    const file = parseFlux(text)
    const [error] = syntaxErrors(file)
    if (error === undefined) return packageToJson(treeOf(file))
    const place = locationText(error.location)
    throw new UserError('invalid', `invalid AST: loc ${place}: ${error.message}`)
  }

  /** The functions that need no import, with the sort of each parameter; not those for the library itself. */
  functions(): FluxFunctionDescription[] {
    return [...describeFunctions(this.#types)]
      .filter(([name]) => !name.startsWith('_'))
      .map(([name, params]) => ({ name, params: Object.fromEntries(params) }))
  }

  /** The types of the parameters that a script reads, where it tells them. */
  parameterTypes(text: string): ReadonlyMap<string, string> {
    return parameterTypes(parseFlux(text), this.#types)
  }

  #compile(text: string, parameters: QueryParameters) {
    const file = parseFlux(text)
    const before = fileBefore(file, parameters)
    const { errors, functionType } = this.#checks.check(file, before)
    if (errors.length > 0) {
      throw new UserError('invalid', `compilation failed: ${problemsText(errors)}`)
    }
    const files = before === undefined ? [file] : [before, file]
    const script = new Script(files, this.#library, (node) => {
      const type = functionType(node)
      return type && typeText(type, new TypeNames())
    })
    return { script, files }
  }
}

/** What comes along with the script: the values of the request, and statements. */
function fileBefore(
  { location }: File,
  { values, extern: json }: QueryParameters,
): File | undefined {
  const extern = json === undefined ? undefined : readExtern(json)
  if (values === undefined) return extern
  const statements: Statement[] = [paramsStatement(values), ...(extern?.body ?? [])]
  const empty: File = { type: 'File', location, package: null, imports: [], body: [] }
  return { ...(extern ?? empty), body: statements }
}

async function* results(
  script: Script,
  run: Run,
  signal: AbortSignal,
): AsyncGenerator<TablePiece, void, void> {
  try {
    await run.yielder.rest()
    await script.evaluate(run)
    await run.yielder.rest()
    const named = namedResults(run.sideEffects)
    const isUnread = run.scope.isAnswerUnread === true
    const { streams, profile } = await planResults(
      named.map(({ node }) => node),
      run,
      isUnread,
    )
    for (const [i, { name }] of named.entries()) {
      const stream = run.streaming(streams[i])
      if (isUnread) await drain(stream)
      else yield* pieces(stream as TableStream, name)
    }
    if (profile !== undefined) yield* pieces(profile, profilerResult)
  } catch (error) {
    // Whatever breaks under a query that was stopped, being stopped is the reason.
    throw signal.aborted ? signal.reason : withinLimits(error)
  }
}

/** The machine's own limits: calls too deep for its stack, texts longer than it can hold. */
function withinLimits(error: unknown): unknown {
  if (!(error instanceof RangeError)) return error
  return new UserError('invalid', `the script goes beyond what can be evaluated: ${error.message}`)
}

async function drain(stream: BatchStream): Promise<void> {
  for await (const table of stream) {
    if (table instanceof TableBatch) continue
    for await (const _ of table.chunks());
  }
}

async function* pieces(stream: TableStream, name: string): AsyncGenerator<TablePiece, void, void> {
  let count = 0
  for await (const table of stream) {
    yield { kind: 'table', name, table: count++, columns: resultColumns(table) }
    for await (const { rowCount, columns } of table.chunks()) {
      if (rowCount > 0) yield { kind: 'rows', rowCount, columns }
    }
  }
}

/** Spread out by hand: a query may have a table for each of many series. */
function resultColumns({ key, columns }: Table): ResultTableColumn[] {
  const { entries } = key
  const shown: ResultTableColumn[] = []
  for (const { name, type } of columns) {
    let at = 0
    while (at < entries.length && entries[at].name !== name) at++
    const isGroup = at < entries.length
    shown.push({ name, type, isGroup, value: isGroup ? entries[at].value : null })
  }
  return shown
}
