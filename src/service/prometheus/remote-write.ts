// Prometheus' remote write: a snappy block with a protobuf message, as line protocol. As InfluxDB 1.x has it: the
// metric is the measurement, its labels are tags (its name stays among them), the sample is the field `value`. Line
// protocol has no word for NaN and infinities, which are left out; so are stale markers, which are NaN.
//
//   WriteRequest  1: TimeSeries, repeated
//   TimeSeries    1: Label, repeated   2: Sample, repeated
//   Label         1: name   2: value
//   Sample        1: value, double   2: milliseconds since 1970, int64

import { compareUtf8, seriesKey, type Tag } from '../../column/series.js'
import { UserError } from '../../errors.js'
import { DamageError } from '../../tsm/encoding/damage.js'
import { decompressSnappy } from '../../tsm/encoding/snappy.js'
import { readMessage, signed, textOf } from '../../tsm/metadata/protobuf-reader.js'

export const nameLabel = '__name__'
export const valueField = 'value'

/** As InfluxDB calls what has no name. */
const unnamed = 'prom_metric_not_specified'

/** Throws UserError where it is no such message. */
export function unpackMessage(body: Uint8Array, bytesMax: number): Uint8Array {
  return judged(() => decompressSnappy(body, bytesMax))
}

/** Lines in milliseconds. */
export function linesOfWrite(message: Uint8Array): Uint8Array {
  const lines: string[] = []
  judged(() => {
    for (const { number, bytes } of readMessage(message)) {
      if (number === 1) addSeries(bytes, lines)
    }
  })
  return Buffer.from(lines.join(''))
}

export function judged<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    throw new UserError('invalid', `unable to decode the message: ${error.message}`)
  }
}

function addSeries(message: Uint8Array, lines: string[]): void {
  const tags: Tag[] = []
  const samples: Uint8Array[] = []
  for (const { number, bytes } of readMessage(message)) {
    if (number === 2) samples.push(bytes)
    else if (number === 1) {
      const tag = labelOf(bytes)
      if (tag.key !== '' && tag.value !== '') tags.push(tag)
    }
  }
  const measurement = tags.find(({ key }) => key === nameLabel)?.value ?? unnamed
  tags.sort((a, b) => compareUtf8(a.key, b.key))
  const key = seriesKey({ measurement, tags })
  for (const sample of samples) {
    const { value, milliseconds } = sampleOf(sample)
    if (Number.isFinite(value)) lines.push(`${key} ${valueField}=${value} ${milliseconds}\n`)
  }
}

function labelOf(message: Uint8Array): Tag {
  let [key, value] = ['', '']
  for (const { number, bytes } of readMessage(message)) {
    if (number === 1) key = storable(textOf(bytes))
    else if (number === 2) value = storable(textOf(bytes))
  }
  return { key, value }
}

/** Line protocol has no line feed in a tag, and no backslash at its end. */
function storable(text: string): string {
  return text.replaceAll('\n', '\\n').replace(/\\+$/, '')
}

function sampleOf(message: Uint8Array): { value: number; milliseconds: bigint } {
  let value = 0
  let milliseconds = 0n
  for (const field of readMessage(message)) {
    const { number, bytes } = field
    if (number === 1 && bytes.length === 8) {
      value = new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true)
    } else if (number === 2) milliseconds = signed(field.value)
  }
  return { value, milliseconds }
}
