// Texts in double quotes as Go's `%q` writes them: messages of Flux quote names and strings this way,
// and programs look for them.

const escapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\u0007', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
])

// Letters, marks, numbers, punctuation and symbols are printed as they are, and of the spaces only the plain one.
const special = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|["\\]/gu

export function quoted(text: string): string {
  return `"${text.replace(special, escaped)}"`
}

function escaped(character: string): string {
  const known = escapes.get(character)
  if (known !== undefined) return known
  const code = character.codePointAt(0)!
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
  return `\\U${code.toString(16).padStart(8, '0')}`
}
