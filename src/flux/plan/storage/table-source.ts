// What one read of the store gives as tables: rows as they are, or aggregates that the store computes,
// of the whole range or by windows, of each series or of groups of them.

import type { CellType } from '../../../query/table.js'
import type { AggregateFunction } from '../../../store/store.js'
import type { FluxContext } from '../../context/context.js'
import { cellTypeOfField } from './field-piece.js'
import type { GroupColumns } from './group-columns.js'
import { groupTables } from './group-tables.js'
import { rowTables } from './row-tables.js'
import { resultType, type SelectedField, type StorageRead } from './storage-read.js'
import type { StoredTable } from './stored-table.js'
import type { WindowRows } from './window-rows.js'
import {
  bareAggregateTables,
  canAggregate,
  splitWindowTables,
  windowAggregateTables,
} from './window-tables.js'

export type TableSource =
  | { readonly kind: 'rows'; readonly read: StorageRead }
  | { readonly kind: 'bare'; readonly read: StorageRead; readonly function: AggregateFunction }
  | {
      readonly kind: 'windows'
      readonly read: StorageRead
      readonly function: AggregateFunction
      readonly windows: WindowRows
    }
  /** Each window with points in a table of its own. */
  | {
      readonly kind: 'split-windows'
      readonly read: StorageRead
      readonly function: AggregateFunction
      readonly windows: Pick<WindowRows, 'everyNs' | 'offsetNs'>
    }
  /** `by`: the columns that make the groups. */
  | {
      readonly kind: 'groups'
      readonly read: StorageRead
      readonly function: AggregateFunction
      readonly by: GroupColumns
    }
  | {
      readonly kind: 'group-windows'
      readonly read: StorageRead
      readonly function: AggregateFunction
      readonly windows: WindowRows
      readonly by: GroupColumns
    }

/** Some at a time, as they come. */
export type StoredTables = AsyncIterable<readonly StoredTable[]>

/** undefined: the store cannot, and the functions must run themselves. `withoutValues`: nobody looks at `_value`. */
export async function storedTables(
  source: TableSource,
  fields: readonly SelectedField[],
  context: FluxContext,
  withoutValues = false,
): Promise<StoredTables | undefined> {
  const { kind, read } = source
  if (kind === 'rows') return rowTables(read, fields, context, withoutValues)
  const { function: name } = source
  if (!canAggregate(name, fields)) return undefined
  switch (kind) {
    case 'bare':
      return bareAggregateTables(read, fields, name, context)
    case 'windows':
      return windowAggregateTables(read, fields, name, source.windows, context)
    case 'split-windows':
      return splitWindowTables(read, fields, name, source.windows, context)
    case 'groups':
    case 'group-windows':
      return atOnce(await groupTables(read, fields, source, context))
  }
}

function atOnce(tables: readonly StoredTable[] | undefined): StoredTables | undefined {
  return tables && streamOf(tables)
}

async function* streamOf(
  tables: readonly StoredTable[],
): AsyncGenerator<readonly StoredTable[], void, void> {
  yield tables
}

/** The types that `_value` can have. */
export function valueTypes(
  source: TableSource,
  fields: readonly SelectedField[],
): ReadonlySet<CellType> {
  const types = fields.map(({ type }) =>
    source.kind === 'rows' ? type : resultType(source.function, type),
  )
  return new Set(types.map((type) => cellTypeOfField[type]))
}
