// Spans of time in a statement: `INTERVAL '1 hour 30 minutes'`, `INTERVAL 10 minutes`, or the text alone
// where a function takes nothing else. Months have no length in nanoseconds, so they are counted apart.

import { type TreeNode, textValue, wholeNumber } from './tree.js'

export interface Interval {
  readonly months: bigint
  readonly ns: bigint
}

const unitNs: Readonly<Record<string, number>> = {
  nanosecond: 1,
  microsecond: 1e3,
  millisecond: 1e6,
  second: 1e9,
  minute: 60e9,
  hour: 3600e9,
  day: 86_400e9,
  week: 604_800e9,
}

const unitMonths: Readonly<Record<string, number>> = {
  month: 1,
  quarter: 3,
  year: 12,
  decade: 120,
  century: 1200,
  centurie: 1200,
}

const short: Readonly<Record<string, string>> = {
  ns: 'nanosecond',
  us: 'microsecond',
  ms: 'millisecond',
  s: 'second',
  sec: 'second',
  m: 'minute',
  min: 'minute',
  h: 'hour',
  hr: 'hour',
  d: 'day',
  w: 'week',
  mon: 'month',
  y: 'year',
  yr: 'year',
}

/** Undefined where it is no interval that is known before the statement runs. */
export function intervalOf(node: TreeNode): Interval | undefined {
  const text = node.class === 'CAST' && node.cast_type?.id === 'INTERVAL' ? node.child : node
  const value = textValue(text)
  if (value !== undefined) return parseInterval(value)
  const unit = /^to_(\w+)$/.exec(node.function_name ?? '')?.[1]
  if (unit === undefined) return undefined
  const amount = innermost(node)
  const number = wholeNumber(amount)?.toString() ?? textValue(amount)
  return number === undefined ? undefined : parseInterval(`${number} ${unit}`)
}

function innermost(node: TreeNode): TreeNode {
  const next = node.children?.[0] ?? node.child
  return next === undefined ? node : innermost(next)
}

/** Of a unit, be it short; other words stay what they are. */
function singularOf(word: string): string {
  const one = word.replace(/s$/, '')
  if (Object.hasOwn(short, word)) return short[word]
  return Object.hasOwn(short, one) ? short[one] : one
}

function parseInterval(text: string): Interval | undefined {
  const parts = [...text.toLowerCase().matchAll(/([+-]?\d+(?:\.\d+)?)\s*([a-z]+)/g)]
  const rest = text.toLowerCase().replace(/([+-]?\d+(?:\.\d+)?)\s*([a-z]+)/g, '')
  if (parts.length === 0 || rest.trim() !== '') return undefined
  let months = 0n
  let ns = 0n
  for (const [, number, word] of parts) {
    const singular = singularOf(word)
    if (Object.hasOwn(unitMonths, singular))
      months += BigInt(Math.round(Number(number) * unitMonths[singular]))
    else if (!Object.hasOwn(unitNs, singular)) return undefined
    else if (number.includes('.')) ns += BigInt(Math.round(Number(number) * unitNs[singular]))
    else ns += BigInt(number) * BigInt(unitNs[singular])
  }
  return { months, ns }
}
