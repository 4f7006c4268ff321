// Four packed numbers at once, where they are narrow. Eight numbers of a width begin and end at a byte, so that two
// patterns tell for each width where four of them lie among sixteen bytes: bytes are dealt out to four lanes, a factor
// for each lane brings its number to bit 7, where one shift and one mask for all of them find it. (Lanes cannot be
// shifted by different numbers of bits.)

/** A lane has 32 bits, seven of which may lie before its number. */
export const laneBitsMax: i32 = 25

const patternBytes: i32 = 32

/** By width and half: which byte goes where, then the factors. */
const patterns: usize = memory.data(32 * 2 * 26, 16)
let isMade = false

function makePatterns(): void {
  isMade = true
  for (let width = 0; width <= laneBitsMax; width++) {
    for (let half = 0; half < 2; half++) {
      const at = patternOf(width, half)
      const start = (half * 4 * width) & 7
      for (let lane = 0; lane < 4; lane++) {
        const bit = start + lane * width
        for (let i = 0; i < 4; i++) store<u8>(at + lane * 4 + i, (bit >>> 3) + i)
        store<u32>(at + 16 + lane * 4, 1 << (7 - (bit & 7)))
      }
    }
  }
}

/** The patterns of a width: numbers 0 to 3 of eight, and 32 bytes further 4 to 7. */
export function patternsOf(width: i32): usize {
  if (!isMade) makePatterns()
  return patternOf(width, 0)
}

function patternOf(width: i32, half: i32): usize {
  return patterns + (width * 2 + half) * patternBytes
}

/** Four numbers of those that begin at a byte. */
export function fourNumbers(from: usize, pattern: usize, mask: v128): v128 {
  const bytes = i8x16.swizzle(v128.load(from), v128.load(pattern))
  const aligned = i32x4.mul(bytes, v128.load(pattern, 16))
  return v128.and(i32x4.shr_u(aligned, 7), mask)
}

/** The last two of four numbers as the first two. */
export function lastTwo(numbers: v128): v128 {
  return v128.shuffle<i32>(numbers, numbers, 2, 3, 2, 3)
}
