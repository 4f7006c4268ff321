// Comparing bytes, eight at a time: the last step overlaps the one before. Loads may reach beyond the last byte, which
// all memory here has room for.

export function sameBytes(a: usize, b: usize, length: u32): bool {
  if (length < 8) return sameFew(a, b, length)
  const last: usize = length - 8
  for (let i: usize = 0; i < last; i += 8) {
    if (load<u64>(a + i) !== load<u64>(b + i)) return false
  }
  return load<u64>(a + last) === load<u64>(b + last)
}

/** Both have bytes behind them. */
function sameFew(a: usize, b: usize, length: u32): bool {
  const mask = ((<u64>1) << (length << 3)) - 1
  return ((load<u64>(a) ^ load<u64>(b)) & mask) === 0
}
