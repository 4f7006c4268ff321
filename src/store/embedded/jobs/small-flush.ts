// Flushing the small tables of a shard: they are handed over as the pages they lie in and one list of bytes, whatever
// their number, since a message of a hundred thousand arrays takes longer to send than to write. Each becomes one row
// group.
//
//   varint tables; per table: text measurement; varint address + 1 of its newest chunk; varint rows
//     varint fields; per field, by number: text name, u8 type

import { type FieldType, fieldTypes } from '../../../column/column.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { ByteWriter } from '../encoding/byte-writer.js'
import { sortByKey } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import { gatherRows, pickRows } from '../rows/picked-rows.js'
import { isAscending } from '../rows/rows.js'
import { SlabPages } from '../rows/slab-pages.js'
import { SlabRows } from '../rows/slab-rows.js'
import type { FieldEntry } from '../segment/directory.js'
import type { SegmentWriter } from '../segment/writer.js'

/** A small table on the side that fills it. */
export interface SmallEntry {
  readonly measurement: string
  /** By field number. */
  readonly fields: readonly FieldEntry[]
  readonly last: number
  readonly rowCount: number
}

/** What crosses to the thread that flushes. */
export interface SmallTables {
  readonly pages: readonly ArrayBufferLike[]
  readonly list: Uint8Array
}

export function packSmallTables(pages: SlabPages, entries: readonly SmallEntry[]): SmallTables {
  const writer = new ByteWriter(1 << 12)
  writer.varint(entries.length)
  for (const { measurement, fields, last, rowCount } of entries) {
    writer.text(measurement)
    writer.varint(last)
    writer.varint(rowCount)
    writer.varint(fields.length)
    for (const { name, type } of fields) {
      writer.text(name)
      writer.u8(fieldTypes.indexOf(type))
    }
  }
  return { pages: pages.pages.map(({ buffer }) => buffer), list: writer.written().slice() }
}

/** A small table on the side that flushes it; its fields are read when it is written. */
export class SmallFlush {
  readonly measurement: string
  readonly #pages: SlabPages
  readonly #last: number
  readonly #rowCount: number
  readonly #fields: readonly FieldEntry[]

  constructor(pages: SlabPages, reader: ByteReader) {
    this.#pages = pages
    this.measurement = reader.text()
    this.#last = reader.varint()
    this.#rowCount = reader.varint()
    this.#fields = Array.from({ length: reader.varint() }, () => ({
      name: reader.text(),
      type: fieldTypes[reader.u8()],
    }))
  }

  async write(writer: SegmentWriter, keys: SeriesKeyView): Promise<void> {
    const rows = new SlabRows(this.#pages, this.#last, this.#rowCount)
    const fieldIds = Uint32Array.from(rows.fields().keys()).sort()
    const fields = Array.from(fieldIds, (fieldId) => this.#fields[fieldId])
    const types = fields.map(({ type }): FieldType => type)
    const columns = Array.from(fieldIds, (fieldId, f) => rows.column(fieldId, types[f]))
    writer.beginMeasurement(this.measurement, fields)
    const { rowCount, offsets } = rows
    const series = Uint32Array.from(new Set(rows.series))
    if (series.length === 1 && isAscending(offsets, 0, rowCount)) {
      return writer.addGroup([series[0]], [rowCount], { rowCount, offsets, columns })
    }
    sortByKey(series, keys)
    const { picks, ends } = inOrderOf(rows.series, series)
    let isOrdered = true
    for (let s = 0, start = 0; s < ends.length; start = ends[s++]) {
      for (let i = start + 1; i < ends[s]; i++) {
        if (!(offsets[picks[i - 1]] < offsets[picks[i]])) isOrdered = false
      }
    }
    if (isOrdered) {
      const counts = Array.from(ends, (end, s) => (s === 0 ? end : end - ends[s - 1]))
      const sorted = gatherRows(picks, offsets, columns, types)
      return writer.addGroup([...series], counts, sorted)
    }
    for (let s = 0, start = 0; s < ends.length; start = ends[s++]) {
      const ofSeries = pickRows(picks.subarray(start, ends[s]), offsets, columns, types)
      await writer.addSeries(series[s], ofSeries)
    }
  }
}

export function unpackSmallTables({ pages, list }: SmallTables): SmallFlush[] {
  const slab = new SlabPages(pages)
  const reader = new ByteReader(list, 'memory')
  return Array.from({ length: reader.varint() }, () => new SmallFlush(slab, reader))
}

/** Rows by series, in the order of `series`, each in the order of arrival, and where each ends. */
function inOrderOf(
  seriesOfRows: Uint32Array,
  series: Uint32Array,
): { picks: Uint32Array; ends: Uint32Array } {
  const rank = new Map(Array.from(series, (id, s) => [id, s]))
  const next = new Uint32Array(series.length + 1)
  for (const id of seriesOfRows) next[rank.get(id)! + 1]++
  for (let s = 0; s < series.length; s++) next[s + 1] += next[s]
  const picks = new Uint32Array(seriesOfRows.length)
  for (let row = 0; row < seriesOfRows.length; row++)
    picks[next[rank.get(seriesOfRows[row])!]++] = row
  return { picks, ends: next.subarray(0, series.length) }
}
