// The character level of the scanner: which characters make words, and how far the text of a string goes.
// A dollar sign swallows the character behind it, unless that opens an interpolation or ends the string:
// this is why `"$${x}"` is plain text in Flux.

const alphabetic = /^\p{Alphabetic}$/u

export function isWordStart(text: string, offset: number): boolean {
  return letterWidth(text, offset) > 0
}

/** The number of units of the letter, digit or underscore at the offset, 0 if there is none. */
export function wordPartWidth(text: string, offset: number): number {
  const unit = text.charCodeAt(offset)
  return unit >= 48 && unit <= 57 ? 1 : letterWidth(text, offset)
}

function letterWidth(text: string, offset: number): number {
  const point = text.codePointAt(offset)
  if (point === undefined) return 0
  if (point < 128) return isAsciiLetter(point) ? 1 : 0
  if (!alphabetic.test(String.fromCodePoint(point))) return 0
  return point > 0xffff ? 2 : 1
}

function isAsciiLetter(unit: number): boolean {
  return (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit === 95
}

/** The offset of the first character that is not the text of a string: a quote, `${`, a bad escape, the end. */
export function stringTextEnd(text: string, start: number): number {
  let at = start
  for (;;) {
    const width = textWidth(text, at)
    if (width === 0) return at
    at += width
  }
}

function textWidth(text: string, at: number): number {
  if (at >= text.length) return 0
  const char = text[at]
  if (char === '"') return 0
  if (char === '\\') return escapeWidth(text, at)
  if (char !== '$') return 1
  const next = text[at + 1]
  return next === undefined || next === '{' || next === '"' ? 0 : 2
}

function escapeWidth(text: string, at: number): number {
  const next = text[at + 1]
  if (next === undefined) return 0
  if ('nrt\\"'.includes(next)) return 2
  if (next === '$') return text[at + 2] === '{' ? 3 : 0
  if (next !== 'x') return 0
  return isHexDigit(text.charCodeAt(at + 2)) && isHexDigit(text.charCodeAt(at + 3)) ? 4 : 0
}

export function isHexDigit(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 102) || (unit >= 65 && unit <= 70)
}
