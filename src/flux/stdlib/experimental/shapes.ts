// Functions of `experimental` that change the shape of tables. Most have the behaviour of the
// universe's with fewer choices.

import { firstNumbers } from '../../../column/first-numbers.js'
import { compareUtf8 } from '../../../column/series.js'
import type { Cells, Chunk, TableColumn } from '../../../query/table.js'
import { isNullAt } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import {
  type BatchTransform,
  batchTransformation,
  type Call,
  type Definitions,
  native,
  transformation,
} from '../../package/define.js'
import { executed } from '../../plan/planner.js'
import { constantCells, gatherCells } from '../../table/cells.js'
import { MergedTables } from '../../table/merged-tables.js'
import { cellOf, cellTypeOf } from '../../table/row-record.js'
import { columnIndex, type Table, type TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { GroupKey } from '../../value/key.js'
import { quoted } from '../../value/quote.js'
import { typeText } from '../../value/type-name.js'
import type { FluxRecord } from '../../value/value.js'
import { experimentalJoins } from '../join/tables.js'
import { changed, withConstants } from '../universe/column-changes.js'
import { distinctValues, uniqueRows } from '../universe/distinct.js'
import { filling } from '../universe/fill.js'
import { groupTables } from '../universe/group.js'
import { limitTable } from '../universe/limits.js'
import { windowCall } from '../universe/window.js'

const sameValues = '(<-tables: stream[{T with _value: A}]) => stream[{T with _value: A}]'

export const experimentalShapes: Definitions = {
  ...experimentalJoins,
  chain: native(
    '(first: stream[A], second: stream[B]) => stream[B] where A: Record, B: Record',
    chain,
  ),
  distinct: transformation(sameValues, () => distinctValues('_value')),
  fill: transformation(
    `(<-tables: stream[{T with _value: A}], ?value: A, ?usePrevious: bool)
        => stream[{T with _value: A}]`,
    filling,
  ),
  group: batchTransformation(
    '(<-tables: stream[A], mode: string, columns: [string]) => stream[A] where A: Record',
    extendKey,
  ),
  preview: transformation(
    '(<-tables: stream[A], ?nrows: int, ?ntables: int) => stream[A] where A: Record',
    (call) => {
      const rows = Number(call.int('nrows', 5n))
      const tables = Number(call.int('ntables', 5n))
      return (input) => preview(input, rows, tables)
    },
  ),
  set: batchTransformation(
    '(<-tables: stream[A], o: B) => stream[C] where A: Record, B: Record, C: Record',
    (call) => {
      const constants = constantsOf(call.record('o'))
      if (constants.size === 0) return (input) => input
      return (input, context) => changed(input, context, (shape) => withConstants(shape, constants))
    },
  ),
  unique: transformation(sameValues, () => uniqueRows('_value')),
  unpivot: transformation(
    `(<-tables: stream[{A with _time: time}], ?otherColumns: [string])
        => stream[{B with _field: string, _value: C}] where A: Record, B: Record`,
    (call) => {
      const others = call.strings('otherColumns', ['_time'])
      return (input, context) => unpivot(input, context, others)
    },
  ),
  window: native(
    `(<-tables: stream[{T with _start: time, _stop: time, _time: time}], ?every: duration,
        ?period: duration, ?offset: duration, ?location: {zone: string, offset: duration},
        ?createEmpty: bool) => stream[{T with _start: time, _stop: time, _time: time}]`,
    windowCall,
  ),
}

/** The first stream runs to its end before the second is used. */
async function chain(call: Call): Promise<ReturnType<Call['stream']>> {
  const second = call.stream('second')
  for await (const table of executed(call.stream('first'), call.context)) {
    call.context.signal.throwIfAborted()
    for await (const _ of table.chunks()) call.context.signal.throwIfAborted()
  }
  return second
}

function extendKey(call: Call): BatchTransform {
  const mode = call.string('mode')
  if (mode !== 'extend') {
    const text = 'experimental.group requires mode "extend"'
    throw new FluxError(`invalid group mode ${quoted(mode)}; ${text}`)
  }
  const names = new Set(call.strings('columns'))
  if (names.size === 0) return (input) => input
  return (input, context) =>
    groupTables(input, context, (columns, isKey) => {
      for (const name of names) {
        if (columnIndex(columns, name) < 0) throw new FluxError(`unknown column ${quoted(name)}`)
      }
      return ({ name }) => names.has(name) || isKey(name)
    })
}

async function* preview(
  input: TableStream,
  rows: number,
  tables: number,
): AsyncGenerator<Table, void, void> {
  let left = tables
  if (left === 0) return
  for await (const table of input) {
    yield limitTable(table, rows, 0)
    left--
    if (left === 0) return
  }
}

function constantsOf(record: FluxRecord): ReadonlyMap<string, ReturnType<typeof constantCells>> {
  const constants = new Map<string, ReturnType<typeof constantCells>>()
  for (const name of [...record.names()].sort(compareUtf8)) {
    const value = record.get(name) ?? null
    const type = value === null ? undefined : cellTypeOf(value)
    if (type === undefined) {
      throw new FluxError(`cannot represent the type ${typeText(value)} as column data`)
    }
    constants.set(name, constantCells(type, cellOf(value)))
  }
  return constants
}

/** Each column outside the key becomes a table with its name in `_field` and its cells in `_value`. */
async function* unpivot(
  input: TableStream,
  context: FluxContext,
  others: readonly string[],
): AsyncGenerator<Table, void, void> {
  const merged = new MergedTables(context.memory)
  for await (const table of input) {
    context.signal.throwIfAborted()
    if (columnIndex(table.columns, '_field') >= 0 || columnIndex(table.columns, '_value') >= 0) {
      throw new FluxError('unpivot can\'t have "_field" or "_value" as an input column')
    }
    const unpivoted = table.columns.flatMap(({ name }, place) => {
      return table.key.has(name) || others.includes(name)
        ? []
        : [new UnpivotedColumn(table, place, others)]
    })
    for await (const chunk of table.chunks()) {
      context.signal.throwIfAborted()
      for (const column of unpivoted) {
        merged.table(column.key).add(column.columns, column.chunk(chunk))
      }
    }
  }
  yield* merged.tables()
}

class UnpivotedColumn {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
  readonly #place: number
  readonly #sources: readonly (number | Cells)[]

  constructor(table: Table, place: number, others: readonly string[]) {
    const { name: field, type } = table.columns[place]
    const columns: TableColumn[] = table.columns.filter(({ name }) => table.key.has(name))
    const sources: (number | Cells)[] = columns.map(({ name }) => columnIndex(table.columns, name))
    const isFieldOther = others.includes('_field')
    const add = (column: TableColumn, source: number | Cells): void => {
      columns.push(column)
      sources.push(source)
    }
    if (!isFieldOther) add({ name: '_field', type: 'string' }, constantCells('string', field))
    for (const name of others) {
      const at = columnIndex(table.columns, name)
      if (name === '_field') add({ name, type: 'string' }, constantCells('string', field))
      else if (at < 0) throw new FluxError(`unpivot could not find column named ${quoted(name)}`)
      else add(table.columns[at], at)
    }
    add({ name: '_value', type }, place)
    const entry = { name: '_field', type: 'string', value: field } as const
    this.key = isFieldOther ? table.key : GroupKey.of([...table.key.entries, entry])
    this.columns = columns
    this.#place = place
    this.#sources = sources
  }

  /** Rows without a value are left out. */
  chunk(chunk: Chunk): Chunk {
    const values = chunk.columns[this.#place]
    const all = firstNumbers(chunk.rowCount)
    const rows = all.filter((row) => !isNullAt(values, row))
    const columns = this.#sources.map((source) =>
      typeof source === 'number' ? gatherCells(chunk.columns[source], rows) : source,
    )
    return { rowCount: rows.length, columns }
  }
}
