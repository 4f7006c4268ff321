// The trees of queries that are asked again and again: dashboards and alerts send the same texts all
// day. Only what reads is kept: other statements may hold passwords, and are seldom asked twice.

import { LruCache } from '../platform/lru-cache.js'
import { keepPlanOf } from './plan/kept-plans.js'
import type { Statement } from './syntax/ast.js'
import { parseQuery } from './syntax/parser.js'

/** Characters of all texts: they bound the memory that the trees and their plans take. */
const textLengthMax = 128 << 10

const noParameters = new Map<string, never>()

export class KeptQueries {
  readonly #statements = new LruCache<string, readonly Statement[]>({
    bytesMax: textLengthMax,
    sizeOf: (_, text) => text.length,
  })

  parse(text: string): readonly Statement[] {
    const kept = this.#statements.get(text)
    if (kept !== undefined) return kept
    const statements = parseQuery(text, noParameters)
    if (statements.every(readsOnly)) {
      this.#statements.set(text, statements)
      keepPlansOf(text, statements)
    }
    return statements
  }
}

function keepPlansOf(text: string, statements: readonly Statement[]): void {
  if (/now/i.test(text)) return
  for (const statement of statements) if (statement.kind === 'select') keepPlanOf(statement)
}

export function readsOnly(statement: Statement): boolean {
  if (statement.kind === 'select') return statement.target === undefined
  return statement.kind.startsWith('show-')
}
