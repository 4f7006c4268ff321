// A scanner for TypeScript, just good enough for the tidy checks: it tells words, strings, templates, regular
// expressions and punctuation apart, drops comments, and pairs brackets. It builds no syntax tree: the compiler offers
// none to programs, and those parsers that do come and go with the tools around them.

export type TokenKind = 'word' | 'number' | 'string' | 'template' | 'regex' | 'mark'

export interface Token {
  readonly kind: TokenKind
  /** A string's text is without its quotes, with its escapes as written. */
  readonly text: string
  readonly start: number
  readonly end: number
  /** Counted from 1. */
  readonly line: number
  readonly endLine: number
}

export interface Tokens {
  readonly list: readonly Token[]
  /** For each bracket the index of the one it is paired with; -1 for other tokens. */
  readonly partner: Int32Array
}

const blank = /(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)+/y
const wordPattern = /[#\p{L}_$][\p{L}\p{N}_$]*/uy
const numberPattern = /\.?\d(?:[eE][+-]|[\w.])*/y
const stringPattern = /'((?:[^'\\\n]|\\[\s\S])*)'|"((?:[^"\\\n]|\\[\s\S])*)"/y
const regexPattern = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y
const templatePattern = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y
const markPattern = /=>|\?\.(?!\d)|\.\.\.|\+\+|--|[\s\S]/y

/** Words after which a slash begins a regular expression. */
const operatorWords = new Set(
  'return typeof case in of delete void throw new else do instanceof await yield'.split(' '),
)
const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

export function tokenize(text: string): Tokens {
  const scanner = new Scanner(text)
  scanner.run()
  return { list: scanner.tokens, partner: pairBrackets(scanner.tokens) }
}

class Scanner {
  readonly tokens: Token[] = []
  readonly #text: string
  #at = 0
  #line = 1
  /** One entry per template that is open around here: how many braces are open inside its `${`. */
  readonly #templates: number[] = []

  constructor(text: string) {
    this.#text = text
    this.#at = /^#!.*/.exec(text)?.[0].length ?? 0
  }

  run(): void {
    for (;;) {
      this.#skipBlank()
      if (this.#at >= this.#text.length) return
      this.#next()
    }
  }

  #next(): void {
    const start = this.#text[this.#at]
    if (start === '`') return this.#template(this.#at + 1)
    if (start === '}' && this.#templates.at(-1) === 0) {
      this.#templates.pop()
      return this.#template(this.#at + 1)
    }
    if (start === '/' && this.#regexMayFollow() && this.#take('regex', regexPattern)) return
    if (this.#take('word', wordPattern) || this.#take('number', numberPattern)) return
    if (this.#take('string', stringPattern)) return
    this.#countBrace(start)
    this.#take('mark', markPattern)
  }

  /** From behind the opening backtick, or the brace that ends an insertion, to the next one or the end. */
  #template(from: number): void {
    templatePattern.lastIndex = from
    const match = templatePattern.exec(this.#text)
    if (match === null) throw new Error(`template of line ${this.#line} has no end`)
    this.#push('template', match[0], from + match[0].length)
    if (match[1] === '${') this.#templates.push(0)
  }

  #countBrace(mark: string): void {
    const depth = this.#templates.length - 1
    if (depth < 0) return
    if (mark === '{') this.#templates[depth]++
    if (mark === '}') this.#templates[depth]--
  }

  #skipBlank(): void {
    blank.lastIndex = this.#at
    const match = blank.exec(this.#text)
    if (match === null) return
    this.#line += newlines(match[0])
    this.#at += match[0].length
  }

  #take(kind: TokenKind, pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#text)
    if (match === null) return false
    this.#push(kind, match[1] ?? match[2] ?? match[0], this.#at + match[0].length)
    return true
  }

  #push(kind: TokenKind, text: string, end: number): void {
    const start = this.#at
    const line = this.#line
    const endLine = line + newlines(this.#text.slice(start, end))
    this.tokens.push({ kind, text, start, end, line, endLine })
    this.#line = endLine
    this.#at = end
  }

  /** Whether a slash here begins a regular expression; after a value it divides. */
  #regexMayFollow(): boolean {
    const previous = this.tokens.at(-1)
    if (previous === undefined) return true
    if (previous.kind === 'word') return operatorWords.has(previous.text)
    // The rest of a template follows its insertion; only a closed template is a value.
    if (previous.kind === 'template') return previous.text.endsWith('${')
    if (previous.kind !== 'mark') return false
    if (previous.text !== '!') return ![')', ']', '}', '++', '--'].includes(previous.text)
    // `x! / 2`: an exclamation mark that clings to a value belongs to it.
    const value = this.tokens.at(-2)
    const clings = value?.end === previous.start
    return !(clings && (value?.kind === 'word' || value?.text === ')' || value?.text === ']'))
  }
}

function newlines(text: string): number {
  return text.split('\n').length - 1
}

function pairBrackets(tokens: readonly Token[]): Int32Array {
  const partner = new Int32Array(tokens.length).fill(-1)
  const open: number[] = []
  tokens.forEach(({ kind, text, line }, index) => {
    if (kind !== 'mark') return
    if (text === '(' || text === '[' || text === '{') open.push(index)
    const opening = pairs[text]
    if (opening === undefined) return
    const from = open.pop()
    if (from === undefined || tokens[from].text !== opening) {
      throw new Error(`bracket ${text} of line ${line} has no partner`)
    }
    partner[from] = index
    partner[index] = from
  })
  const left = open.pop()
  if (left !== undefined) {
    throw new Error(`bracket ${tokens[left].text} of line ${tokens[left].line} has no partner`)
  }
  return partner
}
