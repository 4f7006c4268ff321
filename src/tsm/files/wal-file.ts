// A segment of InfluxDB's write-ahead log: what was written and deleted, in order, and has not gone into a TSM file.
//
//   entry: type u8 (1 write, 2 delete, 3 delete a range) | length u32 | snappy
//   write, per key: type u8 | length u16 | key | count u32 | per value: time i64 | value
//     values: 1 float, 2 integer (8 bytes), 3 boolean (a byte), 4 string (length u32, bytes), 5 unsigned (8 bytes)
//   delete: keys as lines;  delete a range: min i64 | max i64 | per key: length u32 | key
//
// A log that is being written to may end within an entry: what is behind the last whole one is left out.

import type { FieldType, Value } from '../../column/column.js'
import { timeMax, timeMin } from '../../column/time.js'
import { CorruptionError } from '../../errors.js'
import { ByteCursor } from '../encoding/byte-cursor.js'
import { DamageError } from '../encoding/damage.js'
import { decompressSnappy } from '../encoding/snappy.js'
import { binaryText } from './tombstones.js'

/** Keys are texts whose characters are bytes. */
export interface WalSink {
  write(key: string, type: FieldType, times: readonly bigint[], values: readonly Value[]): void
  /** Both ends are included. */
  deleteRange(key: string, min: bigint, max: bigint): void
}

/** One entry holds the points of one request: 25 MB of text and less. */
const entryBytesMax = 1 << 30

const types: readonly (FieldType | undefined)[] = [
  undefined,
  'float',
  'integer',
  'boolean',
  'string',
  'unsigned',
]

/** Throws CorruptionError for a whole entry that cannot be read. */
export function readWal(name: string, bytes: Uint8Array, sink: WalSink): void {
  const cursor = new ByteCursor(bytes)
  while (bytes.length - cursor.at > 5) {
    const start = cursor.at
    const type = cursor.uint8()
    const length = cursor.uint32()
    if (length > bytes.length - cursor.at) return
    try {
      const entry = new ByteCursor(decompressSnappy(cursor.take(length), entryBytesMax))
      readEntry(type, entry, sink)
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      throw new CorruptionError(name, start, error.message)
    }
  }
}

function readEntry(type: number, entry: ByteCursor, sink: WalSink): void {
  if (type === 1) {
    while (!entry.isAtEnd) readWrite(entry, sink)
    return
  }
  if (type === 2) {
    for (const key of binaryText(entry.take(entry.end)).split('\n')) {
      if (key !== '') sink.deleteRange(key, timeMin - 2n, timeMax + 1n)
    }
    return
  }
  if (type !== 3) throw new DamageError(`an entry has the unknown type ${type}`)
  const min = entry.int64()
  const max = entry.int64()
  while (!entry.isAtEnd) sink.deleteRange(binaryText(entry.take(entry.uint32())), min, max)
}

function readWrite(entry: ByteCursor, sink: WalSink): void {
  const type = types[entry.uint8()]
  if (type === undefined) throw new DamageError('the type of its values is unknown')
  const key = binaryText(entry.take(entry.uint16()))
  const count = entry.uint32()
  const times: bigint[] = []
  const values: Value[] = []
  for (let i = 0; i < count; i++) {
    times.push(entry.int64())
    values.push(readValue(entry, type))
  }
  sink.write(key, type, times, values)
}

function readValue(entry: ByteCursor, type: FieldType): Value {
  switch (type) {
    case 'float':
      return entry.float64()
    case 'integer':
      return entry.int64()
    case 'unsigned':
      return entry.uint64()
    case 'boolean':
      return entry.uint8() !== 0
    case 'string':
      return binaryText(entry.take(entry.uint32()))
  }
}
