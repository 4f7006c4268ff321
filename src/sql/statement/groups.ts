// What a query groups by: positions and names of the select list stand for its items, unless a column of
// the table has that name.

import { type TreeNode, wholeNumber } from './tree.js'

export function groupExpressions(query: TreeNode, isColumn: (name: string) => boolean): TreeNode[] {
  const items = query.select_list ?? []
  return (query.group_expressions ?? []).map((expression) => {
    const position = wholeNumber(expression)
    if (position !== undefined) return items[Number(position) - 1] ?? expression
    const names = expression.class === 'COLUMN_REF' ? expression.column_names! : []
    if (names.length !== 1 || isColumn(names[0])) return expression
    return items.find(({ alias }) => alias === names[0]) ?? expression
  })
}
