// The index of one bucket: every series, every measurement with its tags and fields. All of it is
// in memory, in byte arenas and typed arrays (about 100 bytes a series beyond its key); the index
// log makes it durable, and is replayed at start. Series are numbered in the order they came; a
// number never changes its meaning and is never given again. Nothing is taken out of an index: where series have left,
// a new one without them takes its place (maintenance/index-rewrite.ts).

import { SourceView } from '../../../column/byte-table.js'
import { parseSeriesKey, type Series } from '../../../column/series.js'
import { assert } from '../../../errors.js'
import type { MeasurementSchema } from '../../store.js'
import type { FieldRecord } from './field-record.js'
import { type SeriesKeyOptions, SeriesKeyTable, type SeriesKeyView } from './series-key-table.js'
import { TagColumn } from './tag-column.js'

const comma = 44
const equals = 61
const backslash = 92

export interface Field extends FieldRecord {
  /** Position among the fields of its measurement. */
  readonly id: number
}

export interface NewField extends FieldRecord {
  readonly measurementId: number
}

interface KnownSchema extends MeasurementSchema {
  readonly fieldCount: number
  readonly tagCount: number
}

/** After so many deletes, with this shard as the oldest: until either changes, rows only come. */
interface SeenRows {
  readonly losses: number
  readonly oldest: bigint | undefined
}

export class Measurement {
  readonly id: number
  readonly name: string
  readonly nameBytes: Uint8Array
  readonly fields: Field[] = []
  /**
   * The field that a name means now. When the last row has gone and others come, the measurement begins anew: fields of
   * before have no name any longer, and one that comes back may have another type.
   */
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
  allLive: SeenRows | undefined
  /** When it was last seen to have rows, or began anew: see admission.ts. */
  anyLive: SeenRows | undefined

  constructor(id: number, name: string) {
    this.id = id
    this.name = name
    this.nameBytes = Buffer.from(name)
  }
}

export class SeriesIndex {
  /** By series number. Keys only ever come: what looks at them may keep it. */
  readonly keys: SeriesKeyTable
  /** All there are. */
  readonly measurements: Measurement[] = []
  readonly #measurementsById = new Map<number, Measurement>()
  /** The number that the next new measurement gets; never given again either. */
  nextMeasurement = 0
  readonly #measurementsByName = new Map<string, Measurement>()
  #lastMeasurement: Measurement | undefined
  /** Keys of tags of all measurements. */
  tagKeyCount = 0
  /** Every field in the order it came, as the index log and the WAL have them, from the first that is listed on. */
  readonly fieldLog: NewField[] = []
  /** Of all measurements that there are. */
  fieldsThere = 0
  /** Of the keys, and of the values of all tags. */
  readonly #source: SourceView
  /** Fields that came before those listed. */
  #fieldsBefore = 0

  constructor(options: SeriesKeyOptions) {
    this.#source = options.source ?? new SourceView()
    this.keys = new SeriesKeyTable({ ...options, source: this.#source })
  }

  /** How many series there are. */
  get size(): number {
    return this.keys.size
  }

  /** The number that the next new series gets. */
  get next(): number {
    return this.keys.next
  }

  /** How many fields ever came. */
  get fieldCount(): number {
    return this.#fieldsBefore + this.fieldLog.length
  }

  /** Those that came as the number `first` and later. */
  fieldsFrom(first: number): readonly NewField[] {
    return this.fieldLog.slice(first - this.#fieldsBefore)
  }

  /** What comes next has numbers from these on, whatever is there; `listed` are the last of the fields. */
  goOnFrom(
    next: { series: number; measurement: number; field: number },
    listed: readonly NewField[] = [],
  ): void {
    this.keys.next = Math.max(this.next, next.series)
    this.nextMeasurement = Math.max(this.nextMeasurement, next.measurement)
    this.#fieldsBefore = next.field - listed.length
    this.fieldLog.splice(0, this.fieldLog.length, ...listed)
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
    return this.keys.key(id)
  }

  /** Those of the number `first` and later, one at a time. */
  keysFrom(first: number): Iterable<Uint8Array> & { readonly length: number } {
    const { keys } = this
    const { next } = keys
    return {
      length: next - first,
      *[Symbol.iterator]() {
        for (let id = first; id < next; id++) yield keys.key(id)
      },
    }
  }

  keyView(): SeriesKeyView {
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
    return this.keys.numberOf(key)
  }

  /** The number of a canonical key, given now if it is new. */
  intern(key: Uint8Array): number {
    const known = this.find(key)
    if (known >= 0) return known
    const id = this.next
    this.add(id, key)
    return id
  }

  /** A series that is not there, with a number of its own. Within a measurement numbers rise. */
  add(id: number, key: Uint8Array): void {
    this.keys.set(id, key)
    this.#addSeries(id, key)
  }

  addField(field: NewField): Field {
    const measurement = this.#measurementsById.get(field.measurementId)
    assert(measurement !== undefined, `field ${field.name} of an unknown measurement`)
    this.fieldLog.push(field)
    return this.addOldField(measurement, field)
  }

  /** One that came before those that are listed. */
  addOldField(measurement: Measurement, { name, type, beginsAnew }: FieldRecord): Field {
    const { fields, fieldsByName } = measurement
    const added: Field = { id: fields.length, name, type, beginsAnew }
    fields.push(added)
    const before = fieldsByName.size
    if (beginsAnew) fieldsByName.clear()
    fieldsByName.set(name, added)
    this.fieldsThere += fieldsByName.size - before
    return added
  }

  internMeasurement(name: string): Measurement {
    return this.#measurementsByName.get(name) ?? this.addMeasurement(this.nextMeasurement, name)
  }

  /** One that is not there, with a number of its own. */
  addMeasurement(id: number, name: string): Measurement {
    const measurement = new Measurement(id, name)
    this.measurements.push(measurement)
    this.#measurementsById.set(id, measurement)
    this.#measurementsByName.set(name, measurement)
    if (id >= this.nextMeasurement) this.nextMeasurement = id + 1
    return measurement
  }

  /** By its number. */
  measurementOf(id: number): Measurement {
    const measurement = this.#measurementsById.get(id)
    assert(measurement !== undefined, `measurement ${id} is not known`)
    return measurement
  }

  hasMeasurement(id: number): boolean {
    return this.#measurementsById.has(id)
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
      column = new TagColumn(name, this.#source)
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
