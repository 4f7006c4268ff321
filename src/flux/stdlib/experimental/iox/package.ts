// The package `experimental/iox`: buckets asked in SQL, measurements as wide tables, and durations in the
// words of SQL.

import { type Definitions, native } from '../../../package/define.js'
import { from, sql } from './tables.js'

const fromType =
  '(bucket: string, measurement: string) => stream[{A with _time: time}] where A: Record'
const sqlType = '(bucket: string, query: string) => stream[A] where A: Record'

export const ioxBuiltins: Definitions = {
  from: native(fromType, from),
  sql: native(sqlType, sql),
  _sqlInterval: native('(d: string) => string', (call) => sqlInterval(call.string('d'))),
}

const unitWords: ReadonlyMap<string, string> = new Map([
  ['ns', 'nanoseconds'],
  ['us', 'microseconds'],
  ['ms', 'milliseconds'],
  ['s', 'seconds'],
  ['m', 'minutes'],
  ['h', 'hours'],
  ['d', 'days'],
  ['w', 'weeks'],
  ['mo', 'months'],
  ['y', 'years'],
])

/** `1w6d` → `1 weeks 6 days`; what is no unit stays. */
function sqlInterval(text: string): string {
  return text.replace(/[^\d]+/g, (unit) => ` ${unitWords.get(unit) ?? unit} `).trim()
}
