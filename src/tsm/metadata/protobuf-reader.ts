// Reads a protobuf message field by field: numbers as bigint, everything with a length as bytes. Whoever knows the
// message picks what it needs; what it does not know is passed over.

import { ByteCursor } from '../encoding/byte-cursor.js'
import { DamageError } from '../encoding/damage.js'

export interface ProtobufField {
  readonly number: number
  /** Of a varint or a fixed number; 0 for bytes. */
  readonly value: bigint
  /** Empty for numbers. */
  readonly bytes: Uint8Array
}

const noBytes = new Uint8Array(0)

export function* readMessage(bytes: Uint8Array): Generator<ProtobufField> {
  const cursor = new ByteCursor(bytes)
  while (!cursor.isAtEnd) {
    const tag = cursor.length()
    const number = tag >>> 3
    const kind = tag & 7
    if (kind === 0) yield { number, value: cursor.uvarint(), bytes: noBytes }
    else if (kind === 1) yield { number, value: 0n, bytes: cursor.take(8) }
    else if (kind === 2) yield { number, value: 0n, bytes: cursor.take(cursor.length()) }
    else if (kind === 5) yield { number, value: 0n, bytes: cursor.take(4) }
    else throw new DamageError(`a message has a field of the unknown kind ${kind}`)
  }
}

/** Signed numbers are kept in 64 bits, negative ones as large positive ones. */
export function signed(value: bigint): bigint {
  return BigInt.asIntN(64, value)
}

export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}
