// Mini-blocks of 128 unsigned numbers with a width of 0 to 32 bits each: value i takes the bits from i * width on, low
// bits first, in little-endian 32-bit words, 4 * width words in all.

export const miniBlockRows = 128

/** out[o + i] = value i */
export function unpack(
  words: Uint32Array,
  at: number,
  width: number,
  out: Uint32Array,
  o: number,
): void {
  const mask = width === 32 ? 0xffffffff : (1 << width) - 1
  for (let i = 0, bit = 0; i < miniBlockRows; i++, bit += width) {
    const word = at + (bit >>> 5)
    const shift = bit & 31
    const low = words[word] >>> shift
    const value = shift + width > 32 ? low | (words[word + 1] << (32 - shift)) : low
    out[o + i] = value & mask
  }
}
