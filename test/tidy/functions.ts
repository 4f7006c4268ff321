// The functions of a file with their names and lengths, found by the shape of their tokens: `name(...) {` with or
// without a return type, and `=> {`. Arrow functions that are one expression are not counted; an object type behind
// an arrow is taken for a function, which does no harm, as such types are short.

import type { SourceFile } from './source.js'
import { tokensOf } from './source.js'
import type { Token, Tokens } from './tokens.js'

export interface FunctionLength {
  /** Undefined for a callback; methods have their class in front. */
  readonly name: string | undefined
  readonly line: number
  readonly lines: number
}

const control = new Set(['if', 'for', 'while', 'switch', 'catch', 'await'])
const typePrefixes = new Set([
  'readonly',
  'keyof',
  'typeof',
  'asserts',
  'infer',
  'unique',
  'new',
  '|',
  '-',
])
const typeJoiners = new Set(['|', '&', '=>', '.', '?', ':', 'is', 'extends'])

export function functionsOf(file: SourceFile): FunctionLength[] {
  const tokens = tokensOf(file)
  const classes = classBodies(tokens)
  const found: FunctionLength[] = []
  const add = (name: string | undefined, from: number, body: number) => {
    const line = tokens.list[from].line
    const lines = tokens.list[tokens.partner[body]].endLine - line + 1
    found.push({ name, line, lines })
  }
  tokens.list.forEach((token, index) => {
    if (isMark(token, '(')) {
      const body = bodyAfter(tokens, tokens.partner[index] + 1)
      const head = body < 0 ? undefined : headBefore(tokens, index)
      if (head === undefined) return
      const owner = head.isMethod ? classes.get(enclosingBrace(tokens, index)) : undefined
      add(owner === undefined ? head.name : `${owner}.${head.name}`, head.from, body)
    } else if (isMark(token, '=>') && isMark(tokens.list[index + 1], '{')) {
      const from = arrowStart(tokens, index)
      add(nameAssigned(tokens, from), from, index + 1)
    }
  })
  return found
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text
}

/** The brace that opens the body of a function whose parameters end before `at`; -1 where none follows. */
function bodyAfter(tokens: Tokens, at: number): number {
  const { list } = tokens
  if (isMark(list[at], '{')) return at
  if (!isMark(list[at], ':')) return -1
  const after = typeEnd(tokens, at + 1)
  return isMark(list[after], '{') ? after : -1
}

/** The index behind the type that begins at `at`, taking as much as can belong to one. */
function typeEnd(tokens: Tokens, at: number): number {
  const { list, partner } = tokens
  let index = at
  for (;;) {
    while (typePrefixes.has(list[index]?.text)) index++
    const operand = list[index]
    if (operand === undefined) return index
    if (operand.kind === 'mark') {
      if (partner[index] <= index) return index
      index = partner[index] + 1
    } else index++
    for (;;) {
      if (isMark(list[index], '[')) index = partner[index] + 1
      else if (isMark(list[index], '<')) index = angleEnd(tokens, index)
      else break
    }
    if (!typeJoiners.has(list[index]?.text)) return index
    index++
  }
}

/** The index behind the `>` that closes the `<` at `at`. */
function angleEnd(tokens: Tokens, at: number): number {
  const { list, partner } = tokens
  let depth = 0
  for (let index = at; index < list.length; index++) {
    if (isMark(list[index], '<')) depth++
    else if (isMark(list[index], '>') && --depth === 0) return index + 1
    else if (partner[index] > index) index = partner[index]
  }
  return list.length
}

/** The index of the `<` that the `>` at `at` closes; -1 where it is no bracket. */
function angleStart(tokens: Tokens, at: number): number {
  const { list, partner } = tokens
  let depth = 0
  for (let index = at; index >= 0; index--) {
    if (isMark(list[index], '>')) depth++
    else if (isMark(list[index], '<') && --depth === 0) return index
    else if (partner[index] > index) return -1
    else if (partner[index] >= 0) index = partner[index]
  }
  return -1
}

/** What stands before a parameter list that a body follows; undefined where that is no function. */
function headBefore(tokens: Tokens, parameters: number) {
  const { list, partner } = tokens
  let at = parameters - 1
  if (isMark(list[at], '>')) at = angleStart(tokens, at) - 1
  const word = list[at]
  if (word === undefined || (word.kind === 'word' && control.has(word.text))) return undefined
  if (word.text === 'function' && word.kind === 'word') {
    return { name: nameAssigned(tokens, at), from: at, isMethod: false }
  }
  const before = isMark(list[at - 1], '*') ? list[at - 2] : list[at - 1]
  if (before?.text === 'function') return { name: word.text, from: at, isMethod: false }
  if (isMark(word, ']')) return { name: '(computed)', from: partner[at], isMethod: true }
  return word.kind === 'mark' ? undefined : { name: word.text, from: at, isMethod: true }
}

/** Where the arrow function begins whose arrow stands at `arrow`. */
function arrowStart(tokens: Tokens, arrow: number): number {
  const { list, partner } = tokens
  let at = arrow - 1
  // Back over a return type, if there is one, to the parenthesis before its colon.
  for (let index = at; index > 0 && index > arrow - 40; index--) {
    if (isMark(list[index], ':') && isMark(list[index - 1], ')')) {
      if (typeEnd(tokens, index + 1) >= arrow) at = index - 1
      break
    }
    if (partner[index] > index || isMark(list[index], '=>')) break
    if (partner[index] >= 0) index = partner[index]
  }
  if (isMark(list[at], ')')) at = partner[at]
  if (isMark(list[at - 1], '>')) at = Math.max(angleStart(tokens, at - 1), 0)
  return list[at - 1]?.text === 'async' ? at - 1 : at
}

/** The name that the function beginning at `at` is given: `const f = `, `f: ` or a class's `f = `. */
function nameAssigned(tokens: Tokens, at: number): string | undefined {
  const { list } = tokens
  const sign = list[at - 1]
  if (!isMark(sign, '=') && !isMark(sign, ':')) return undefined
  const name = list[at - 2]
  if (isMark(sign, ':')) return name?.kind === 'word' ? name.text : undefined
  // `const f: Type = ...`: the name stands behind the word that declares it.
  for (let index = at - 2; index >= 0 && index > at - 30; index--) {
    const { text, line } = list[index]
    if (text === 'const' || text === 'let') return list[index + 1].text
    if (text === '=' || line < sign.line - 3) break
  }
  return name?.kind === 'word' ? name.text : undefined
}

/** The opening brace of each class body, with the name of the class. */
function classBodies(tokens: Tokens): Map<number, string> {
  const { list, partner } = tokens
  const bodies = new Map<number, string>()
  list.forEach((token, index) => {
    if (token.kind !== 'word' || token.text !== 'class' || isMark(list[index - 1], '.')) return
    let at = index + 1
    while (at < list.length && !isMark(list[at], '{')) {
      if (isMark(list[at], '<')) at = angleEnd(tokens, at)
      else at = Math.max(partner[at], at) + 1
    }
    const name = list[index + 1]
    const isNamed = name?.kind === 'word' && name.text !== 'extends'
    if (at < list.length) bodies.set(at, isNamed ? name.text : '(class)')
  })
  return bodies
}

function enclosingBrace(tokens: Tokens, at: number): number {
  for (let index = at - 1; index >= 0; index--) {
    const partner = tokens.partner[index]
    if (partner > at) return index
    if (partner >= 0 && partner < index) index = partner
  }
  return -1
}
