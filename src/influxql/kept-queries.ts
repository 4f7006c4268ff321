// The trees of queries that are asked again and again: dashboards and alerts send the same texts all
// day. Only what reads is kept: other statements may hold passwords, and are seldom asked twice.

import { KeptByText } from '../query/kept-by-text.js'
import { keepPlanOf } from './plan/kept-plans.js'
import type { Statement } from './syntax/ast.js'
import { parseQuery } from './syntax/parser.js'

/** Both bound the memory that the trees and their plans take. */
const queriesMax = 128
const textLengthMax = 2048

const noParameters = new Map<string, never>()

export class KeptQueries {
  readonly #statements = new KeptByText<readonly Statement[]>(queriesMax, textLengthMax)

  parse(text: string): readonly Statement[] {
    const kept = this.#statements.get(text)
    if (kept !== undefined) return kept
    const statements = parseQuery(text, noParameters)
    if (statements.every(readsOnly) && this.#statements.keep(text, statements)) {
      keepPlansOf(text, statements)
    }
    return statements
  }
}

function keepPlansOf(text: string, statements: readonly Statement[]): void {
  if (/now/i.test(text)) return
  for (const statement of statements) if (statement.kind === 'select') keepPlanOf(statement)
}

function readsOnly(statement: Statement): boolean {
  if (statement.kind === 'select') return statement.target === undefined
  return statement.kind.startsWith('show-')
}
