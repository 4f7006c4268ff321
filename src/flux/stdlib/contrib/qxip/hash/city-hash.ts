// CityHash, 64 bits, in its version 1.0 (the one that column stores keep using; later versions give other
// numbers). Texts of up to 16, 32 and 64 bytes each have a way of their own; longer ones go through 56 bytes
// of state in blocks of 64, the last of which may overlap the one before. All arithmetic is modulo 2⁶⁴.

const k0 = 0xc3a5c85c97cb3127n
const k1 = 0xb492b66fbe98f273n
const k2 = 0x9ae16a3b2f90404fn
const k3 = 0xc949d7c7509e6557n
const mixer = 0x9ddfea08eb382d69n

const blockBytes = 64

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value)

function rotate(value: bigint, bits: number): bigint {
  const right = BigInt(bits)
  return wrap(value << (64n - right)) | (value >> right)
}

function shiftMix(value: bigint): bigint {
  return value ^ (value >> 47n)
}

/** Two numbers into one. */
function mix(low: bigint, high: bigint): bigint {
  const a = shiftMix(wrap((low ^ high) * mixer))
  const b = shiftMix(wrap((high ^ a) * mixer))
  return wrap(b * mixer)
}

export function cityHash64(bytes: Buffer): bigint {
  if (bytes.length <= 16) return hashTo16(bytes)
  if (bytes.length <= 32) return hashTo32(bytes)
  return bytes.length <= blockBytes ? hashTo64(bytes) : hashLong(bytes)
}

function hashTo16(bytes: Buffer): bigint {
  const { length } = bytes
  const size = BigInt(length)
  if (length > 8) {
    const a = bytes.readBigUInt64LE(0)
    const b = bytes.readBigUInt64LE(length - 8)
    return mix(a, rotate(wrap(b + size), length)) ^ b
  }
  if (length >= 4) {
    const a = BigInt(bytes.readUInt32LE(0))
    return mix(size + (a << 3n), BigInt(bytes.readUInt32LE(length - 4)))
  }
  if (length === 0) return k2
  const y = BigInt(bytes[0] + (bytes[length >> 1] << 8))
  const z = BigInt(length + (bytes[length - 1] << 2))
  return wrap(shiftMix(wrap(y * k2) ^ wrap(z * k3)) * k2)
}

function hashTo32(bytes: Buffer): bigint {
  const { length } = bytes
  const a = wrap(bytes.readBigUInt64LE(0) * k1)
  const b = bytes.readBigUInt64LE(8)
  const c = wrap(bytes.readBigUInt64LE(length - 8) * k2)
  const d = wrap(bytes.readBigUInt64LE(length - 16) * k0)
  return mix(
    wrap(rotate(wrap(a - b), 43) + rotate(c, 30) + d),
    wrap(a + rotate(b ^ k3, 20) - c + BigInt(length)),
  )
}

function hashTo64(bytes: Buffer): bigint {
  const { length } = bytes
  const word = (at: number): bigint => bytes.readBigUInt64LE(at)
  const start = wrap(word(0) + (BigInt(length) + word(length - 16)) * k0)
  const [vLow, vHigh] = halfOf64(start, word(8), word(16), word(24))
  const end = wrap(word(16) + word(length - 32))
  const [wLow, wHigh] = halfOf64(end, word(length - 24), word(length - 16), word(length - 8))
  const r = shiftMix(wrap((vLow + wHigh) * k2 + (wLow + vHigh) * k0))
  return wrap(shiftMix(wrap(r * k0 + vHigh)) * k2)
}

function halfOf64(start: bigint, x: bigint, y: bigint, z: bigint): readonly [bigint, bigint] {
  const b = rotate(wrap(start + z), 52)
  const second = wrap(start + x)
  const c = wrap(rotate(start, 37) + rotate(second, 7))
  const third = wrap(second + y)
  return [wrap(third + z), wrap(b + rotate(third, 31) + c)]
}

/** 32 bytes from `at` on, taken into two numbers. */
function weakMix(bytes: Buffer, at: number, first: bigint, second: bigint): [bigint, bigint] {
  const word = (i: number): bigint => bytes.readBigUInt64LE(at + 8 * i)
  const a = wrap(first + word(0))
  const last = word(3)
  const b = rotate(wrap(second + a + last), 21)
  const sum = wrap(a + word(1) + word(2))
  return [wrap(sum + last), wrap(b + rotate(sum, 44) + a)]
}

function hashLong(bytes: Buffer): bigint {
  const { length } = bytes
  const word = (at: number): bigint => bytes.readBigUInt64LE(at)
  const size = BigInt(length)
  let x = word(0)
  let y = word(length - 16) ^ k1
  let z = word(length - 56) ^ k0
  let v = weakMix(bytes, length - 64, size, y)
  let w = weakMix(bytes, length - 32, wrap(size * k1), k0)
  z = wrap(z + shiftMix(v[1]) * k1)
  x = wrap(rotate(wrap(z + x), 39) * k1)
  y = wrap(rotate(y, 33) * k1)
  const end = (length - 1) & ~(blockBytes - 1)
  for (let at = 0; at < end; at += blockBytes) {
    x = wrap(rotate(wrap(x + y + v[0] + word(at + 16)), 37) * k1) ^ w[1]
    y = wrap(rotate(wrap(y + v[1] + word(at + 48)), 42) * k1) ^ v[0]
    z = rotate(z ^ w[0], 33)
    v = weakMix(bytes, at, wrap(v[1] * k1), wrap(x + w[0]))
    w = weakMix(bytes, at + 32, wrap(z + w[1]), y)
    ;[z, x] = [x, z]
  }
  return mix(wrap(mix(v[0], w[0]) + shiftMix(y) * k1 + z), wrap(mix(v[1], w[1]) + x))
}
