// A row of a table as the record `r` of a row function: a view that is moved from row to row, made
// once per table. Cells become values when the function reads them. What a function keeps of a row
// must be copied (`rowCopy`): the view shows another row afterwards.

import { type Cell, type Cells, type Chunk, cellAt, type TableColumn } from '../../query/table.js'
import { PlacedRecord } from '../value/record.js'
import { type FluxRecord, type FluxValue, MapRecord, Time, Uint } from '../value/value.js'

export class RowRecord extends PlacedRecord {
  readonly columns: readonly TableColumn[]
  readonly #places: ReadonlyMap<string, number>
  #cells: readonly Cells[] = []
  row = 0

  constructor(columns: readonly TableColumn[]) {
    super()
    this.columns = columns
    this.#places = new Map(columns.map(({ name }, i) => [name, i]))
  }

  get shape(): object {
    return this.columns
  }

  /** Its rows are read from now on; `row` says which. */
  set chunk(chunk: Chunk) {
    this.#cells = chunk.columns
  }

  /** -1: there is no such column. */
  place(name: string): number {
    return this.#places.get(name) ?? -1
  }

  at(place: number): FluxValue {
    const cells = this.#cells[place]
    return valueOfCell(cells.type, cellAt(cells, this.row))
  }

  get(name: string): FluxValue | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.at(place)
  }

  names(): Iterable<string> {
    return this.#places.keys()
  }
}

/** The record as it is now. */
export function rowCopy(record: FluxRecord): MapRecord {
  const properties = new Map<string, FluxValue>()
  for (const name of record.names()) properties.set(name, record.get(name) ?? null)
  return new MapRecord(properties)
}

export function valueOfCell(type: Cells['type'], cell: Cell | null): FluxValue {
  if (cell === null) return null
  if (type === 'time') return new Time(cell as bigint)
  return type === 'uint' ? new Uint(cell as bigint) : cell
}

/** The type of column that holds such a value; undefined: none does. */
export function cellTypeOf(value: FluxValue): Cells['type'] | undefined {
  switch (typeof value) {
    case 'number':
      return 'float'
    case 'bigint':
      return 'int'
    case 'boolean':
      return 'bool'
    case 'string':
      return 'string'
    default:
      if (value instanceof Time) return 'time'
      return value instanceof Uint ? 'uint' : undefined
  }
}

/** A value for which `cellTypeOf` has an answer, or null. */
export function cellOf(value: FluxValue): Cell | null {
  if (value instanceof Time) return value.ns
  if (value instanceof Uint) return value.value
  return value as Cell | null
}
