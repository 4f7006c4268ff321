// What a call of `pivot` asks of tables: which columns tell rows apart, which name new columns, and what stays; the
// same for tables one by one and for batches of them.

import {
  type Cell,
  type Cells,
  type Chunk,
  cellAt,
  type TableColumn,
} from '../../../query/table.js'
import { columnIndex } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'
import { timeText } from '../../value/time.js'

export interface Pivoting {
  readonly rowKey: readonly string[]
  readonly columnKey: readonly string[]
  readonly valueColumn: string
  /** What leaves the keys of tables. */
  readonly dropped: ReadonlySet<string>
  /** Series of a store come in the order of their times; what is made of several is to be so too. */
  readonly isInOrder: boolean
}

/** Where the columns of a call stand in a table. */
export interface PivotPlaces {
  readonly rowKey: readonly number[]
  readonly columnKey: readonly number[]
  readonly value: number
}

export function pivotPlaces(
  columns: readonly TableColumn[],
  { rowKey, columnKey, valueColumn }: Pivoting,
): PivotPlaces {
  const place = (name: string, failure: string): number => {
    const at = columnIndex(columns, name)
    if (at < 0) throw new FluxError(`${failure} does not exist in table: ${name}`)
    return at
  }
  return {
    rowKey: rowKey.map((name) => place(name, 'specified row key column')),
    value: place(valueColumn, 'specified value column'),
    columnKey: columnKey.map((name) => place(name, 'specified column')),
  }
}

/** What is kept of a table: its key, as far as it stays, and the row key. */
export function keptColumns(
  columns: readonly TableColumn[],
  isKey: (name: string) => boolean,
  { valueColumn, rowKey }: Pivoting,
): readonly TableColumn[] {
  return columns.filter(
    ({ name }) => name !== valueColumn && (isKey(name) || rowKey.includes(name)),
  )
}

/** The name of the column that the value of a row goes into. */
export function pivotLabel(chunk: Chunk, columnKey: readonly number[], row: number): string {
  let label = ''
  for (const place of columnKey) {
    const cells = chunk.columns[place]
    if (label !== '') label += '_'
    label += labelText(cells.type, cellAt(cells, row))
  }
  return label
}

export function checkLabel(label: string, kept: readonly TableColumn[]): void {
  if (columnIndex(kept, label) < 0) return
  const name = quoted(label)
  const text = `value ${name} appears in a column key column, but a column named ${name} already exists`
  throw new FluxError(`${text}; consider renaming ${name} to something else before pivoting`)
}

function labelText(type: Cells['type'], cell: Cell | null): string {
  if (cell === null) return 'null'
  if (type === 'time') return timeText(cell as bigint)
  return type === 'float' ? exponentText(cell as number) : String(cell)
}

/** `1.5E+00`: one digit before the point, at least two in the exponent. */
function exponentText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  const [mantissa, exponent] = (Object.is(value, -0) ? '-0e+0' : value.toExponential()).split('e')
  return `${mantissa}E${exponent[0]}${exponent.slice(1).padStart(2, '0')}`
}
