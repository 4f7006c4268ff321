// Numbers between text and value, as Go reads and prints them: query texts and column names made of
// expressions carry them.

/** With three decimals, halves to the even side. InfluxDB prints the numbers of an expression so. */
export function printThousandths(value: number): string {
  const size = Math.abs(value)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (size >= 1e21) return `${sign}${BigInt(size)}.000`
  // Only odd sixteenths lie exactly between two thousandths; toFixed would always take the upper one.
  const sixteenths = size * 16
  if (sixteenths % 2 === 1) {
    const below = (BigInt(sixteenths) * 125n) / 2n
    const even = below % 2n === 0n ? below : below + 1n
    const digits = String(even).padStart(4, '0')
    return `${sign}${digits.slice(0, -3)}.${digits.slice(-3)}`
  }
  return `${sign}${size.toFixed(3)}`
}

/** The shortest digits that mean this number, never with an exponent. */
export function printPlain(value: number): string {
  const text = Object.is(value, -0) ? '-0' : String(value)
  const at = text.indexOf('e')
  if (at < 0) return text
  const sign = text.startsWith('-') ? '-' : ''
  const [whole, fraction = ''] = text.slice(sign.length, at).split('.')
  const digits = whole + fraction
  const point = whole.length + Number(text.slice(at + 1))
  if (point >= digits.length) return `${sign}${digits.padEnd(point, '0')}`
  return `${sign}0.${'0'.repeat(-point)}${digits}`
}
