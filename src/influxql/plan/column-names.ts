// What the columns of a SELECT are called: an alias as it is, everything else by what stands in it,
// with `_1`, `_2` … where a name is taken.

import type { Expression, Field } from '../syntax/ast.js'
import { walkExpression } from '../syntax/walk.js'

export function fieldName(field: Field): string {
  return field.alias ?? expressionName(field.expression)
}

function expressionName(expression: Expression): string {
  switch (expression.kind) {
    case 'call':
    case 'reference':
      return expression.name
    case 'binary':
      return binaryName(expression)
    case 'paren':
      return expressionName(expression.inner)
    default:
      return ''
  }
}

function binaryName(expression: Expression): string {
  const names: string[] = []
  walkExpression(expression, (node) => {
    if (node.kind !== 'reference' && node.kind !== 'call') return true
    names.push(node.name)
    return false
  })
  return names.join('_')
}

/** Fields are those that give a column each, in their order. */
export function columnNames(fields: readonly Field[], timeName: string): string[] {
  const uses = new Map<string, number>()
  for (const { alias } of fields) if (alias !== undefined) uses.set(alias, 1)
  return [timeName, ...fields.map((field) => field.alias ?? freeName(fieldName(field), uses))]
}

function freeName(name: string, uses: Map<string, number>): string {
  let count = uses.get(name)
  let free = name
  if (count !== undefined) {
    while (uses.has(`${name}_${count}`)) count++
    free = `${name}_${count}`
    uses.set(name, count + 1)
  }
  uses.set(free, (uses.get(free) ?? 0) + 1)
  return free
}
