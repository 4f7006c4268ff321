// What the columns of an answer are in the table that they come from, for clients that tell tags from
// fields. Known where the statement reads one table: of its columns as they are, and of `*`.

import type { ColumnRole } from '../../query/language.js'
import type { TreeNode } from '../statement/tree.js'
import type { TableRead } from './table-reads.js'

export function columnRoles(
  tree: TreeNode,
  tables: readonly TableRead[],
): { readonly name: string; readonly columnRoles: readonly ColumnRole[] } | undefined {
  const from = tree.type === 'SELECT_NODE' ? tree.from_table : undefined
  const table = tables.find(({ use }) => use.node === from)
  if (table === undefined) return undefined
  const { columns, name } = table.schema
  const roles: ColumnRole[] = []
  for (const item of tree.select_list ?? []) {
    if (item.class === 'STAR') {
      if (Object.keys(item).some((key) => /list$/.test(key) && !isEmpty(item, key)))
        return undefined
      roles.push(...columns.map(({ kind }) => kind))
    } else {
      const inside = item.class === 'COLUMN_REF' ? item.column_names!.at(-1) : undefined
      roles.push(columns.find(({ insideName }) => insideName === inside)?.kind)
    }
  }
  return { name, columnRoles: roles }
}

/** `* EXCLUDE (…)` and the like change what `*` is. */
function isEmpty(item: TreeNode, key: string): boolean {
  const value = (item as Readonly<Record<string, unknown>>)[key]
  return value == null || (Array.isArray(value) && value.length === 0)
}
