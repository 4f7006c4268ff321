// The tables of a statement in DuckDB, over sources that are fed from the store. A table that is read once is read as
// its rows come and takes no memory; one that may be read more often is kept. Tags of many kept rows with few values
// are kept as numbers of a list (`tag-lists.ts`).

import type { Batch } from '../column/batch.js'
import type { QueryMeter } from '../query/limits.js'
import type { ReadRequest, Store } from '../store/store.js'
import type { SourceColumn } from './engine-protocol.js'
import { Feed } from './feed.js'
import { quoteName } from './names.js'
import { widthOf } from './row-frames.js'
import { duckdbType, type TableColumn } from './schema.js'
import type { Session } from './session.js'
import { NewTagValue, type TagList, tagLists } from './tag-lists.js'

export interface TableLoad {
  readonly store: Store
  /** What it is called in DuckDB. */
  readonly table: string
  readonly columns: readonly LoadColumn[]
  /** Undefined: the table has no rows. */
  readonly request: ReadRequest | undefined
  /** Whether tags may be kept as numbers of a list. */
  readonly listsTags: boolean
}

/** `field`: the place of a field among those that are read. */
export type LoadColumn = { readonly name: string; readonly type: string } & (
  | { readonly kind: 'time' }
  /** `list`: the values that it may have, of which the table holds the numbers; the column's type has the list. */
  | { readonly kind: 'tag'; readonly tag: string; readonly list?: TagList }
  | { readonly kind: 'field'; readonly field: number }
)

export function loadColumn(column: TableColumn, fields: readonly string[]): LoadColumn {
  const [name, type] = [column.insideName, duckdbType(column)]
  if (column.kind === 'time') return { name, type, kind: 'time' }
  if (column.kind === 'tag') return { name, type, kind: 'tag', tag: column.name }
  return { name, type, kind: 'field', field: fields.indexOf(column.name) }
}

/** A table that can be named, and read once if it is fed. */
export async function nameTable(session: Session, { table, columns }: TableLoad): Promise<void> {
  const source = await session.source(columns.map(sourceColumn))
  await session.run(`CREATE TEMP VIEW ${table} AS SELECT * FROM ${source}`)
}

/** The rows of a table that was named, to be read as they come. */
export function tableFeed(load: TableLoad, meter: QueryMeter, signal: AbortSignal): Feed {
  const count = (batch: Batch) => meter.addPoints(batch.rowCount)
  return feedOf(load, load.columns, count, signal)
}

export async function keepTable(
  session: Session,
  load: TableLoad,
  meter: QueryMeter,
  signal: AbortSignal,
): Promise<void> {
  const { store, table, columns, request } = load
  const tags = columns.flatMap((column) => (column.kind === 'tag' ? [column.tag] : []))
  const lists =
    load.listsTags && request !== undefined ? await tagLists(store, request, tags) : noLists
  if (lists.size > 0) {
    const listed = columns.map((column): LoadColumn => {
      const list = column.kind === 'tag' ? lists.get(column.tag) : undefined
      return column.kind === 'tag' && list !== undefined ? { ...column, list } : column
    })
    try {
      await keepRows(session, load, `${table}_rows`, listed, meter, signal)
      // A view shows the texts.
      await session.run(`CREATE TEMP VIEW ${table} AS ${shownTexts(columns)} FROM ${table}_rows`)
      return
    } catch (error) {
      if (!(error instanceof NewTagValue)) throw error
    }
  }
  await keepRows(session, load, table, columns, meter, signal)
}

const noLists: ReadonlyMap<string, TagList> = new Map()

function shownTexts(columns: readonly LoadColumn[]): string {
  const shown = columns.map(
    ({ name, type }) => `CAST(${quoteName(name)} AS ${type}) AS ${quoteName(name)}`,
  )
  return `SELECT ${shown.join(', ')}`
}

async function keepRows(
  session: Session,
  load: TableLoad,
  table: string,
  columns: readonly LoadColumn[],
  meter: QueryMeter,
  signal: AbortSignal,
): Promise<void> {
  const rowBytes = columns.reduce((sum, column) => sum + widthOf(column), 0)
  let rows = 0
  const count = (batch: Batch) => {
    rows += batch.rowCount
    meter.addPoints(batch.rowCount)
    meter.checkMemory(rows * rowBytes)
  }
  const source = await session.source(columns.map(sourceColumn))
  const feed = feedOf(load, columns, count, signal)
  await session.run(`CREATE TEMP TABLE ${table} AS SELECT * FROM ${source}`, feed)
}

function feedOf(
  { store, request }: TableLoad,
  columns: readonly LoadColumn[],
  count: (batch: Batch) => void,
  signal: AbortSignal,
): Feed {
  const read = (stop: AbortSignal) =>
    request === undefined ? noBatches() : store.read(request, AbortSignal.any([signal, stop]))
  return new Feed({ columns, read, count })
}

async function* noBatches(): AsyncGenerator<Batch, void, void> {}

function sourceColumn(column: LoadColumn): SourceColumn {
  const { name, type } = column
  const values = column.kind === 'tag' ? column.list?.values : undefined
  return { name, type, values, width: widthOf(column) }
}
