// Protocol buffers as they are on the wire, as much of them as Flight's messages use: numbers, bytes and
// messages in messages. Every field is a key (its number and how it is coded) and a value.
//
//   varint = 7 bits a byte, lowest first, the top bit set where another byte follows
//   bytes, texts, messages = varint of their length, then the bytes

import { UserError } from '../errors.js'

const wireTypes = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

export type FieldValue =
  | { readonly field: number; readonly kind: 'number'; readonly value: bigint }
  | { readonly field: number; readonly kind: 'bytes'; readonly value: Uint8Array }
  /** The bits of a fixed number of 64 bits: doubles. */
  | { readonly field: number; readonly kind: 'fixed64'; readonly value: bigint }

function malformed(): UserError {
  return new UserError('invalid', 'malformed protocol buffer')
}

/** The fields in the order they come. Throws UserError where the bytes are no message. */
export function readFields(bytes: Uint8Array): FieldValue[] {
  const reader = new Reader(bytes)
  const fields: FieldValue[] = []
  while (!reader.isAtEnd) {
    const key = Number(reader.varint())
    const field = key >>> 3
    if (field === 0 || key >= 2 ** 32) throw malformed()
    switch (key & 7) {
      case wireTypes.varint:
        fields.push({ field, kind: 'number', value: reader.varint() })
        break
      case wireTypes.bytes:
        fields.push({ field, kind: 'bytes', value: reader.take(Number(reader.varint())) })
        break
      case wireTypes.fixed64: {
        const { buffer, byteOffset } = reader.take(8)
        const value = new DataView(buffer, byteOffset).getBigUint64(0, true)
        fields.push({ field, kind: 'fixed64', value })
        break
      }
      case wireTypes.fixed32:
        reader.take(4)
        break
      default:
        throw malformed()
    }
  }
  return fields
}

class Reader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  varint(): bigint {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.isAtEnd) break
      const byte = this.#bytes[this.#at++]
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return BigInt.asUintN(64, value)
    }
    throw malformed()
  }

  take(count: number): Uint8Array {
    if (count > this.#bytes.length - this.#at) throw malformed()
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

export function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw malformed()
  }
}

/** The last bytes of a field, as the format has it; empty where it is absent. */
export function bytesField(fields: readonly FieldValue[], field: number): Uint8Array {
  const found = fields.findLast((each) => each.field === field)
  if (found === undefined) return new Uint8Array(0)
  if (found.kind !== 'bytes') throw malformed()
  return found.value
}

export function textField(fields: readonly FieldValue[], field: number): string {
  return textOf(bytesField(fields, field))
}

/** For fields that tell absent from empty. */
export function textFieldIfAny(fields: readonly FieldValue[], field: number): string | undefined {
  return fields.some((each) => each.field === field) ? textField(fields, field) : undefined
}

export function numberField(fields: readonly FieldValue[], field: number): bigint {
  const found = fields.findLast((each) => each.field === field)
  if (found === undefined) return 0n
  if (found.kind !== 'number') throw malformed()
  return found.value
}

const encoder = new TextEncoder()

/** A message that is being written. Empty values are left out, as the format has it. */
export class MessageWriter {
  readonly #parts: Uint8Array[] = []

  number(field: number, value: number | bigint): this {
    if (BigInt(value) === 0n) return this
    this.#parts.push(
      varint(field * 8 + wireTypes.varint),
      varint(BigInt.asUintN(64, BigInt(value))),
    )
    return this
  }

  bytes(field: number, value: Uint8Array): this {
    if (value.length === 0) return this
    return this.message(field, value)
  }

  text(field: number, value: string): this {
    return this.bytes(field, encoder.encode(value))
  }

  /** Is there also where it is empty. */
  message(field: number, value: Uint8Array): this {
    this.#parts.push(varint(field * 8 + wireTypes.bytes), varint(value.length), value)
    return this
  }

  finish(): Buffer {
    return Buffer.concat(this.#parts)
  }
}

export function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt(value)
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}
