// A statement, and what is made of it once for all runs: of SELECT and EXPLAIN their plan, of others nothing
// but the tree.

import { PreparedSelect } from './execute/prepared-select.js'
import type { OtherStatement } from './statements/statement.js'
import type { Explain, Select, Statement } from './syntax/ast.js'

export type PreparedStatement =
  | { readonly kind: 'select'; readonly statement: Select; readonly select: PreparedSelect }
  | { readonly kind: 'explain'; readonly statement: Explain; readonly select: PreparedSelect }
  | { readonly kind: 'other'; readonly statement: OtherStatement }

export function prepareStatement(statement: Statement): PreparedStatement {
  switch (statement.kind) {
    case 'select':
      return { kind: 'select', statement, select: new PreparedSelect(statement) }
    case 'explain':
      return { kind: 'explain', statement, select: new PreparedSelect(statement.select) }
    default:
      return { kind: 'other', statement }
  }
}
