// Answers that are there as a whole: a schema and one record batch, made from lists of plain values. For
// metadata, which has some hundred rows; results of queries go another way.

import { type ArrowBatch, type ArrowVector, arrowBatch } from '../result/arrow-batch.js'
import { TextBuilder } from '../result/arrow-builders.js'
import { type ArrowField, type ArrowSchema, arrowSchema } from '../result/arrow-schema.js'

export interface FixedAnswer {
  readonly schema: ArrowSchema
  readonly batch: ArrowBatch
}

export interface AnswerColumn {
  readonly field: ArrowField
  readonly vector: ArrowVector
}

export function fixedAnswer(rowCount: number, columns: readonly AnswerColumn[]): FixedAnswer {
  const schema = arrowSchema(columns.map(({ field }) => field))
  const vectors = columns.map(({ vector }) => vector)
  return { schema, batch: arrowBatch(rowCount, vectors) }
}

const encoder = new TextEncoder()

export function textVector(texts: readonly (string | Uint8Array | null)[]): ArrowVector {
  const builder = new TextBuilder()
  for (const text of texts) {
    const bytes = typeof text === 'string' ? encoder.encode(text) : (text ?? undefined)
    builder.appendSame(bytes, 1)
  }
  return builder.take()
}

export function textColumn(
  name: string,
  texts: readonly (string | null)[],
  isNullable = false,
): AnswerColumn {
  return { field: { name, type: { kind: 'utf8' }, isNullable }, vector: textVector(texts) }
}

export function bytesColumn(name: string, values: readonly Uint8Array[]): AnswerColumn {
  const field = { name, type: { kind: 'binary' }, isNullable: false } as const
  return { field, vector: textVector(values) }
}

/** Whole numbers of 8 or 32 bits; `isSigned` is a matter of the field alone. */
export function numberVector(numbers: readonly (number | null)[], bits: 8 | 32 | 64): ArrowVector {
  const values = Buffer.alloc((numbers.length * bits) / 8)
  for (const [i, number] of numbers.entries()) {
    if (bits === 8) values[i] = number ?? 0
    else if (bits === 32) values.writeInt32LE((number ?? 0) | 0, 4 * i)
    else values.writeBigInt64LE(BigInt(number ?? 0), 8 * i)
  }
  return { rowCount: numbers.length, ...nulls(numbers, values) }
}

export function booleanVector(flags: readonly (boolean | null)[]): ArrowVector {
  return { rowCount: flags.length, ...nulls(flags, bitmap(flags.map((flag) => flag === true))) }
}

function nulls(
  values: readonly unknown[],
  bytes: Uint8Array,
): Pick<ArrowVector, 'nullCount' | 'buffers'> {
  const nullCount = values.filter((value) => value === null).length
  const validity =
    nullCount === 0 ? new Uint8Array(0) : bitmap(values.map((value) => value !== null))
  return { nullCount, buffers: [validity, bytes] }
}

function bitmap(flags: readonly boolean[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(flags.length / 8))
  for (const [i, flag] of flags.entries()) if (flag) bytes[i >> 3] |= 1 << (i & 7)
  return bytes
}

export function integerColumn(
  name: string,
  numbers: readonly (number | null)[],
  type: { readonly bits: 8 | 32; readonly isSigned: boolean },
  isNullable = false,
): AnswerColumn {
  const field = { name, type: { kind: 'integer', ...type }, isNullable } as const
  return { field, vector: numberVector(numbers, type.bits) }
}

export function booleanColumn(
  name: string,
  flags: readonly (boolean | null)[],
  isNullable = false,
): AnswerColumn {
  return { field: { name, type: { kind: 'boolean' }, isNullable }, vector: booleanVector(flags) }
}

/** Lists of texts without any item; `rowCount` rows have no list. */
export function noLists(rowCount: number): ArrowVector {
  const offsets = new Uint8Array(4 * (rowCount + 1))
  const validity = new Uint8Array(Math.ceil(rowCount / 8))
  const children = [textVector([])]
  return { rowCount, nullCount: rowCount, buffers: [validity, offsets], children }
}
