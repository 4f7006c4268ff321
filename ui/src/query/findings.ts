// Mistakes in a text with their places, and texts whose placeholders were filled in for checking: places in what was
// checked are led back to what was typed.

import type { Language } from './language.js'

export interface Finding {
  /** Both counted from 1; 0: it is about all of the text. */
  readonly line: number
  readonly column: number
  readonly message: string
  /** Nothing wrong, but probably not meant. */
  readonly isDoubt?: boolean
}

/** InfluxQL's parser tells the place at the end of its message. */
export function influxqlFinding(text: string): Finding {
  const [, said, line, column] = /^([\s\S]*) at line (\d+), char (\d+)$/.exec(text) ?? []
  const message = (said ?? text).replace(/^error parsing query: /, '')
  return { line: Number(line ?? 0), column: Number(column ?? 0), message }
}

export interface FilledText {
  readonly text: string
  /** Where in the typed text a place of the filled one is; both are offsets. */
  originalOf(offset: number): number
}

const literals: Readonly<Record<'influxql' | 'sql', Readonly<Record<string, string>>>> = {
  influxql: { timeFilter: 'time > 0', window: '1m' },
  sql: {
    from: "TIMESTAMP '2000-01-01'",
    to: "TIMESTAMP '2000-01-01'",
    window: "INTERVAL '1 minute'",
  },
}

const parts = /'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w+)/g

/** Range and window as literals, variables as texts. Flux gets its own as values of `v`. */
export function filledText(text: string, language: Language): FilledText {
  if (language === 'flux') return { text, originalOf: (offset) => offset }
  const shifts: { readonly at: number; readonly by: number }[] = []
  let grown = 0
  const filled = text.replace(parts, (found, name: string | undefined, at: number) => {
    if (name === undefined) return found
    const literal = literals[language][name] ?? "'x'"
    shifts.push({ at: at + grown, by: literal.length - found.length })
    grown += literal.length - found.length
    return literal
  })
  const originalOf = (offset: number) =>
    shifts.reduceRight(
      (place, { at, by }) => (place > at ? Math.max(place - by, at) : place),
      offset,
    )
  return { text: filled, originalOf }
}

/** As an offset in the text; undefined: it has no place. */
export function offsetOf(text: string, { line, column }: Finding): number | undefined {
  if (line < 1) return undefined
  let start = 0
  for (let i = 1; i < line; i++) {
    const end = text.indexOf('\n', start)
    if (end < 0) return text.length
    start = end + 1
  }
  return Math.min(start + Math.max(column - 1, 0), text.length)
}
