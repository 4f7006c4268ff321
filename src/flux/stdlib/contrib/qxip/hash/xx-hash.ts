// xxHash, 64 bits, with seed 0 (public specification: https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md):
//
//   32 bytes and more: four lanes take 8 bytes each of every stripe of 32, and are folded into one number;
//   fewer: the number starts from the fifth prime. The length is added; what is left is taken in by 8, 4 and
//   1 bytes; shifts and multiplications mix the result. All arithmetic is modulo 2⁶⁴.

const prime1 = 0x9e3779b185ebca87n
const prime2 = 0xc2b2ae3d27d4eb4fn
const prime3 = 0x165667b19e3779f9n
const prime4 = 0x85ebca77c2b2ae63n
const prime5 = 0x27d4eb2f165667c5n

const stripeBytes = 32

const wrap = (value: bigint): bigint => BigInt.asUintN(64, value)

function rotate(value: bigint, bits: bigint): bigint {
  return wrap(value << bits) | (value >> (64n - bits))
}

function round(lane: bigint, input: bigint): bigint {
  return wrap(rotate(wrap(lane + input * prime2), 31n) * prime1)
}

function merge(hash: bigint, lane: bigint): bigint {
  return wrap((hash ^ round(0n, lane)) * prime1 + prime4)
}

export function xxHash64(bytes: Buffer): bigint {
  const { length } = bytes
  let at = 0
  let hash = prime5
  if (length >= stripeBytes) {
    at = length - (length % stripeBytes)
    hash = stripes(bytes, at)
  }
  hash = wrap(hash + BigInt(length))
  for (; at + 8 <= length; at += 8) {
    hash ^= round(0n, bytes.readBigUInt64LE(at))
    hash = wrap(rotate(hash, 27n) * prime1 + prime4)
  }
  if (at + 4 <= length) {
    hash ^= wrap(BigInt(bytes.readUInt32LE(at)) * prime1)
    hash = wrap(rotate(hash, 23n) * prime2 + prime3)
    at += 4
  }
  for (; at < length; at++) {
    hash ^= wrap(BigInt(bytes[at]) * prime5)
    hash = wrap(rotate(hash, 11n) * prime1)
  }
  hash = wrap((hash ^ (hash >> 33n)) * prime2)
  hash = wrap((hash ^ (hash >> 29n)) * prime3)
  return hash ^ (hash >> 32n)
}

function stripes(bytes: Buffer, end: number): bigint {
  const lanes = [wrap(prime1 + prime2), prime2, 0n, wrap(-prime1)]
  for (let at = 0; at < end; at += stripeBytes) {
    for (let i = 0; i < 4; i++) lanes[i] = round(lanes[i], bytes.readBigUInt64LE(at + 8 * i))
  }
  const [a, b, c, d] = lanes
  let hash = wrap(rotate(a, 1n) + rotate(b, 7n) + rotate(c, 12n) + rotate(d, 18n))
  for (const lane of lanes) hash = merge(hash, lane)
  return hash
}
