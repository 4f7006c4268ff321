// Number and boolean values as text: which spellings exist, and what is wrong with the others. For
// values that the fast ways have given up on, and for messages.

const integerForm = /^-?\d+i$/
const unsignedForm = /^\d+u$/
const floatForm = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
/** Made of the parts of a float, whatever their order. */
const nearlyFloatForm = /^-?(?:[\d.]|[eE][+-]?)*$/

export const booleans: ReadonlySet<string> = new Set(
  't T true True TRUE f F false False FALSE'.split(' '),
)

export function isFloat(text: string): boolean {
  return floatForm.test(text) && Number.isFinite(Number(text))
}

export function isInteger(text: string): boolean {
  if (!integerForm.test(text)) return false
  const value = BigInt(text.slice(0, -1))
  return BigInt.asIntN(64, value) === value
}

export function isUnsigned(text: string): boolean {
  if (!unsignedForm.test(text)) return false
  const value = BigInt(text.slice(0, -1))
  return BigInt.asUintN(64, value) === value
}

/** What is wrong with a value that begins like a number; empty if nothing is. */
export function numberProblem(text: string): string {
  if (isFloat(text) || isInteger(text) || isUnsigned(text)) return ''
  const digits = text.slice(0, -1)
  if (integerForm.test(text)) {
    return `unable to parse integer ${digits}: strconv.ParseInt: ${outOfRange(digits)}`
  }
  if (unsignedForm.test(text)) {
    return `unable to parse unsigned ${digits}: strconv.ParseUint: ${outOfRange(digits)}`
  }
  if (floatForm.test(text)) return 'invalid float'
  const hasExponent = /[eE]/.test(text) && !/\..*\./.test(text)
  return hasExponent && nearlyFloatForm.test(text) ? 'invalid float' : 'invalid number'
}

export function outOfRange(digits: string): string {
  return `parsing "${digits}": value out of range`
}
