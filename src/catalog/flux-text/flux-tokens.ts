// A Flux text cut into words, strings, numbers and signs, with the place of each. Enough to find
// and change a record of literals without understanding the language; comments and regular
// expressions are stepped over, so that quotes and braces inside them mislead nobody.

export interface FluxToken {
  readonly kind: 'word' | 'string' | 'number' | 'sign'
  readonly text: string
  readonly start: number
  readonly end: number
}

const blank = /\s+/y
const comment = /\/\/[^\n]*/y
const word = /[\p{L}_][\p{L}\p{N}_]*/uy
const string = /"(?:[^"\\]|\\[\s\S])*"/y
// Durations, dates and plain numbers: whatever starts with a digit and goes on without a gap.
const number = /\d[\p{L}\p{N}\u00b5\u03bc]*(?:\.\d+)?(?:[\p{L}\p{N}]*)/uy
const regex = /\/(?:[^/\\\n]|\\.)+\//y

/** Words after which a slash begins a regular expression; after any other it divides. */
const wordsBeforeValue = new Set(['and', 'or', 'not', 'return', 'then', 'else', 'if', 'in'])

export function fluxTokens(text: string): FluxToken[] {
  const tokens: FluxToken[] = []
  let at = 0
  // Where nothing closed a quote or a slash, nothing will close the next one: looking again from
  // each of them would take quadratic time.
  let isQuoteOpen = false
  let slashOpenUntil = 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    return pattern.exec(text)?.[0]
  }
  const add = (kind: FluxToken['kind'], found: string) => {
    tokens.push({ kind, text: found, start: at, end: at + found.length })
    at += found.length
  }
  while (at < text.length) {
    const skipped = match(blank) ?? match(comment)
    if (skipped !== undefined) {
      at += skipped.length
      continue
    }
    if (text[at] === '/' && at >= slashOpenUntil && expectsValue(tokens.at(-1))) {
      const expression = match(regex)
      if (expression !== undefined) {
        at += expression.length
        continue
      }
      const lineEnd = text.indexOf('\n', at)
      slashOpenUntil = lineEnd < 0 ? text.length : lineEnd
    }
    const isQuote = text[at] === '"'
    if (isQuote && isQuoteOpen) {
      add('sign', '"')
      continue
    }
    const before = at
    addNext(match, add, text[at])
    if (isQuote && at === before + 1) isQuoteOpen = true
  }
  return tokens
}

function addNext(
  match: (pattern: RegExp) => string | undefined,
  add: (kind: FluxToken['kind'], found: string) => void,
  character: string,
): void {
  const foundWord = match(word)
  if (foundWord !== undefined) return add('word', foundWord)
  const foundString = match(string)
  if (foundString !== undefined) return add('string', foundString)
  const foundNumber = match(number)
  if (foundNumber !== undefined) return add('number', foundNumber)
  add('sign', character)
}

function expectsValue(before: FluxToken | undefined): boolean {
  if (before === undefined) return true
  if (before.kind === 'word') return wordsBeforeValue.has(before.text)
  return before.kind === 'sign' && !')]}'.includes(before.text)
}

const escapes: Readonly<Record<string, string | undefined>> = { n: '\n', r: '\r', t: '\t' }

/** What a string token stands for. */
export function fluxStringValue(token: string): string {
  return token.slice(1, -1).replace(/\\(?:x([0-9a-fA-F]{2})|([\s\S]))/g, (_, hex, single) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
    return escapes[single] ?? single
  })
}

export function fluxString(value: string): string {
  const escaped = value.replace(/[\\"]/g, (sign) => `\\${sign}`)
  const lines = escaped.replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')
  // `${` would begin an interpolation.
  return `"${lines.replace(/\$\{/g, '\\${')}"`
}
