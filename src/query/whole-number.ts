// Whole numbers as texts of queries and
// parameters have them.

const uint64DigitsMax = 20

/** Decimal digits, perhaps with a minus. What is longer than any 64 bits comes back as some value beyond them. */
export function parseWhole(digits: string): bigint {
  if (digits.length <= uint64DigitsMax) return BigInt(digits)
  // BigInt takes quadratic time, and somebody may send megabytes of digits.
  const isNegative = digits.startsWith('-')
  const significant = digits.replace(/^-?0*/, '').slice(0, uint64DigitsMax + 1)
  if (significant === '') return 0n
  return isNegative ? -BigInt(significant) : BigInt(significant)
}
