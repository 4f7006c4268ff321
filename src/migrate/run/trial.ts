// How long a migration will take, found out by doing a little of it: some points are read from the middle of the
// largest policy and written to where they are forgotten again. What a plan tells of it is a guess.

import type { WriteBatch } from '../../column/write-batch.js'
import type { MigrationSource } from '../plan/source.js'
import { DayStatistics } from '../statistics/day-statistics.js'
import { isChosen, type MigrationPlan, type Selection } from './migration-plan.js'

/** It ends with the first of both. */
const trialMs = 3000
const trialPoints = 500_000

/** The first part only warms up: code that runs for the first time is several times slower. */
const warmUpMs = 1000

export interface TrialParts {
  readonly source: MigrationSource
  readonly selection: Selection
  write(batch: WriteBatch): Promise<unknown>
  /** Milliseconds since whenever. */
  now(): number
}

/** Undefined where there is nothing to try with, or nobody knows how much there is. */
export async function estimatedSeconds(
  plan: MigrationPlan,
  parts: TrialParts,
): Promise<number | undefined> {
  const policies = plan.databases.flatMap(({ database, policies: all }) =>
    all.map((policy) => ({ database: database.name, policy, values: policy.values ?? 0 })),
  )
  if (policies.some(({ policy }) => policy.values === undefined)) return undefined
  const [largest] = policies.sort((a, b) => b.values - a.values)
  if (largest === undefined || largest.values === 0) return undefined
  const rate = await trialRate(largest, parts)
  if (rate === undefined) return undefined
  return policies.reduce((sum, { values }) => sum + values, 0) / rate
}

type LargestPolicy = {
  readonly database: string
  readonly policy: MigrationPlan['databases'][number]['policies'][number]
}

/** Values a second. */
async function trialRate(
  { database, policy: { policy, fields } }: LargestPolicy,
  { source, selection, write, now }: TrialParts,
): Promise<number | undefined> {
  const units = policy.units.filter((unit) => isChosen(unit, selection))
  const unit = units[units.length >>> 1]
  const points = source.read({
    database,
    policy: policy.name,
    unit,
    range: selection.range,
    wantsMeasurement: (name) => selection.measurements?.has(name) ?? true,
    fieldTarget: fields.targetOf.bind(fields),
    onDamage: () => {},
    onBytes: () => {},
  })
  const statistics = new DayStatistics()
  const started = now()
  let [values, from, valuesBefore] = [0, started, 0]
  for await (const batch of points) {
    values += statistics.add(batch)
    await write(batch)
    const taken = now() - started
    if (from === started && taken > warmUpMs) [from, valuesBefore] = [now(), values]
    if (taken > trialMs || statistics.points > trialPoints) break
  }
  // Where all was over before it was warm, the whole counts.
  const counted = values - valuesBefore
  const [some, since] = counted > 0 ? [counted, from] : [values, started]
  const seconds = (now() - since) / 1000
  return some === 0 || seconds <= 0 ? undefined : some / seconds
}
