// InfluxQL as a language of the service: a text is parsed once, and its statements run one after the other,
// as often as it is asked.

import type { PullStream } from '../platform/pull-stream.js'
import type {
  Language,
  Prepared,
  QueryParameters,
  QueryShape,
  ResultBatch,
  ResultPiece,
} from '../query/language.js'
import { describeAnswer } from './describe.js'
import { requireOneRead, withTableName } from './one-table.js'
import { type PreparedStatement, prepareStatement } from './prepared-statement.js'
import type { InfluxqlScope } from './scope/scope.js'
import { StatementRun } from './statement-run.js'
import type { Statement } from './syntax/ast.js'
import { numberSlots, type SlotValues } from './syntax/literal-slots.js'
import { parseQuery } from './syntax/parser.js'
import { type InfluxqlShape, shapeOf } from './syntax/query-shape.js'

export const influxql: Language<InfluxqlScope> = {
  prepare(text: string, parameters?: QueryParameters, shape?: QueryShape): Prepared<InfluxqlScope> {
    const statements = parseQuery(text, parameters?.values)
    return new PreparedStatements(statements, shape as InfluxqlShape | undefined)
  },
  shape: shapeOf,
}

class PreparedStatements implements Prepared<InfluxqlScope> {
  readonly isCacheable: boolean
  readonly onlyReads: boolean
  readonly #statements: readonly PreparedStatement[]

  constructor(statements: readonly Statement[], shape: InfluxqlShape | undefined) {
    const numbered = shape === undefined ? statements : numberSlots(statements, shape)
    // Where a literal does not stand in a comparison of its own, no other may take its place.
    this.isCacheable = numbered !== undefined && statements.every(readsOnly)
    this.onlyReads = statements.every(readsPoints)
    this.#statements = (numbered ?? statements).map(prepareStatement)
  }

  run(
    scope: InfluxqlScope,
    signal: AbortSignal,
    literals?: readonly unknown[],
  ): PullStream<ResultPiece> {
    const run = new StatementRun(this.#statements, scope, signal, literals as SlotValues)
    if (scope.answers !== 'one table') return run
    const statement = requireOneRead(this.#statements.map((prepared) => prepared.statement))
    return withTableName(statement, run)
  }

  describe(
    scope: InfluxqlScope,
    _signal: AbortSignal,
    literals?: readonly unknown[],
  ): Promise<ResultBatch | undefined> {
    return describeAnswer(this.#statements, scope, literals as SlotValues)
  }
}

/** Others may hold passwords, and are seldom asked twice. */
function readsOnly(statement: Statement): boolean {
  return readsPoints(statement) || statement.kind.startsWith('show-')
}

function readsPoints(statement: Statement): boolean {
  return statement.kind === 'select' && statement.target === undefined
}
