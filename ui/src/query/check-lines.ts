// Line protocol read in the page by the service's own parser, before it is sent: each bad line with its reason, and
// what the good ones hold.

import { LineProtocolParser } from '../../../src/line-protocol/parser.js'

export interface CheckedLines {
  readonly lineCount: number
  readonly errorCount: number
  /** The first hundred. */
  readonly errors: readonly { readonly line: number; readonly message: string }[]
  readonly measurements: readonly CheckedMeasurement[]
}

export interface CheckedMeasurement {
  readonly name: string
  readonly points: number
  readonly fields: readonly string[]
  readonly from: number
  readonly to: number
}

export function checkLines(text: string, precision: 'ns' | 'us' | 'ms' | 's'): CheckedLines {
  const now = BigInt(Date.now()) * 1_000_000n
  const parser = new LineProtocolParser()
  const found = parser.parse(new TextEncoder().encode(text), { precision, now })
  return {
    lineCount: found.lineCount,
    errorCount: found.errorCount,
    errors: found.errors.map(({ line, reason }) => ({ line, message: reason })),
    measurements: found.batch.tables.map(({ measurement, rowCount, fields, times }) => {
      let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      const base = Number(times.base / 1_000_000n)
      for (let row = 0; row < rowCount; row++) {
        const ms = base + times.offsets[row] / 1e6
        if (ms < from) from = ms
        if (ms > to) to = ms
      }
      return {
        name: measurement,
        points: rowCount,
        fields: fields.map(({ name }) => name),
        from,
        to,
      }
    }),
  }
}
