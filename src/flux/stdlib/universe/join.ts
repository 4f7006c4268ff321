// `join`: the rows of two streams that have the same values in some columns, side by side. Columns that
// both have and that are not joined on get the name of their stream behind theirs.

import { compareUtf8 } from '../../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { StreamNode } from '../../node/node.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { gatherCells } from '../../table/cells.js'
import { collectRows } from '../../table/collect.js'
import { type ColumnPair, joinedRows } from '../../table/join-rows.js'
import { compareKeys } from '../../table/key-order.js'
import { columnIndex, type Table, type TableStream } from '../../table/table.js'
import { FluxError, LocatedError } from '../../value/error.js'
import { GroupKey, type KeyEntry } from '../../value/key.js'
import { quoted } from '../../value/quote.js'
import { typeName } from '../../value/type-name.js'
import type { FluxValue } from '../../value/value.js'

const type = '(<-tables: A, ?method: string, ?on: [string]) => stream[B] where A: Record, B: Record'

export const joins: Definitions = {
  join: native(type, join),
}

function join(call: Call): FluxValue {
  const on = call.strings('on')
  if (on.length === 0) {
    throw new FluxError("at least one column in 'on' column list is required")
  }
  const method = call.string('method', 'inner')
  if (method !== 'inner') throw new FluxError(`${method} is not a valid join type`)
  const tables = call.record('tables')
  const names = [...tables.names()].sort(compareUtf8)
  const streams = names.map((name) => {
    const stream = tables.get(name) ?? null
    if (stream instanceof StreamNode) return stream
    const got = typeName(stream)
    throw new FluxError(`expected ${quoted(name)} to be stream type; instead got ${got}`)
  })
  return call.node(streams, ([left, right], context) => {
    if (streams.length !== 2) {
      const text = 'joins currently must only have two parents'
      throw new LocatedError(`failed to initialize execute state: ${text}`)
    }
    return joinStreams(left, right, context, new Set(on), names)
  })
}

interface HeldTable {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
  readonly rows: Chunk
  readonly bytes: number
}

async function* joinStreams(
  left: TableStream,
  right: TableStream,
  context: FluxContext,
  on: ReadonlySet<string>,
  names: readonly string[],
): AsyncGenerator<Table, void, void> {
  const lefts = await heldTables(left, context, on)
  const rights = await heldTables(right, context, on)
  if (lefts.length > 0 && rights.length > 0) {
    // Tables whose keys differ in a column that is joined on have nothing in common.
    const shared = [...on].filter((name) => lefts[0].key.has(name) && rights[0].key.has(name))
    const partners = new Map<string, HeldTable[]>()
    for (const table of rights) {
      const text = sharedText(table.key, shared)
      const others = partners.get(text)
      if (others === undefined) partners.set(text, [table])
      else others.push(table)
    }
    for (const table of lefts) {
      for (const partner of partners.get(sharedText(table.key, shared)) ?? []) {
        context.signal.throwIfAborted()
        const joined = joinTables(table, partner, on, names)
        const chunks = joined.chunks()
        const first = chunks.next()
        if (first.done === true) continue
        const { key, columns } = joined
        yield { key, columns, chunks: () => continued(first.value, chunks) }
      }
    }
  }
  for (const { bytes } of [...lefts, ...rights]) context.memory.release(bytes)
}

function* continued(
  first: Chunk,
  rest: Generator<Chunk, void, void>,
): Generator<Chunk, void, void> {
  yield first
  yield* rest
}

/** Those that have all columns to join on, with values where they are of the key; in the order of their keys. */
async function heldTables(
  input: TableStream,
  context: FluxContext,
  on: ReadonlySet<string>,
): Promise<HeldTable[]> {
  const held: HeldTable[] = []
  for await (const table of input) {
    context.signal.throwIfAborted()
    const { key, columns } = table
    const lacks = [...on].some((name) => {
      return columnIndex(columns, name) < 0 || key.entry(name)?.value === null
    })
    if (!lacks) held.push({ key, columns, ...(await collectRows(table, context.memory)) })
  }
  return held.sort((a, b) => compareKeys(a.key, b.key))
}

function sharedText(key: GroupKey, names: readonly string[]): string {
  const entries = names.flatMap((name) => key.entry(name) ?? [])
  return GroupKey.of(entries).text
}

interface JoinedTable {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
  chunks(): Generator<Chunk, void, void>
}

function joinTables(
  left: HeldTable,
  right: HeldTable,
  on: ReadonlySet<string>,
  names: readonly string[],
): JoinedTable {
  const shared = new Set(
    left.columns.map(({ name }) => name).filter((name) => columnIndex(right.columns, name) >= 0),
  )
  const newName = (side: number, name: string): string =>
    shared.has(name) && !on.has(name) ? `${name}_${names[side]}` : name
  const sources: (TableColumn & { readonly side: number; readonly place: number })[] = []
  const entries = new Map<string, KeyEntry>()
  for (const [side, table] of [left, right].entries()) {
    for (const [place, { name, type }] of table.columns.entries()) {
      if (side === 1 && on.has(name)) continue
      const joined = newName(side, name)
      if (!sources.some((source) => source.name === joined)) {
        sources.push({ name: joined, type, side, place })
      }
    }
    for (const entry of table.key.entries) {
      const name = newName(side, entry.name)
      if (!entries.has(name)) entries.set(name, { ...entry, name })
    }
  }
  sources.sort((a, b) => compareUtf8(a.name, b.name))
  return {
    key: GroupKey.of([...entries.values()]),
    columns: sources.map(({ name, type }) => ({ name, type })),
    chunks: () => joinedChunks(left, right, on, sources),
  }
}

function* joinedChunks(
  left: HeldTable,
  right: HeldTable,
  on: ReadonlySet<string>,
  sources: readonly { readonly side: number; readonly place: number }[],
): Generator<Chunk, void, void> {
  const pairs: ColumnPair[] = []
  for (const name of [...on].sort(compareUtf8)) {
    const l = columnIndex(left.columns, name)
    const r = columnIndex(right.columns, name)
    if (left.columns[l].type !== right.columns[r].type) return
    pairs.push([l, r])
  }
  for (const rows of joinedRows(left.rows, right.rows, pairs, 'inner')) {
    const columns = sources.map(({ side, place }): Cells => {
      return side === 0
        ? gatherCells(left.rows.columns[place], rows.left)
        : gatherCells(right.rows.columns[place], rows.right)
    })
    yield { rowCount: rows.left.length, columns }
  }
}
