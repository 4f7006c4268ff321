// Names and strings as they are written in a query: quoted where they must be, with the characters
// escaped that would end them.

import { keywordOf } from './token.js'

/** `'it\'s'` */
export function quoteString(text: string): string {
  return `'${escapeFor(text, "'")}'`
}

/** The name itself where it can stand bare, else in double quotes. */
export function quoteIdentifier(name: string): string {
  return needsQuotes(name) ? `"${escapeFor(name, '"')}"` : name
}

/** With dots between. All but the last are quoted whatever they are; empty ones in the middle are left out. */
export function quoteSegments(segments: readonly string[]): string {
  const last = segments.length - 1
  return segments
    .map((segment, i) => {
      if (i === last) return quoteIdentifier(segment)
      return segment === '' && i > 0 ? '' : `"${escapeFor(segment, '"')}"`
    })
    .join('.')
}

function needsQuotes(name: string): boolean {
  if (name === '' || keywordOf(name) !== undefined) return true
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    const isLetter = (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95
    if (!isLetter && (i === 0 || code < 48 || code > 57)) return true
  }
  return false
}

function escapeFor(text: string, quote: string): string {
  if (!text.includes(quote) && !text.includes('\\') && !text.includes('\n')) return text
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll(quote, `\\${quote}`)
}
