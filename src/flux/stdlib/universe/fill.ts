// `fill`: a value, or the one before, where a column has none. Chunk by chunk; the last value is carried
// along.

import type { Cell, Cells, CellType, Chunk, TableColumn, ValueCells } from '../../../query/table.js'
import { cellAt } from '../../../query/table.js'
import {
  type Call,
  type Definitions,
  type Transform,
  transformation,
} from '../../package/define.js'
import { constantCells, expandCells } from '../../table/cells.js'
import { CellsBuilder } from '../../table/cells-builder.js'
import { cellOf, cellTypeOf } from '../../table/row-record.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'

const type = `(<-tables: stream[A], ?column: string, ?value: B, ?usePrevious: bool) => stream[C]
  where A: Record, C: Record`

export const fills: Definitions = {
  fill: transformation(type, filling),
}

interface FillValue {
  readonly type: CellType
  readonly cell: Cell
}

export function filling(call: Call): Transform {
  const column = call.string('column', '_value')
  const value = call.has('value') ? fillValue(call) : undefined
  if (call.has('usePrevious') === call.has('value')) {
    throw new FluxError('fill requires exactly one of value or usePrevious')
  }
  const usesPrevious = call.has('usePrevious') && call.bool('usePrevious')
  // Asked not to use the one before and given nothing else, there is nothing to fill with.
  if (value === undefined && !usesPrevious) return (input) => input
  return (input) => mapTables(input, (table) => fillTable(table, column, value))
}

function fillValue(call: Call): FillValue {
  const value = call.required('value')
  const type = value === null ? undefined : cellTypeOf(value)
  if (type === undefined) {
    const types = '(bool, int, uint, float, string, time)'
    throw new FluxError(`value type for fill must be a valid primitive type ${types}`)
  }
  return { type, cell: cellOf(value)! }
}

function fillTable(table: Table, name: string, value: FillValue | undefined): Table {
  const place = columnIndex(table.columns, name)
  if (place < 0) return value === undefined ? table : withColumn(table, name, value)
  const { type } = table.columns[place]
  if (value !== undefined && value.type !== type) {
    throw new FluxError(`fill column type mismatch: ${type}/${value.type}`)
  }
  const entry = table.key.entry(name)
  if (entry !== undefined) {
    if (entry.value !== null || value === undefined) return table
    const key = table.key.with({ ...entry, value: value.cell })
    return changedTable(table, { key, columns: table.columns }, (chunk) =>
      replaced(chunk, place, constantCells(type, value.cell)),
    )
  }
  let last: Cell | null = value?.cell ?? null
  const fillChunk = (chunk: Chunk): Chunk => {
    const cells = filled(chunk.columns[place], chunk.rowCount, last, value === undefined)
    if (value === undefined && chunk.rowCount > 0) last = cellAt(cells, chunk.rowCount - 1)
    return replaced(chunk, place, cells)
  }
  return changedTable(table, table, fillChunk)
}

function withColumn(table: Table, name: string, { type, cell }: FillValue): Table {
  const columns: TableColumn[] = [...table.columns, { name, type }]
  const cells = constantCells(type, cell)
  return changedTable(table, { key: table.key, columns }, ({ rowCount, columns: own }) => {
    return { rowCount, columns: [...own, cells] }
  })
}

function changedTable(
  table: Table,
  { key, columns }: Pick<Table, 'key' | 'columns'>,
  change: (chunk: Chunk) => Chunk,
): Table {
  return {
    key,
    columns,
    chunks: async function* () {
      for await (const chunk of table.chunks()) yield change(chunk)
    },
  }
}

function replaced({ rowCount, columns }: Chunk, place: number, cells: Cells): Chunk {
  return { rowCount, columns: columns.map((own, i) => (i === place ? cells : own)) }
}

/** `previous`: what stands before the first row; with `isMoving`, each value takes its place in turn. */
function filled(cells: Cells, rowCount: number, previous: Cell | null, isMoving: boolean): Cells {
  if (cells.kind === 'constant') {
    return cells.value === null ? constantCells(cells.type, previous) : cells
  }
  if (cells.validity === undefined) return cells
  if (cells.type !== 'float' || isMoving) return filledOneByOne(cells, rowCount, previous, isMoving)
  const values = cells.values.slice(0, rowCount)
  for (let row = 0; row < rowCount; row++) {
    if (cells.validity[row] === 0) values[row] = previous as number
  }
  return { ...cells, values, validity: undefined }
}

function filledOneByOne(
  cells: ValueCells,
  rowCount: number,
  previous: Cell | null,
  isMoving: boolean,
): Cells {
  const builder = new CellsBuilder(cells.type, rowCount)
  const { validity } = expandCells(cells, rowCount)
  let last = previous
  for (let row = 0; row < rowCount; row++) {
    if (validity![row] === 0) builder.push(last)
    else {
      builder.pushFrom(cells, row)
      if (isMoving) last = cellAt(cells, row)
    }
  }
  return builder.finish()
}
