// Moments that a query names: texts of a time in UTC, `now()`, and these with an interval added or taken away. What
// DuckDB would make of other spellings is left to it.

import { intervalOf } from '../statement/intervals.js'
import { type TreeNode, textValue } from '../statement/tree.js'

const pattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?Z?)?$/

/** Nanoseconds since 1970; undefined where it is something else, or not known here. */
export function momentOf(node: TreeNode, now: bigint): bigint | undefined {
  switch (node.class) {
    case 'CONSTANT':
      return parseMoment(textValue(node) ?? '')
    case 'CAST':
      return node.cast_type?.id === 'TIMESTAMP' ? momentOf(node.child!, now) : undefined
    case 'FUNCTION': {
      const [left, right] = node.children ?? []
      if (node.function_name === 'now' && left === undefined) return now
      if (node.is_operator !== true || right?.cast_type?.id !== 'INTERVAL') return undefined
      // A text that something is added to is not a moment yet.
      const from = left.class === 'CONSTANT' ? undefined : momentOf(left, now)
      const span = intervalOf(right)
      if (from === undefined || span === undefined || span.months !== 0n) return undefined
      return node.function_name === '+' ? from + span.ns : from - span.ns
    }
  }
  return undefined
}

function parseMoment(text: string): bigint | undefined {
  const found = pattern.exec(text)
  if (found === null) return undefined
  const [, date, minutes = '00:00', seconds = '00', fraction = ''] = found
  const normal = `${date}T${minutes}:${seconds}`
  const milliseconds = Date.parse(`${normal}Z`)
  // JavaScript makes the second of March of the 30th of February.
  if (Number.isNaN(milliseconds)) return undefined
  if (new Date(milliseconds).toISOString().slice(0, 19) !== normal) return undefined
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}
