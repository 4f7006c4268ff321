// The tables of a statement in DuckDB, over sources that are fed from the store. A table that is read once is a view
// that streams and takes no memory; one that may be read more often is a temporary table. In a temporary table of many
// rows, tags with few values are numbers of a list (`tag-lists.ts`).

import type { Batch } from '../../column/batch.js'
import { joinedSignal } from '../../platform/run-turns.js'
import type { QueryMeter } from '../../query/limits.js'
import type { Store } from '../../store/store.js'
import { Feed } from '../engine/feed.js'
import { type FeedColumn, NewTagValue, type TagList, widthOf } from '../engine/feed-column.js'
import type { SourceColumn } from '../engine/protocol.js'
import type { Session } from '../engine/session.js'
import type { TableRead } from '../plan/table-reads.js'
import { quoteName } from '../statement/names.js'
import { tagLists } from './tag-lists.js'

/** What loading a statement's tables takes besides the tables. */
export interface LoadContext {
  readonly session: Session
  readonly store: Store
  readonly meter: QueryMeter
  readonly signal: AbortSignal
  /** Whether tags may be numbers of a list in temporary tables. */
  readonly listsTags: boolean
}

/** A table whose columns are known, and that can be read once if it is fed. */
export async function createView(
  { session }: LoadContext,
  { table, columns }: TableRead,
): Promise<void> {
  const source = await session.source(columns.map(sourceColumn))
  await session.run(`CREATE TEMP VIEW ${table} AS SELECT * FROM ${source}`)
}

/** The rows of a view, streamed. */
export function tableFeed(context: LoadContext, read: TableRead): Feed {
  const count = (batch: Batch) => context.meter.addPoints(batch.rowCount)
  return feedOf(context, read, read.columns, count)
}

export async function createTable(context: LoadContext, read: TableRead): Promise<void> {
  const { session, store } = context
  const { table, columns, request } = read
  const tags = columns.flatMap((column) => (column.kind === 'tag' ? [column.tag] : []))
  const lists =
    context.listsTags && request !== undefined ? await tagLists(store, request, tags) : noLists
  if (lists.size > 0) {
    const listed = columns.map((column): FeedColumn => {
      const list = column.kind === 'tag' ? lists.get(column.tag) : undefined
      return column.kind === 'tag' && list !== undefined ? { ...column, list } : column
    })
    try {
      await copyRows(context, read, `${table}_rows`, listed)
      // A view shows the texts.
      await session.run(`CREATE TEMP VIEW ${table} AS ${shownTexts(columns)} FROM ${table}_rows`)
      return
    } catch (error) {
      if (!(error instanceof NewTagValue)) throw error
    }
  }
  await copyRows(context, read, table, columns)
}

const noLists: ReadonlyMap<string, TagList> = new Map()

function shownTexts(columns: readonly FeedColumn[]): string {
  const shown = columns.map(
    ({ name, type }) => `CAST(${quoteName(name)} AS ${type}) AS ${quoteName(name)}`,
  )
  return `SELECT ${shown.join(', ')}`
}

async function copyRows(
  context: LoadContext,
  read: TableRead,
  table: string,
  columns: readonly FeedColumn[],
): Promise<void> {
  const { session, meter } = context
  const rowBytes = columns.reduce((sum, column) => sum + widthOf(column), 0)
  let rows = 0
  const count = (batch: Batch) => {
    rows += batch.rowCount
    meter.addPoints(batch.rowCount)
    meter.checkMemory(rows * rowBytes)
  }
  const source = await session.source(columns.map(sourceColumn))
  const feed = feedOf(context, read, columns, count)
  await session.run(`CREATE TEMP TABLE ${table} AS SELECT * FROM ${source}`, feed)
}

function feedOf(
  { store, signal }: LoadContext,
  { request }: TableRead,
  columns: readonly FeedColumn[],
  count: (batch: Batch) => void,
): Feed {
  const read = (stop: AbortSignal) =>
    request === undefined ? noBatches() : store.read(request, joinedSignal(signal, stop))
  return new Feed({ columns, signal, read, count })
}

async function* noBatches(): AsyncGenerator<Batch, void, void> {}

function sourceColumn(column: FeedColumn): SourceColumn {
  const { name, type } = column
  const values = column.kind === 'tag' ? column.list?.values : undefined
  return { name, type, values, width: widthOf(column) }
}
