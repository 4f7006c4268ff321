// Writes fields of a protobuf message, and a snappy block of literals: one that any reader takes, at the price of its
// size, which a message to a neighbour on the same network can pay.

export function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  let left = BigInt.asUintN(64, value)
  do {
    const low = Number(left & 0x7fn)
    left >>= 7n
    bytes.push(left === 0n ? low : low | 0x80)
  } while (left > 0n)
  return Uint8Array.from(bytes)
}

export function varintField(number: number, value: bigint): Uint8Array {
  return Buffer.concat([varint(BigInt(number << 3)), varint(value)])
}

export function doubleField(number: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(9)
  bytes[0] = (number << 3) | 1
  bytes.writeDoubleLE(value, 1)
  return bytes
}

export function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes])
}

export function textField(number: number, text: string): Uint8Array {
  return bytesField(number, Buffer.from(text))
}

/** A literal's length in two bytes. */
const literalBytesMax = 1 << 16

export function packLiteral(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [varint(BigInt(bytes.length))]
  for (let at = 0; at < bytes.length; at += literalBytesMax) {
    const part = bytes.subarray(at, at + literalBytesMax)
    const length = part.length - 1
    parts.push(Uint8Array.of((61 << 2) | 0, length & 0xff, length >>> 8), part)
  }
  return Buffer.concat(parts)
}
