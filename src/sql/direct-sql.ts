// SQL where there is no engine, on threads that run queries: what the store can answer alone. Of all else nothing is
// given, and whoever asked has it carried out where engines are.

import { type PullStream, streamOf } from '../platform/pull-stream.js'
import type { Language, Prepared, QueryParameters, ResultPiece } from '../query/language.js'
import { LeftToEngine } from './direct/computed-column.js'
import { DirectSelect } from './direct/direct-select.js'
import type { SqlScope } from './plan/scope.js'
import { readStatement } from './statement/text.js'

const noValues: ReadonlyMap<string, unknown> = new Map()

export const directSql: Language<SqlScope> = {
  prepare(text: string, { values = noValues }: QueryParameters = {}) {
    const statement = readStatement(text, values)
    return new PreparedDirect(
      statement.kind === 'query' ? DirectSelect.of(statement.text) : undefined,
    )
  },
}

class PreparedDirect implements Prepared<SqlScope> {
  readonly isCacheable = true
  readonly #select: DirectSelect | undefined

  constructor(select: DirectSelect | undefined) {
    this.#select = select
  }

  run(scope: SqlScope, signal: AbortSignal): PullStream<ResultPiece> {
    return streamOf(this.#pieces(scope, signal))
  }

  async *#pieces(scope: SqlScope, signal: AbortSignal): AsyncGenerator<ResultPiece, void, void> {
    yield { kind: 'start', result: 0, messages: [] }
    try {
      const run = await this.#select?.plan(scope, signal)
      if (run === undefined) throw new LeftToEngine()
      yield* run.run(signal)
    } catch (error) {
      yield { kind: 'failure', result: 0, error: error as Error }
    }
  }
}
