// Line protocol taken apart into values by series, field and time, for comparing what two services hold.

import { valueAt } from '../../src/column/column.js'
import { parseSeriesKey, seriesKey } from '../../src/column/series.js'
import { timeAt } from '../../src/column/time.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'

/** `[series, field, time]` as JSON to the value, spelt as line protocol does. */
export function lineValues(lines: string): Map<string, string> {
  const { batch, errors } = new LineProtocolParser().parse(Buffer.from(lines), {
    precision: 'ns',
    now: 0n,
  })
  if (errors.length > 0) throw new Error(errors[0].message)
  const values = new Map<string, string>()
  for (const { rowCount, series, keys, times, fields } of batch.tables) {
    for (let row = 0; row < rowCount; row++) {
      const key = seriesKey(parseSeriesKey(keys.key(series[row])))
      for (const { name, column } of fields) {
        const value = valueAt(column, row)
        if (value === null) continue
        values.set(
          JSON.stringify([key, name, String(timeAt(times, row))]),
          spelt(value, column.type),
        )
      }
    }
  }
  return values
}

function spelt(value: unknown, type: string): string {
  if (type === 'string') return `"${String(value).replace(/["\\]/g, '\\$&')}"`
  if (type === 'integer') return `${value}i`
  return type === 'unsigned' ? `${value}u` : String(value)
}
