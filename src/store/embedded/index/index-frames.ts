// What the frames of an index log hold, written and read back: index-log.ts has the drawing, and says when which kind
// of frame is written.

import type { ByteReader } from '../encoding/byte-reader.js'
import type { ByteWriter } from '../encoding/byte-writer.js'
import { readField, writeField } from './field-record.js'
import type { Field, Measurement, SeriesIndex } from './series-index.js'

const kindAdded = 0
const kindKept = 1
const kindNames = 2

/** Series and fields that came as these numbers and later. */
export function writeAdded(
  writer: ByteWriter,
  index: SeriesIndex,
  firstSeries: number,
  firstField: number,
  version: number,
): void {
  if (version > 1) writer.u8(kindAdded)
  writer.varint(index.next - firstSeries)
  for (let id = firstSeries; id < index.next; id++) writer.blob(index.key(id))
  const fields = index.fieldsFrom(firstField)
  writer.varint(fields.length)
  for (const field of fields) {
    writer.varint(field.measurementId)
    writeField(writer, field)
  }
}

/** Numbers rise. */
export function writeKept(writer: ByteWriter, index: SeriesIndex, ids: readonly number[]): void {
  writer.u8(kindKept)
  writer.varint(ids.length)
  let before = 0
  for (const id of ids) {
    writer.varint(id - before)
    writer.blob(index.key(id))
    before = id
  }
}

export interface NamedFields {
  readonly measurement: Measurement
  /** Those that are not in the log yet. */
  readonly fields: readonly Field[]
}

/** `index` says which numbers come next. */
export function writeNames(
  writer: ByteWriter,
  index: SeriesIndex,
  named: readonly NamedFields[],
): void {
  writer.u8(kindNames)
  writer.varint(index.next)
  writer.varint(index.nextMeasurement)
  writer.varint(index.fieldCount)
  writer.varint(named.length)
  for (const { measurement, fields } of named) {
    writer.varint(measurement.id)
    writer.text(measurement.name)
    writer.varint(fields.length)
    for (const field of fields) writeField(writer, field)
  }
}

export function replayFrame(payload: ByteReader, index: SeriesIndex, version: number): void {
  const kind = version === 1 ? kindAdded : payload.u8()
  if (kind === kindAdded) replayAdded(payload, index)
  else if (kind === kindKept) replayKept(payload, index)
  else if (kind === kindNames) replayNames(payload, index)
  else payload.fail(`unknown kind of frame ${kind}`)
}

function replayAdded(payload: ByteReader, index: SeriesIndex): void {
  const seriesCount = payload.varint()
  for (let i = 0; i < seriesCount; i++) index.add(index.next, payload.blob())
  const fieldCount = payload.varint()
  for (let i = 0; i < fieldCount; i++) {
    const measurementId = payload.varint()
    const { name, type, beginsAnew } = readField(payload)
    if (!index.hasMeasurement(measurementId)) payload.fail('field of no measurement')
    index.addField({ measurementId, name, type, beginsAnew })
  }
}

function replayKept(payload: ByteReader, index: SeriesIndex): void {
  const count = payload.varint()
  let id = 0
  for (let i = 0; i < count; i++) {
    id += payload.varint()
    if (index.keys.has(id)) payload.fail(`series ${id} is there twice`)
    index.add(id, payload.blob())
  }
}

function replayNames(payload: ByteReader, index: SeriesIndex): void {
  const next = {
    series: payload.varint(),
    measurement: payload.varint(),
    field: payload.varint(),
  }
  const count = payload.varint()
  for (let i = 0; i < count; i++) {
    const id = payload.varint()
    const name = payload.text()
    const measurement = index.hasMeasurement(id)
      ? index.measurementOf(id)
      : index.addMeasurement(id, name)
    const fieldCount = payload.varint()
    for (let f = 0; f < fieldCount; f++) index.addOldField(measurement, readField(payload))
  }
  index.goOnFrom(next)
}
