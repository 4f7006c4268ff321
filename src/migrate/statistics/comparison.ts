// Two counts of the same points, side by side. Every difference is a line with what was found on
// either side.

import type { DayStatistics, FieldFigures } from './day-statistics.js'

export interface Difference {
  readonly measurement: string
  readonly field: string
  /** A day such as 2026-01-31; undefined: the field as a whole. */
  readonly day: string | undefined
  readonly what: 'count' | 'sum' | 'first' | 'last'
  readonly source: string
  readonly target: string
}

export interface Comparison {
  /** Measurements, fields and days that were compared. */
  readonly comparedCount: number
  readonly differences: readonly Difference[]
}

/** `allowsMore`: the target had points before; only what is missing there counts. */
export function compareStatistics(
  source: DayStatistics,
  target: DayStatistics,
  allowsMore: boolean,
): Comparison {
  const differences: Difference[] = []
  let comparedCount = 0
  for (const [measurement, fields] of source.measurements) {
    for (const [field, figures] of fields) {
      const other = target.measurements.get(measurement)?.get(field)
      comparedCount += figures.days.size
      for (const found of compareField(figures, other, allowsMore)) {
        differences.push({ measurement, field, ...found })
      }
    }
  }
  return { comparedCount, differences }
}

type Found = Omit<Difference, 'measurement' | 'field'>

function* compareField(
  source: FieldFigures,
  target: FieldFigures | undefined,
  allowsMore: boolean,
): Generator<Found> {
  const days = new Set([...source.days.keys(), ...(allowsMore ? [] : (target?.days.keys() ?? []))])
  for (const number of days) {
    const day = dayText(number)
    const a = source.days.get(number) ?? { count: 0, sum: 0n }
    const b = target?.days.get(number) ?? { count: 0, sum: 0n }
    if (allowsMore ? b.count < a.count : b.count !== a.count) {
      yield { day, what: 'count', source: `${a.count}`, target: `${b.count}` }
    } else if (source.isInteger && a.count === b.count && a.sum !== b.sum) {
      yield { day, what: 'sum', source: `${a.sum}`, target: `${b.sum}` }
    }
  }
  if (allowsMore || source.days.size === 0) return
  const none = 'none'
  if (source.isFirstKnown && source.first !== target?.first) {
    yield {
      day: undefined,
      what: 'first',
      source: `${source.first}`,
      target: `${target?.first ?? none}`,
    }
  }
  if (source.last !== target?.last) {
    yield {
      day: undefined,
      what: 'last',
      source: `${source.last}`,
      target: `${target?.last ?? none}`,
    }
  }
}

function dayText(day: number): string {
  const moment = new Date(day * 86_400_000)
  return Number.isNaN(moment.getTime()) ? String(day) : moment.toISOString().slice(0, 10)
}
