// Thrift's compact protocol, as far as Parquet needs it to be written: structs, lists, texts, whole numbers
// and switches. A field is told by its distance to the one before; numbers are zigzag varints, of up to 53
// bits here.

const types = { true: 1, false: 2, int8: 3, int32: 5, int64: 6, binary: 8, list: 9, struct: 12 }

export type ThriftValue =
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'int8' | 'int32' | 'int64'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'struct'; readonly fields: ThriftStruct }
  | ThriftList

/** All of one kind, and not switches. */
interface ThriftList {
  readonly kind: 'list'
  readonly of: 'int32' | 'text' | 'struct'
  readonly values: readonly ThriftValue[]
}

/** Fields by their numbers, in ascending order. */
export type ThriftStruct = readonly (readonly [number, ThriftValue])[]

export function int32(value: number): ThriftValue {
  return { kind: 'int32', value }
}

export function int64(value: number): ThriftValue {
  return { kind: 'int64', value }
}

export function text(value: string): ThriftValue {
  return { kind: 'text', value }
}

export function struct(...fields: ThriftStruct): ThriftValue {
  return { kind: 'struct', fields }
}

export function list(of: ThriftList['of'], values: readonly ThriftValue[]): ThriftValue {
  return { kind: 'list', of, values }
}

export function thriftBytes(fields: ThriftStruct): Uint8Array {
  const bytes = new Bytes()
  putStruct(bytes, fields)
  return bytes.taken()
}

class Bytes {
  #bytes = Buffer.allocUnsafe(256)
  #length = 0

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  varint(value: number): void {
    let left = value
    for (; left >= 128; left = Math.floor(left / 128)) this.byte((left % 128) + 128)
    this.byte(left)
  }

  text(value: string): void {
    const count = Buffer.byteLength(value)
    this.varint(count)
    this.#reserve(count)
    this.#length += this.#bytes.write(value, this.#length)
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  #reserve(count: number): void {
    const needed = this.#length + count
    if (needed <= this.#bytes.length) return
    const grown = Buffer.allocUnsafe(needed * 2)
    grown.set(this.#bytes)
    this.#bytes = grown
  }
}

/** The shortest form of a number below 2^53, 7 bits a byte, the lowest first. */
export function varintBytes(value: number): Uint8Array {
  const bytes = new Bytes()
  bytes.varint(value)
  return bytes.taken()
}

function putStruct(bytes: Bytes, fields: ThriftStruct): void {
  let last = 0
  for (const [id, value] of fields) {
    // No struct of Parquet has a gap of more than 15.
    bytes.byte((id - last) * 16 + typeOf(value))
    last = id
    // A switch is told by its type alone.
    if (value.kind !== 'boolean') putValue(bytes, value)
  }
  bytes.byte(0)
}

function typeOf(value: ThriftValue): number {
  switch (value.kind) {
    case 'boolean':
      return value.value ? types.true : types.false
    case 'text':
      return types.binary
    default:
      return types[value.kind]
  }
}

function putValue(bytes: Bytes, value: Exclude<ThriftValue, { kind: 'boolean' }>): void {
  switch (value.kind) {
    case 'int8':
      bytes.byte(value.value)
      break
    case 'int32':
    case 'int64':
      bytes.varint(value.value < 0 ? -2 * value.value - 1 : 2 * value.value)
      break
    case 'text':
      bytes.text(value.value)
      break
    case 'struct':
      putStruct(bytes, value.fields)
      break
    case 'list':
      putList(bytes, value)
  }
}

function putList(bytes: Bytes, { of, values }: ThriftList): void {
  const type = of === 'text' ? types.binary : types[of]
  if (values.length < 15) bytes.byte(values.length * 16 + type)
  else {
    bytes.byte(0xf0 + type)
    bytes.varint(values.length)
  }
  for (const value of values) if (value.kind !== 'boolean') putValue(bytes, value)
}
