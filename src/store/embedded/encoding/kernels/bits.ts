// Numbers of any width from 0 to 57 bits, packed one behind the other, low bits first, in little-endian 32-bit words.
// A number is read by one load of eight bytes from the byte that it begins in, which may reach up to eight bytes
// beyond the last: whoever calls has them behind every block.

export function wordCount(count: i32, width: i32): i32 {
  return (count * width + 31) >>> 5
}

/** Bits that a whole number from 0 on takes. */
export function bitsOf(value: u64): i32 {
  return 64 - <i32>clz(value)
}

export function maskOf(width: i32): u64 {
  return ((<u64>1) << width) - 1
}

/** The number that begins at a bit. */
export function numberAtBit(words: usize, bit: usize, mask: u64): u64 {
  return (load<u64>(words + (bit >>> 3)) >> (bit & 7)) & mask
}

export function align4(place: usize): usize {
  return (place + 3) & ~3
}

/** The place of a value of 8 bytes. */
export function at8(values: usize, i: i32): usize {
  return values + (i << 3)
}

/** Room for the numbers of a part, 64 bits each, on their way to `pack`. */
export const numbers: usize = memory.data(1024)

/** Packs numbers of 64 bits, none wider than `width`, 32 at most; returns the place behind the last word. */
export function pack(from: usize, count: i32, width: i32, out: usize): usize {
  const stop = from + (count << 3)
  let waiting: u64 = 0
  let waitingBits = 0
  let to = out
  for (let at = from; at < stop; at += 8) {
    waiting |= load<u64>(at) << waitingBits
    waitingBits += width
    if (waitingBits < 32) continue
    store<u32>(to, <u32>waiting)
    to += 4
    waiting >>= 32
    waitingBits -= 32
  }
  if (waitingBits === 0) return to
  store<u32>(to, <u32>waiting)
  return to + 4
}
