// Texts and numbers as literals of ClickHouse's SQL. The oldest version knows no parameters, so that values stand in
// the statement: everything that comes from outside goes through here.

/** What must not stand in a literal as it is; NUL would end the statement. */
const escaped: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\0': '\\0',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
}

const special = /[\\'\0\n\r\t\b\f]/g

export function textLiteral(text: string): string {
  return `'${text.replace(special, (character) => escaped[character])}'`
}

/** Signed, whatever its size: numbers without a sign would be unsigned there. */
export function int64Literal(value: bigint): string {
  return `toInt64('${value}')`
}

/** For comparisons with whole numbers: digits are read at once, where the server works out a function several times. */
export function comparedInt64(value: bigint): string {
  return value < 0n ? int64Literal(value) : `${value}`
}

/** The least number that has all its digits. Its own are read exactly, and so are those of what it is multiplied by. */
const leastNormal = 2 ** -1022

/** Old versions read no number below that one, and call its digits a mistake. */
function floatLiteral(value: number): string {
  if (Math.abs(value) >= leastNormal) return `${value}`
  return `(${leastNormal} * ${value / leastNormal})`
}

/** For comparisons, which are exact between numbers of different types. */
export function numberLiteral(value: number | bigint): string {
  if (typeof value === 'number' && !Number.isInteger(value)) {
    if (Number.isFinite(value)) return floatLiteral(value)
    return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'
  }
  const whole = BigInt(value)
  if (whole >= 0n && whole < 2n ** 64n) return `toUInt64('${whole}')`
  if (whole < 0n && whole >= -(2n ** 63n)) return `toInt64('${whole}')`
  // Beyond 64 bits: no integer is equal to it, and the order is that of floats.
  const text = `${Number(whole)}`
  return /[.eEn]/.test(text) ? text : `${text}.`
}
