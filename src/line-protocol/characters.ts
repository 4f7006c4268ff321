// The bytes that the grammar of line protocol gives a meaning to, and the questions asked about
// single positions.

export const newline = 10
export const carriageReturn = 13
export const space = 32
export const quote = 34
export const hash = 35
export const comma = 44
export const minus = 45
export const equals = 61
export const backslash = 92

const tab = 9

/**
 * The first position from `at` on that holds no space, tab or NUL. The bytes must go on to a
 * newline.
 */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  let i = at
  while (bytes[i] === space || bytes[i] === tab || bytes[i] === 0) i++
  return i
}

/**
 * Does the line end here, outside quotes? A carriage return right before the newline belongs to the
 * end. A backslash does not protect a newline: names cannot hold one.
 */
export function isLineEnd(bytes: Uint8Array, at: number): boolean {
  const c = bytes[at]
  return c === newline || (c === carriageReturn && bytes[at + 1] === newline)
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** Bytes that are not UTF-8 become U+FFFD. */
export function decodeText(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end))
}
