// The same figures, asked of a server in InfluxQL: it counts
// what it has, by itself.

import type { TimeRange } from '../../column/time.js'
import type { V1Client, V1Series } from '../connection/v1-client.js'
import { addDay, type DayStatistics, widen } from './day-statistics.js'

export interface CountedField {
  /** What it is called in the figures. */
  readonly name: string
  /** How the server is asked for it: `"f"::field`. */
  readonly expression: string
  readonly isInteger: boolean
}

/** Of one statement; each has up to two columns in the answer. */
const fieldsMax = 20

const nsPerDay = 86_400_000_000_000n

export function quoted(name: string): string {
  const escaped = name.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
  return `"${escaped}"`
}

/** Adds what a measurement has in the range to the figures. */
export async function countMeasurement(
  client: V1Client,
  statistics: DayStatistics,
  place: { readonly database: string; readonly policy: string; readonly measurement: string },
  fields: readonly CountedField[],
  range: TimeRange,
  countedAs = place.measurement,
): Promise<void> {
  const { database, policy, measurement } = place
  const from = `FROM ${quoted(database)}.${quoted(policy)}.${quoted(measurement)}`
  const where = `WHERE time >= ${range.start} AND time < ${range.stop}`
  for (let at = 0; at < fields.length; at += fieldsMax) {
    const some = fields.slice(at, at + fieldsMax)
    const columns = some.flatMap(({ expression, isInteger }, i) => [
      `count(${expression}) AS c${i}`,
      ...(isInteger ? [`sum(${expression}) AS s${i}`] : []),
    ])
    const statements = [
      `SELECT ${columns.join(', ')} ${from} ${where} GROUP BY time(1d) fill(none)`,
      ...some.flatMap(({ expression }) => [
        `SELECT first(${expression}) ${from} ${where}`,
        `SELECT last(${expression}) ${from} ${where}`,
      ]),
    ]
    const [days, ...ends] = await client.query(statements.join('; '), database)
    for (let i = 0; i < some.length; i++) {
      const { name, isInteger } = some[i]
      const first = firstTime(ends[2 * i]?.series)
      const last = firstTime(ends[2 * i + 1]?.series)
      if (first === undefined || last === undefined) continue
      const figures = statistics.field(countedAs, name, isInteger)
      widen(figures, first, last)
      addDays(days?.series?.[0], figures, i)
    }
  }
}

function addDays(
  series: V1Series | undefined,
  figures: ReturnType<DayStatistics['field']>,
  i: number,
): void {
  if (series === undefined) return
  const count = series.columns.indexOf(`c${i}`)
  const sum = series.columns.indexOf(`s${i}`)
  for (const row of series.values ?? []) {
    // Where a window has a value in none of the fields but this one, the others are null or 0.
    const found = Number(row[count] ?? 0)
    if (found === 0) continue
    const total = sum < 0 ? 0n : BigInt(row[sum] as bigint | number)
    addDay(figures, Number((row[0] as bigint) / nsPerDay), found, total)
  }
}

function firstTime(series: readonly V1Series[] | undefined): bigint | undefined {
  return series?.[0]?.values?.[0]?.[0] as bigint | undefined
}
