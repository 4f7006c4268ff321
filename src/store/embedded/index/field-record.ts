// A field as the index log and the WAL name it: its name, then a byte with its type. The highest bit of that byte says
// that the measurement had no rows left when the field came: whatever fields it had before, it has no longer.

import { type FieldType, fieldTypes } from '../../../column/column.js'
import type { ByteReader } from '../encoding/byte-reader.js'
import type { ByteWriter } from '../encoding/byte-writer.js'

export interface FieldRecord {
  readonly name: string
  readonly type: FieldType
  /** The first field of a measurement whose rows were all gone. */
  readonly beginsAnew: boolean
}

const flagBeginsAnew = 0x80

export function writeField(writer: ByteWriter, { name, type, beginsAnew }: FieldRecord): void {
  writer.text(name)
  writer.u8(fieldTypes.indexOf(type) | (beginsAnew ? flagBeginsAnew : 0))
}

export function readField(reader: ByteReader): FieldRecord {
  const name = reader.text()
  const code = reader.u8()
  const type = fieldTypes[code & ~flagBeginsAnew] ?? reader.fail('unknown field type')
  return { name, type, beginsAnew: (code & flagBeginsAnew) !== 0 }
}
