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
  { bytes, ignoresCase, isAtStart, isAtEnd }: LiteralPattern,
  arena: Uint8Array,
  start: number,
  length: number,
): boolean | undefined {
  // Some letters beyond ASCII are capitals of letters within it.
  if (ignoresCase && !isAscii(arena, start, length)) return undefined
  const last = length - bytes.length
  if (last < 0 || (isAtStart && isAtEnd && last > 0)) return false
  const from = isAtEnd ? last : 0
  const to = isAtStart ? 0 : last
  for (let at = from; at <= to; at++) {
    if (isThere(bytes, ignoresCase, arena, start + at)) return true
  }
  return false
}

function isAscii(arena: Uint8Array, start: number, length: number): boolean {
  for (let i = start; i < start + length; i++) if (arena[i] >= 0x80) return false
  return true
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
