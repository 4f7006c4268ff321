// Both sides of a migration counted and compared. Of files, what was read of each unit was counted on the way; a server
// as a source counts by itself, as the target does.

import { floorDiv, nsPerDay, type TimeRange } from '../../column/time.js'
import type { FieldPlan } from '../plan/field-plan.js'
import type { FieldWeights } from '../plan/field-weights.js'
import type { MigrationSource, SourcePolicy } from '../plan/source.js'
import { compareStatistics, type Difference } from '../statistics/comparison.js'
import { DayStatistics } from '../statistics/day-statistics.js'
import { type CountedField, countMeasurement, quoted } from '../statistics/query-statistics.js'
import type { Journal } from './journal.js'
import type { Selection } from './migration-plan.js'
import type { MigrationTarget } from './target.js'

export interface BucketVerdict {
  readonly database: string
  readonly policy: string
  readonly measurements: number
  /** Measurements, fields and days. */
  readonly compared: number
  readonly differences: readonly Difference[]
}

export interface VerifiedBucket {
  /** In the source. */
  readonly database: string
  /** In the target. */
  readonly name: string
  readonly policy: SourcePolicy
  readonly weights: FieldWeights
  readonly fields: FieldPlan
}

export interface VerificationParts {
  readonly source: MigrationSource
  readonly target: MigrationTarget
  readonly journal: Journal
  readonly selection: Selection
  /** What has not expired. */
  readonly range: TimeRange
}

export async function verifyPolicy(
  bucket: VerifiedBucket,
  parts: VerificationParts,
): Promise<BucketVerdict> {
  const { name, policy } = bucket
  const { target, source, selection } = parts
  const range = comparedRange(policy, parts)
  const found =
    source.statistics === undefined
      ? countedOnTheWay(bucket, parts)
      : await source.statistics(bucket.database, policy.name, bucket.fields, range, selection)
  dropDaysBefore(found, range.start)
  const there = new DayStatistics()
  for (const [measurement, fields] of found.measurements) {
    const counted: CountedField[] = Array.from(fields, ([field, { isInteger }]) => {
      return { name: field, expression: `${quoted(field)}::field`, isInteger }
    })
    const place = { database: name, policy: policy.name, measurement }
    await countMeasurement(target.client, there, place, counted, range)
  }
  const { comparedCount, differences } = compareStatistics(found, there, selection.isInto)
  const measurements = found.measurements.size
  return { database: name, policy: policy.name, measurements, compared: comparedCount, differences }
}

function countedOnTheWay(
  { policy }: VerifiedBucket,
  { journal }: VerificationParts,
): DayStatistics {
  const all = new DayStatistics()
  for (const { id } of policy.units) {
    const done = journal.units.get(id)
    if (done !== undefined) all.merge(done.statistics)
  }
  return all
}

/** The day on which points are expiring has fewer of them every moment: it is left out. */
function comparedRange({ durationNs }: SourcePolicy, { range }: VerificationParts): TimeRange {
  if (durationNs === 0n) return range
  return { start: (floorDiv(range.start, nsPerDay) + 1n) * nsPerDay, stop: range.stop }
}

function dropDaysBefore(statistics: DayStatistics, start: bigint): void {
  const first = Number(floorDiv(start, nsPerDay))
  for (const fields of statistics.measurements.values()) {
    for (const [name, figures] of fields) {
      for (const day of figures.days.keys()) if (day < first) figures.days.delete(day)
      if (figures.days.size === 0) fields.delete(name)
      // Where the first moment is left out with its day, nobody knows the first of the others.
      else if (figures.first < start) figures.isFirstKnown = false
    }
  }
}
