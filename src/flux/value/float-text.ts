// Floats as text the way Go writes them: without exponent (`string(v:)`, interpolation), and with one
// where the number is very large or very small (`display(v:)`). Both are the shortest that read back.

/** As `strconv.FormatFloat(v, 'f', -1, 64)`. */
export function plainFloatText(value: number): string {
  const text = specialText(value) ?? String(value)
  const exponentAt = text.indexOf('e')
  if (exponentAt < 0) return Object.is(value, -0) ? '-0' : text
  const sign = value < 0 ? '-' : ''
  const mantissa = text.slice(sign.length, exponentAt)
  const exponent = Number(text.slice(exponentAt + 1))
  const digits = mantissa.replace('.', '')
  // Digits before the point when written out.
  const before = 1 + exponent
  if (before <= 0) return `${sign}0.${'0'.repeat(-before)}${digits}`
  return `${sign}${digits.padEnd(before, '0')}`
}

/** As Go's `%v`: an exponent of at least two digits below 1e-4 and from 1e21 on. */
export function shortFloatText(value: number): string {
  const special = specialText(value)
  if (special !== undefined) return special
  const magnitude = Math.abs(value)
  if (magnitude !== 0 && (magnitude < 1e-4 || magnitude >= 1e21)) {
    const text = value.toExponential()
    const exponentAt = text.indexOf('e')
    const exponent = text.slice(exponentAt + 2).padStart(2, '0')
    return `${text.slice(0, exponentAt + 2)}${exponent}`
  }
  return Object.is(value, -0) ? '-0' : String(value)
}

function specialText(value: number): string | undefined {
  if (Number.isFinite(value)) return undefined
  if (Number.isNaN(value)) return 'NaN'
  return value > 0 ? '+Inf' : '-Inf'
}
