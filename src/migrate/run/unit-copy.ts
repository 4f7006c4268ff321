// One unit from its source into the target: batches are written as they are read, a few at a time, so that reading and
// writing take turns and memory holds no more than those. Whoever is busy is tried again.

import type { WriteBatch } from '../../column/write-batch.js'
import type { MigrationSource, UnitRequest } from '../plan/source.js'
import { DayStatistics } from '../statistics/day-statistics.js'
import { patiently } from './patience.js'
import type { TagChanges } from './tag-changes.js'
import type { MigrationTarget } from './target.js'

/** Writes under way at once: one is made durable while the next is read. */
const writesMax = 3

export interface UnitCopy {
  readonly statistics: DayStatistics
  readonly refusedCount: number
  readonly reasons: ReadonlySet<string>
}

export interface CopyPlace {
  readonly database: string
  readonly policy: string
  readonly tags?: TagChanges | undefined
}

export async function copyUnit(
  source: MigrationSource,
  request: UnitRequest,
  target: MigrationTarget,
  place: CopyPlace,
  onPoints: (points: number, values: number) => void,
): Promise<UnitCopy> {
  const statistics = new DayStatistics()
  const reasons = new Set<string>()
  let refusedCount = 0
  const underWay = new Set<Promise<void>>()
  let failure: unknown
  const write = async (batch: WriteBatch, values: number) => {
    const refused = await patiently(() => target.write(place.database, place.policy, batch))
    refusedCount += refused.count
    for (const reason of refused.reasons) if (reasons.size < 20) reasons.add(reason)
    onPoints(batch.pointCount, values)
  }
  for await (const read of source.read(request)) {
    const values = statistics.add(read)
    const batch = place.tags?.applyTo(read) ?? read
    const written = write(batch, values)
      .catch((error: unknown) => {
        failure ??= error
      })
      .finally(() => underWay.delete(written))
    underWay.add(written)
    if (underWay.size >= writesMax) await Promise.race(underWay)
    if (failure !== undefined) break
  }
  await Promise.all(underWay)
  if (failure !== undefined) throw failure
  return { statistics, refusedCount, reasons }
}
