// Literals → documents. What the script wrote is written again where it is known (escapes of strings,
// digits of floats) and still means the value of the node; everything else is written from the value.

import type {
  Comment,
  DateTimeLiteral,
  DurationLiteral,
  FloatLiteral,
  Identifier,
  IntegerLiteral,
  LabelLiteral,
  LabelType,
  RegexpLiteral,
  StringLiteral,
  TextPart,
  UnsignedIntegerLiteral,
} from './ast.js'
import { type Hanging, hanging, layHanging, opening } from './hang.js'
import {
  concat,
  type Doc,
  hardLine,
  line,
  nest,
  nil,
  rawLine,
  separated,
  text,
  verbatim,
} from './layout.js'
import { readString } from './literal-text.js'
import { Scanner } from './scanner.js'

type Comments = readonly Comment[] | undefined

/** Comments with their line ends. */
export function printComments(comments: Comments): Doc {
  if (comments === undefined || comments.length === 0) return nil
  return concat(
    ...comments.map((comment) => separated(comment.text.split('\n').map(text), hardLine)),
  )
}

/** Comments behind something on its line: they begin on the next one, indented. */
export function printCommentsBehind(comments: Comments): Doc {
  if (comments === undefined || comments.length === 0) return nil
  return nest(concat(line, printComments(comments)))
}

export function printIdentifier(id: Identifier): Doc {
  return concat(printComments(id.comments), id.name)
}

export function printPropertyKey(key: Identifier | StringLiteral): Doc {
  return key.type === 'Identifier' ? printIdentifier(key) : printString(key)
}

export function printString(literal: StringLiteral): Doc {
  return layHanging(hangString(literal))
}

export function hangString(literal: StringLiteral): Hanging {
  const { source } = literal.location
  const comments = printComments(literal.comments)
  if (source !== undefined && isSourceOf(source, literal.value)) {
    return hanging(concat(comments, verbatim(source)))
  }
  const quoted = concat(comments, '"')
  return hanging(verbatim(escapeText(literal.value, '"')), opening(quoted, text('"')))
}

function isSourceOf(source: string, value: string): boolean {
  if (new Scanner(source).scan().text !== source) return false
  const read = readString(source)
  return 'value' in read && read.value === value
}

/** A part of a string with expressions; `follower` is what is written behind it. */
export function printTextPart(part: TextPart, follower: '"' | '${'): Doc {
  const lines = escapeText(part.value, follower).split('\n')
  return separated(lines.map(verbatim), rawLine)
}

/**
 * The text of a string. A dollar sign takes the next character with it when it is read, so it is escaped
 * where that would be more than an ordinary character.
 */
export function escapeText(value: string, follower: string): string {
  if (value === '$' && follower === '"') return value
  return value.replace(/["\\]|\$(\{?)/g, (match, brace, offset: number) => {
    if (match === '"' || match === '\\') return `\\${match}`
    if (brace === '{') return '\\${'
    const next = value[offset + 1]
    return next === undefined || '"\\$'.includes(next) ? '\\x24' : '$'
  })
}

export function printInteger(literal: IntegerLiteral | UnsignedIntegerLiteral): Doc {
  return concat(printComments(literal.comments), literal.value)
}

const floatShape = /^(\d+\.\d*|\.\d+)$/

export function printFloat(literal: FloatLiteral): Doc {
  const { source = '' } = literal.location
  const isSame = floatShape.test(source) && Number(source) === literal.value
  return concat(printComments(literal.comments), isSame ? source : decimalText(literal.value))
}

/** Without an exponent, which Flux has not, and always with a point. */
function decimalText(value: number): string {
  const [digits, exponent] = String(value).split('e')
  if (exponent === undefined) return digits.includes('.') ? digits : `${digits}.0`
  const sign = digits.startsWith('-') ? '-' : ''
  const [whole, fraction = ''] = digits.replace('-', '').split('.')
  const point = whole.length + Number(exponent)
  const all = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  return `${sign}${all.padEnd(point, '0').slice(0, point)}.${all.slice(point) || '0'}`
}

export function printDuration(literal: DurationLiteral): Doc {
  const parts = literal.values.map(({ magnitude, unit }) => `${magnitude}${unit}`)
  return concat(printComments(literal.comments), parts.join(''))
}

export function printTime(literal: DateTimeLiteral): Doc {
  return concat(printComments(literal.comments), literal.value)
}

export function printRegex(literal: RegexpLiteral): Doc {
  return concat(printComments(literal.comments), verbatim(`/${escapeRegex(literal.value)}/`))
}

/** Backslashes are paired up; one that would escape what it must not is written as a byte. */
function escapeRegex(value: string): string {
  if (value === '') return '(?:)'
  const escaped = value.replace(/\\([\s\S]?)|\//g, (match, next) => {
    if (match === '/') return '\\/'
    if (next === '') return '\\x5c'
    if (next === '/') return '\\x5c\\/'
    return next === 'x' ? '\\x5cx' : match
  })
  return escaped.endsWith('\\\\') ? `${escaped.slice(0, -2)}\\x5c\\x5c` : escaped
}

export function printLabel(label: LabelLiteral | LabelType): Doc {
  const token = new Scanner(label.value).scan()
  const isName = token.kind === 'IDENT' && token.text === label.value
  const name = isName ? text(label.value) : verbatim(`"${escapeText(label.value, '"')}"`)
  return concat(printComments(label.comments), '.', name)
}
