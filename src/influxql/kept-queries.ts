// The trees of queries that are asked again and again: dashboards and alerts send the same texts all
// day. Only what reads is kept: other statements may hold passwords, and are seldom asked twice.

import { keepPlanOf } from './plan/kept-plans.js'
import type { Statement } from './syntax/ast.js'
import { parseQuery } from './syntax/parser.js'

/** Both bound the memory that the trees and their plans take. */
const queriesMax = 128
const textLengthMax = 2048

const noParameters = new Map<string, never>()

export class KeptQueries {
  /** By text, the one used last at the end. */
  readonly #statements = new Map<string, readonly Statement[]>()

  parse(text: string): readonly Statement[] {
    const kept = this.#statements.get(text)
    if (kept !== undefined) {
      this.#statements.delete(text)
      this.#statements.set(text, kept)
      return kept
    }
    const statements = parseQuery(text, noParameters)
    if (text.length <= textLengthMax && statements.every(readsOnly)) this.#keep(text, statements)
    return statements
  }

  #keep(text: string, statements: readonly Statement[]): void {
    this.#statements.set(text, statements)
    if (this.#statements.size > queriesMax) {
      const [oldest] = this.#statements.keys()
      this.#statements.delete(oldest)
    }
    if (/now/i.test(text)) return
    for (const statement of statements) if (statement.kind === 'select') keepPlanOf(statement)
  }
}

function readsOnly(statement: Statement): boolean {
  if (statement.kind === 'select') return statement.target === undefined
  return statement.kind.startsWith('show-')
}
