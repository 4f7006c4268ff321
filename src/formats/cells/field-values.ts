// Cells as line protocol spells their values. A cell that is none of its type is a `CellError`: the row is refused, the
// others go on.

import { printString } from '../../line-protocol/printer.js'

export type FieldType =
  | 'double'
  | 'long'
  | 'unsignedLong'
  | 'boolean'
  | 'string'
  | 'duration'
  | 'base64Binary'
  | 'dateTime'

export class CellError extends Error {}

export type Spell = (text: string) => string

/** `format`: of numbers the decimal sign and what is left out, of switches the words; `strict`: no fractions. */
export function spelling(type: FieldType, format: string | undefined): Spell {
  switch (type) {
    case 'double':
      return spellDouble(format)
    case 'long':
      return spellInteger(format, 'i', -(2n ** 63n), 2n ** 63n - 1n)
    case 'unsignedLong':
      return spellInteger(format, 'u', 0n, 2n ** 64n - 1n)
    case 'boolean':
      return spellBoolean(format)
    case 'duration':
      return (text) => `${durationNs(text)}i`
    case 'base64Binary':
      return spellBase64
    default:
      return printString
  }
}

const doublePattern = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

function spellDouble(format: string | undefined): Spell {
  const plain = plainNumber(format)
  return (cell) => {
    const text = plain(cell)
    const value = doublePattern.test(text) ? Number(text) : Number.NaN
    if (!Number.isFinite(value)) throw new CellError(`"${cell}" is no number`)
    return Object.is(value, -0) ? '-0' : String(value)
  }
}

function spellInteger(format: string | undefined, ending: string, min: bigint, max: bigint): Spell {
  const isStrict = format === 'strict'
  const plain = plainNumber(isStrict ? undefined : format)
  return (cell) => {
    const match = /^\+?(-?\d+)(\.\d*)?$/.exec(plain(cell))
    if (match === null || (isStrict && match[2] !== undefined)) {
      throw new CellError(`"${cell}" is no integer`)
    }
    const digits = match[1]
    const isSmall = digits.length < 18 && !(min === 0n && digits.startsWith('-'))
    const value = isSmall ? 0n : BigInt(digits)
    if (value < min || value > max) throw new CellError(`"${cell}" is out of range`)
    return `${digits}${ending}`
  }
}

/** The first character of a format is the decimal sign; the others stand between digits and mean nothing. */
function plainNumber(format: string | undefined): Spell {
  if (format === undefined || format === '') return (text) => text.trim()
  const [decimal, ...between] = format
  return (text) => {
    let plain = text.trim()
    for (const character of between) plain = plain.replaceAll(character, '')
    return decimal === '.' ? plain : plain.replaceAll(decimal, '.')
  }
}

function spellBoolean(format: string | undefined): Spell {
  if (format !== undefined && format !== '') {
    const [yes = '', no = ''] = format.split(':')
    const words = new Map([
      ...no.split(',').map((word) => [word, 'false'] as const),
      ...yes.split(',').map((word) => [word, 'true'] as const),
    ])
    return (text) => words.get(text) ?? refuse(text, 'no boolean')
  }
  return (text) => {
    if (/^[tTyY1]/.test(text)) return 'true'
    return /^[fFnN0]/.test(text) ? 'false' : refuse(text, 'no boolean')
  }
}

function refuse(text: string, what: string): never {
  throw new CellError(`"${text}" is ${what}`)
}

const unitNs: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
  d: 86_400e9,
  w: 604_800e9,
}

/** As Go and Flux write them, `1h30m` or `1.5s`. */
function durationNs(cell: string): bigint {
  const text = cell.trim()
  if (text === '0') return 0n
  const pattern = /(\d+)(\.\d+)?(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d|w)/gy
  const isNegative = text.startsWith('-')
  pattern.lastIndex = isNegative ? 1 : 0
  let total = 0n
  let end = pattern.lastIndex
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const unit = unitNs[match[3]]
    total += BigInt(match[1]) * BigInt(unit)
    total += BigInt(Math.round(Number(`0${match[2] ?? ''}`) * unit))
    end = pattern.lastIndex
  }
  if (end !== text.length || end === 0) throw new CellError(`"${cell}" is no duration`)
  return isNegative ? -total : total
}

function spellBase64(text: string): string {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) throw new CellError('is not base64')
  return printString(Buffer.from(text, 'base64').toString('utf8'))
}
