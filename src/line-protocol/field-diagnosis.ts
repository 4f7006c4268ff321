// What to say about a list of fields whose parts do not fit together. The servers that clients know
// report a bad value anywhere in the list first, then an open quote, and only then that the list as
// a whole has no sense; the parser, which stops at the first odd byte, cannot know which it will
// be. So the list is read once more, for the message only.

import { backslash, comma, decodeText, equals, minus, quote, space } from './characters.js'
import { booleans, numberProblem } from './number-text.js'

export const fieldFormatReason = 'invalid field format'
export const unbalancedReason = 'unbalanced quotes'

/** The fields start at `start`; the line ends at `end`. */
export function diagnoseFields(bytes: Uint8Array, start: number, end: number): string {
  let isQuoted = false
  let equalsCount = 0
  let commaCount = 0
  let i = start
  while (i < end && (isQuoted || bytes[i] !== space)) {
    const c = bytes[i]
    if (c === backslash) i++
    else if (c === quote && equalsCount > commaCount) isQuoted = !isQuoted
    else if (c === comma && !isQuoted) commaCount++
    else if (c === equals && !isQuoted) {
      equalsCount++
      const valueEnd = findValueEnd(bytes, i + 1, end)
      const problem = valueProblem(bytes, start, i, valueEnd)
      if (problem !== '') return problem
      if (bytes[i + 1] !== quote) i = valueEnd - 1
    }
    i++
  }
  return isQuoted ? unbalancedReason : fieldFormatReason
}

function findValueEnd(bytes: Uint8Array, start: number, end: number): number {
  let i = start
  while (i < end && bytes[i] !== comma && bytes[i] !== space) i++
  return i
}

function valueProblem(bytes: Uint8Array, start: number, sign: number, valueEnd: number): string {
  const before = bytes[sign - 1]
  const isKeyMissing = sign === start || (before === comma && bytes[sign - 2] !== backslash)
  if (isKeyMissing) return 'missing field key'
  const valueStart = sign + 1
  if (valueEnd === valueStart) return 'missing field value'
  const c = bytes[valueStart]
  if (c === quote) return ''
  const text = decodeText(bytes, valueStart, valueEnd)
  if ((c >= 48 && c <= 57) || c === minus || c === 46 || c === 78 || c === 110) {
    return numberProblem(text)
  }
  return booleans.has(text) ? '' : 'invalid boolean'
}
