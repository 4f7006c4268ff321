// Values as text: what stands in an interpolated string, and what `display(v:)` shows of anything. How
// plain values are converted on request is said in `conversion.ts`.

import { compareUtf8 } from '../../column/series.js'
import { durationText } from './duration.js'
import { plainFloatText, shortFloatText } from './float-text.js'
import { checkParts, checkTextLength, printedPartsMax } from './size.js'
import { TableObject } from './table-object.js'
import { timeText } from './time.js'
import {
  Bytes,
  Dictionary,
  Duration,
  Dynamic,
  type FluxArray,
  FluxFunction,
  FluxRecord,
  type FluxValue,
  Regexp,
  StreamValue,
  Time,
  Uint,
} from './value.js'

/** The text of a value in `"${…}"`; undefined: it has none. */
export function interpolatedText(value: FluxValue): string | undefined {
  switch (typeof value) {
    case 'string':
      return value
    case 'number':
      return plainFloatText(value)
    case 'bigint':
    case 'boolean':
      return String(value)
    default:
      if (value instanceof Time) return timeText(value.ns)
      if (value instanceof Uint) return value.value.toString()
      return value instanceof Duration ? durationText(value) : undefined
  }
}

/** Collections of more than this many are shown one element per line. */
const onOneLineMax = 3
const indentation = '    '

export function displayText(value: FluxValue): string {
  checkParts(value, printedPartsMax)
  const text = display(value, 0)
  checkTextLength(text.length)
  return text
}

function display(value: FluxValue, depth: number): string {
  const text = plainText(value)
  if (text !== undefined) return text
  if (Array.isArray(value)) return displayArray(value, depth)
  if (value instanceof FluxRecord) return displayRecord(value, depth)
  if (value instanceof Dictionary) return displayDictionary(value, depth)
  if (value instanceof Dynamic) return `dynamic(${display(value.inner, depth)})`
  return '<unknown value>'
}

/** undefined: it has parts. */
function plainText(value: FluxValue): string | undefined {
  if (value === null) return '<null>'
  if (typeof value === 'number') return shortFloatText(value)
  const text = interpolatedText(value)
  if (text !== undefined) return text
  if (value instanceof Bytes) return `0x${Buffer.from(value.bytes).toString('hex')}`
  if (value instanceof Regexp) return value.pattern
  if (value instanceof FluxFunction) return value.typeText
  if (value instanceof StreamValue || value instanceof TableObject) return '<stream>'
  return undefined
}

function displayArray(values: FluxArray, depth: number): string {
  const parts = values.map((value) => display(value, depth + 1))
  return bracketed('[', parts, ',', ']', depth)
}

/** Properties sorted by name. */
function displayRecord(record: FluxRecord, depth: number): string {
  const names = [...record.names()].sort(compareUtf8)
  const parts = names.map((name) => `${name}: ${display(record.get(name) ?? null, depth + 1)}`)
  return bracketed('{', parts, ',', '}', depth)
}

function displayDictionary({ entries }: Dictionary, depth: number): string {
  if (entries.length === 0) return '[:]'
  const parts = entries.map(
    ({ key, value }) => `${display(key, depth + 1)}: ${display(value, depth + 1)}`,
  )
  // A space stays at the ends of lines: so does Flux.
  return bracketed('[', parts, ', ', ']', depth)
}

function bracketed(
  open: string,
  parts: readonly string[],
  lineSeparator: string,
  close: string,
  depth: number,
): string {
  if (parts.length <= onOneLineMax) return `${open}${parts.join(', ')}${close}`
  const inner = `\n${indentation.repeat(depth + 1)}`
  const outer = `\n${indentation.repeat(depth)}`
  return `${open}${inner}${parts.join(`${lineSeparator}${inner}`)}${outer}${close}`
}
