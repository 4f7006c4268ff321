// Records that a function of a script makes row by row, on their way into columns: one column for each
// property, sorted by name. The first record says which properties there are.

import { compareUtf8 } from '../../../column/series.js'
import type { TableColumn } from '../../../query/table.js'
import { ValuesBuilder } from '../../table/values-builder.js'
import { FluxError } from '../../value/error.js'
import { ExtendedRecord, PlacedRecord } from '../../value/record.js'
import { typeName } from '../../value/type-name.js'
import type { FluxRecord, FluxValue } from '../../value/value.js'

export interface RecordProperty {
  readonly name: string
  /** The column of the table that it is, row for row. */
  readonly from: number | undefined
  readonly builder: ValuesBuilder | undefined
}

/** The properties of the records of one chunk, each on its way into a column. */
export class RecordColumns {
  readonly properties: readonly RecordProperty[]
  readonly #built: readonly RecordProperty[]
  #shape: object | undefined
  #places: readonly number[] = []

  /** `row`: what all records extend; undefined: they may be anything. */
  constructor(
    row: FluxRecord | undefined,
    first: FluxRecord,
    columns: readonly TableColumn[] | undefined,
  ) {
    const extension = first instanceof ExtendedRecord && first.base === row ? first : undefined
    const names = columns?.map(({ name }) => name) ?? [...first.names()].sort(compareUtf8)
    this.properties = names.map((name) => {
      const source = extension?.layout.sources[extension.place(name)] ?? -1
      const type = columns?.find((column) => column.name === name)?.type
      return source >= 0
        ? { name, from: source, builder: undefined }
        : { name, from: undefined, builder: new ValuesBuilder(name, type, unsupported) }
    })
    this.#built = this.properties.filter(({ builder }) => builder !== undefined)
  }

  property(name: string): RecordProperty {
    return this.properties.find((property) => property.name === name)!
  }

  push(record: FluxRecord): void {
    if (!(record instanceof PlacedRecord)) {
      for (const { name, builder } of this.#built) builder!.push(record.get(name) ?? null)
      return
    }
    if (record.shape !== this.#shape) {
      this.#shape = record.shape
      this.#places = this.#built.map(({ name }) => record.place(name))
    }
    for (let i = 0; i < this.#built.length; i++) {
      const place = this.#places[i]
      this.#built[i].builder!.push(place < 0 ? null : record.at(place))
    }
  }
}

function unsupported(name: string, value: FluxValue): FluxError {
  const text = `map object property "${name}" is ${typeName(value)} type which is not supported in a flux table`
  return new FluxError(text)
}
