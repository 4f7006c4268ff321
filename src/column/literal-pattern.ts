// Patterns that only ask whether a text is part of another: what people type into a search box, and many filters.
// Such a one is looked for in the bytes themselves, some thirty times as fast as the engine for patterns, and
// without loading it. Whatever is not plainly of this kind is left to `regex.ts`.

export interface LiteralPattern {
  /** ASCII; in small letters where capitals do not matter. */
  readonly bytes: Uint8Array
  readonly ignoresCase: boolean
  readonly isAtStart: boolean
  readonly isAtEnd: boolean
}

/** Printable ASCII that means itself, or a punctuation mark behind a backslash. */
const shape = /^(\(\?i\))?(\^)?((?:[ !"#%&',\-/0-9:;<=>@A-Z_`a-z~]|\\[!-/:-@[-`{-~])*)(\$)?$/

export function literalPattern(pattern: string): LiteralPattern | undefined {
  const found = shape.exec(pattern)
  if (found === null) return undefined
  const [, ignoresCase, start, escaped, end] = found
  const text = escaped.replace(/\\(.)/g, '$1')
  return {
    bytes: Buffer.from(ignoresCase === undefined ? text : text.toLowerCase()),
    ignoresCase: ignoresCase !== undefined,
    isAtStart: start !== undefined,
    isAtEnd: end !== undefined,
  }
}

/** Whether the bytes of a text match; undefined: only the pattern itself can tell. */
export function matchesLiteral(
  pattern: LiteralPattern,
  arena: Uint8Array,
  start: number,
  length: number,
): boolean | undefined {
  const { bytes, ignoresCase, isAtStart, isAtEnd } = pattern
  const last = length - bytes.length
  if (last < 0) return false
  const from = isAtEnd ? last : 0
  const to = isAtStart ? 0 : last
  if (bytes.length === 0) return from <= to
  // Each byte of the text is looked at once, for the pattern's first letter and for letters beyond ASCII, some of
  // which are capitals of letters within it.
  const first = bytes[0]
  const capital = ignoresCase && first >= 97 && first <= 122 ? first - 32 : first
  const end = start + length
  let all = 0
  for (let i = start; i < end; i++) {
    const byte = arena[i]
    all |= byte
    if (byte !== first && byte !== capital) continue
    const at = i - start
    if (at >= from && at <= to && isThere(bytes, ignoresCase, arena, i)) return true
  }
  return ignoresCase && all >= 0x80 ? undefined : false
}

function isThere(
  bytes: Uint8Array,
  ignoresCase: boolean,
  arena: Uint8Array,
  start: number,
): boolean {
  for (let i = 0; i < bytes.length; i++) {
    const byte = arena[start + i]
    if (byte === bytes[i]) continue
    if (!ignoresCase || byte < 65 || byte > 90 || byte + 32 !== bytes[i]) return false
  }
  return true
}
