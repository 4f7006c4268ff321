// `join.tables` and `experimental.join`: tables with the same key are brought together; their rows are
// paired by equal columns, and a function makes a record of each pair. The left stream is held; of the
// right one table at a time, and those that found no partner in a join that keeps them.

import type { Chunk, TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { StreamNode } from '../../node/node.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { collectRows } from '../../table/collect.js'
import { type ColumnPair, type JoinMethod, joinedRows } from '../../table/join-rows.js'
import { columnIndex, type Table, type TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { GroupKey } from '../../value/key.js'
import { type EqualColumns, equalColumns } from './predicate.js'
import { JoinFunction, type JoinSide } from './row-function.js'

const tablesType = `(<-left: stream[L], right: stream[R], on: (l: L, r: R) => bool,
  as: (l: L, r: R) => A, method: string) => stream[A] where A: Record, L: Record, R: Record`

export const joinTables: Definitions = {
  tables: native(tablesType, tables),
}

const experimentalType = `(left: stream[A], right: stream[B], fn: (left: A, right: B) => C) => stream[C]
  where A: Record, B: Record, C: Record`

export const experimentalJoins: Definitions = {
  join: native(experimentalType, experimentalJoin),
}

function tables(call: Call): StreamNode {
  const left = streamOf(call, 'left')
  const right = streamOf(call, 'right')
  const on = call.function('on')
  const as = call.function('as')
  const method = call.string('method')
  if (method !== 'inner' && method !== 'left' && method !== 'right' && method !== 'full') {
    const text = 'must be "inner", "left", "right", or "full"'
    throw new FluxError(`invalid argument for 'method' - ${text}`)
  }
  const joining: Joining = {
    on: () => equalColumns(on),
    as: new JoinFunction(as, ['l', 'r'], ({ name, type }) => {
      const text = `output record has a missing or invalid value for column '${name}:${type}'`
      return `join cannot modify group key: ${text}`
    }),
    method,
    missingColumn: (side, name) =>
      `cannot set join columns in ${side} table stream: table is missing column '${name}'`,
    missingLabel: (side, name) =>
      `error preparing ${side} side of join: table is missing label ${name}`,
  }
  return call.node([left, right], (inputs, context) => joinStreams(inputs, context, joining))
}

function experimentalJoin(call: Call): StreamNode {
  const left = streamOf(call, 'left')
  const right = streamOf(call, 'right')
  const joining: Joining = {
    on: () => [{ left: '_time', right: '_time' }],
    as: new JoinFunction(
      call.function('fn'),
      ['left', 'right'],
      () => "argument 'fn' may not modify group key",
    ),
    method: 'inner',
    missingColumn: () => 'no _time column found',
    missingLabel: (side, name) => `${side} is missing label ${name}`,
  }
  return call.node([left, right], (inputs, context) => joinStreams(inputs, context, joining))
}

function streamOf(call: Call, name: string): StreamNode {
  const value = call.value(name)
  if (value === undefined) throw new FluxError(`missing required argument '${name}'`)
  if (value instanceof StreamNode) return value
  throw new FluxError(`argument '${name}' must be a table stream`)
}

interface Joining {
  /** Throws FluxError where the condition cannot be used. */
  readonly on: () => readonly EqualColumns[]
  readonly as: JoinFunction
  readonly method: JoinMethod
  readonly missingColumn: (side: 'left' | 'right', name: string) => string
  readonly missingLabel: (side: 'left' | 'right', name: string) => string
}

interface HeldTable extends JoinSide {
  readonly key: GroupKey
  readonly bytes: number
}

async function* joinStreams(
  [left, right]: readonly TableStream[],
  context: FluxContext,
  joining: Joining,
): AsyncGenerator<Table, void, void> {
  const on = joining.on()
  const lefts = new Map<string, HeldTable>()
  const leftColumns = new ColumnUnion()
  for await (const table of left) {
    const held = await holdTable(table, context)
    if (held === undefined) continue
    lefts.set(held.key.text, held)
    leftColumns.add(held.columns)
  }
  const rightColumns = new ColumnUnion()
  for await (const table of right) {
    const held = await holdTable(table, context)
    if (held === undefined) continue
    rightColumns.add(held.columns)
    const partner = lefts.get(held.key.text)
    lefts.delete(held.key.text)
    const isKept = partner !== undefined || joining.method === 'right' || joining.method === 'full'
    if (isKept) yield* joinPair(held.key, partner ?? leftColumns.nothing(), held, on, joining)
    context.memory.release(held.bytes + (partner?.bytes ?? 0))
  }
  for (const held of lefts.values()) {
    if (joining.method === 'left' || joining.method === 'full') {
      yield* joinPair(held.key, held, rightColumns.nothing(), on, joining)
    }
    context.memory.release(held.bytes)
  }
}

/** undefined: it has no rows. */
async function holdTable(table: Table, context: FluxContext): Promise<HeldTable | undefined> {
  context.signal.throwIfAborted()
  const { rows, bytes } = await collectRows(table, context.memory)
  return rows.rowCount === 0 ? undefined : { key: table.key, columns: table.columns, rows, bytes }
}

/** All columns that tables of one side have: what a row without a partner sees of it. */
class ColumnUnion {
  readonly #columns = new Map<string, TableColumn>()

  add(columns: readonly TableColumn[]): void {
    for (const column of columns)
      if (!this.#columns.has(column.name)) this.#columns.set(column.name, column)
  }

  nothing(): JoinSide {
    const columns = [...this.#columns.values()]
    const cells = columns.map(({ type }) => ({ kind: 'constant', type, value: null }) as const)
    return { columns, rows: { rowCount: 0, columns: cells } }
  }
}

async function* joinPair(
  key: GroupKey,
  left: JoinSide,
  right: JoinSide,
  on: readonly EqualColumns[],
  joining: Joining,
): AsyncGenerator<Table, void, void> {
  checkLabels(left, joining, 'left')
  checkLabels(right, joining, 'right')
  const chunks = joinedChunks(left, right, on, joining)
  const made = joining.as.start(key, left, right)
  const first = chunks.next()
  if (first.done === true) return
  const chunk = await made.chunk(first.value)
  yield {
    key,
    columns: made.columns,
    chunks: async function* () {
      yield chunk
      for (const rows of chunks) yield await made.chunk(rows)
    },
  }
}

function checkLabels({ columns }: JoinSide, joining: Joining, side: 'left' | 'right'): void {
  for (const name of [...joining.as.columnsRead(side === 'left' ? 0 : 1)].sort()) {
    if (columns.length === 0) {
      throw new FluxError(`error preparing ${side} side of join: cannot join on an empty table`)
    }
    if (columnIndex(columns, name) < 0) throw new FluxError(joining.missingLabel(side, name))
  }
}

function joinedChunks(
  left: JoinSide,
  right: JoinSide,
  on: readonly EqualColumns[],
  { method, missingColumn }: Joining,
): ReturnType<typeof joinedRows> {
  const place = (side: JoinSide, word: 'left' | 'right', name: string): number => {
    const at = columnIndex(side.columns, name)
    if (at < 0 && side.rows.rowCount > 0) throw new FluxError(missingColumn(word, name))
    return at
  }
  const pairs = on.map((names): ColumnPair => {
    return [place(left, 'left', names.left), place(right, 'right', names.right)]
  })
  const isAlike = pairs.every(([l, r]) => left.columns[l]?.type === right.columns[r]?.type)
  if (isAlike) return joinedRows(left.rows, right.rows, pairs, method)
  return unmatched(left.rows, right.rows, method)
}

/** Columns of different types are never equal. */
function* unmatched(left: Chunk, right: Chunk, method: JoinMethod): ReturnType<typeof joinedRows> {
  const none: Chunk = { rowCount: 0, columns: [] }
  yield* joinedRows(left, none, [], method)
  yield* joinedRows(none, right, [], method)
}
