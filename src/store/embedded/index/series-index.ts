// The index of one bucket: every series, every measurement with its tags and fields. All of it is
// in memory, in byte arenas and typed arrays (about 100 bytes a series beyond its key); the index
// log makes it durable, and is replayed at start. Series are numbered in the order they came; a
// number never changes its meaning.

import type { ByteTableView } from '../../../column/byte-table.js'
import type { FieldType } from '../../../column/column.js'
import { parseSeriesKey, type Series, type SeriesKeys } from '../../../column/series.js'
import { assert } from '../../../errors.js'
import type { MeasurementSchema } from '../../store.js'
import { type SeriesKeyOptions, SeriesKeyTable } from './series-key-table.js'
import { TagColumn } from './tag-column.js'

const comma = 44
const equals = 61
const backslash = 92

export interface Field {
  /** Position among the fields of its measurement. */
  readonly id: number
  readonly name: string
  readonly type: FieldType
}

export interface NewField {
  readonly measurementId: number
  readonly name: string
  readonly type: FieldType
}

interface KnownSchema extends MeasurementSchema {
  readonly fieldCount: number
  readonly tagCount: number
}

/** After so many deletes, with this shard as the oldest. */
interface AllLive {
  readonly losses: number
  readonly oldest: bigint | undefined
}

export class Measurement {
  readonly id: number
  readonly name: string
  readonly nameBytes: Uint8Array
  readonly fields: Field[] = []
  /** The field that a name means now: one whose rows are all gone may come back with another type. */
  readonly fieldsByName = new Map<string, Field>()
  readonly tags = new Map<string, TagColumn>()
  /** By position in this measurement: the series' number. */
  seriesIds = new Uint32Array(8)
  seriesCount = 0
  /** Tag columns in the order in which the last series had them: the next one most likely has the same. */
  expectedTags: TagColumn[] = []
  /** What was last told of it, and of how many fields and tags: see schema.ts. */
  schema: KnownSchema | undefined
  /** When every series was last seen to have rows: see liveness.ts. */
  allLive: AllLive | undefined

  constructor(id: number, name: string) {
    this.id = id
    this.name = name
    this.nameBytes = Buffer.from(name)
  }
}

export class SeriesIndex implements SeriesKeys {
  /** By series number. Keys only ever come: what looks at them may keep it. */
  readonly keys: SeriesKeyTable
  readonly measurements: Measurement[] = []
  readonly #measurementsByName = new Map<string, Measurement>()
  #lastMeasurement: Measurement | undefined
  /** Keys of tags of all measurements. */
  tagKeyCount = 0
  /** Every field in the order it came, as the index log and the WAL have them. */
  readonly fieldLog: NewField[] = []

  constructor(options: SeriesKeyOptions) {
    this.keys = new SeriesKeyTable(options)
  }

  get count(): number {
    return this.keys.count
  }

  get byteLength(): number {
    let bytes = this.keys.byteLength
    for (const measurement of this.measurements) {
      bytes += measurement.seriesIds.byteLength
      for (const tag of measurement.tags.values()) bytes += tag.byteLength
    }
    return bytes
  }

  key(id: number): Uint8Array {
    return this.keys.get(id)
  }

  keyView(): ByteTableView {
    return this.keys.shareable()
  }

  measurement(name: string): Measurement | undefined {
    return this.#measurementsByName.get(name)
  }

  series(id: number): Series {
    return this.keys.series(id)
  }

  /** The number of a canonical key, or -1. */
  find(key: Uint8Array): number {
    return this.keys.findBytes(key, 0, key.length)
  }

  /** The number of a canonical key, given now if it is new. */
  intern(key: Uint8Array): number {
    const before = this.keys.count
    const id = this.keys.intern(key, 0, key.length)
    if (id === before) this.#addSeries(id, key)
    return id
  }

  addField(field: NewField): Field {
    const measurement = this.measurements[field.measurementId]
    assert(measurement !== undefined, `field ${field.name} of an unknown measurement`)
    const added: Field = { id: measurement.fields.length, name: field.name, type: field.type }
    measurement.fields.push(added)
    measurement.fieldsByName.set(field.name, added)
    this.fieldLog.push(field)
    return added
  }

  internMeasurement(name: string): Measurement {
    let measurement = this.#measurementsByName.get(name)
    if (measurement === undefined) {
      measurement = new Measurement(this.measurements.length, name)
      this.measurements.push(measurement)
      this.#measurementsByName.set(name, measurement)
    }
    return measurement
  }

  #addSeries(id: number, key: Uint8Array): void {
    const measurement = key.includes(backslash)
      ? this.#addEscapedTags(key)
      : this.#addPlainTags(key)
    const position = measurement.seriesCount++
    if (position >= measurement.seriesIds.length) {
      measurement.seriesIds = grown(measurement.seriesIds)
    }
    measurement.seriesIds[position] = id
  }

  /** A key without escapes is cut by its commas and equal signs, without making strings of what is known. */
  #addPlainTags(key: Uint8Array): Measurement {
    let stop = key.indexOf(comma)
    if (stop < 0) stop = key.length
    const measurement = this.#expectedMeasurement(key, stop)
    let order = 0
    while (stop < key.length) {
      const start = stop + 1
      let middle = start
      while (key[middle] !== equals) middle++
      stop = middle + 1
      while (stop < key.length && key[stop] !== comma) stop++
      const tag = this.#expectedTag(measurement, order++, key, start, middle)
      tag.set(measurement.seriesCount, key, middle + 1, stop)
    }
    return measurement
  }

  /** Series come in runs of one measurement: the last one's name is compared before a text is made. */
  #expectedMeasurement(key: Uint8Array, stop: number): Measurement {
    const last = this.#lastMeasurement
    if (last !== undefined && hasBytes(key, 0, stop, last.nameBytes)) return last
    this.#lastMeasurement = this.internMeasurement(text(key, 0, stop))
    return this.#lastMeasurement
  }

  #addEscapedTags(key: Uint8Array): Measurement {
    const series = parseSeriesKey(key)
    const measurement = this.internMeasurement(series.measurement)
    for (const { key: name, value } of series.tags) {
      const bytes = Buffer.from(value)
      this.#tagColumn(measurement, name).set(measurement.seriesCount, bytes, 0, bytes.length)
    }
    return measurement
  }

  #expectedTag(
    measurement: Measurement,
    order: number,
    key: Uint8Array,
    start: number,
    stop: number,
  ): TagColumn {
    const expected = measurement.expectedTags[order]
    if (expected !== undefined && hasBytes(key, start, stop, expected.keyBytes)) return expected
    const column = this.#tagColumn(measurement, text(key, start, stop))
    measurement.expectedTags[order] = column
    return column
  }

  #tagColumn(measurement: Measurement, name: string): TagColumn {
    let column = measurement.tags.get(name)
    if (column === undefined) {
      column = new TagColumn(name)
      measurement.tags.set(name, column)
      this.tagKeyCount++
    }
    return column
  }
}

function hasBytes(key: Uint8Array, start: number, stop: number, bytes: Uint8Array): boolean {
  if (stop - start !== bytes.length) return false
  for (let i = 0; i < bytes.length; i++) if (key[start + i] !== bytes[i]) return false
  return true
}

function text(bytes: Uint8Array, start: number, stop: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, stop - start).toString('utf8')
}

function grown(array: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2)
  larger.set(array)
  return larger
}
