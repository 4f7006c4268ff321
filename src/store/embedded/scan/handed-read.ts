// A read that a thread carries out by itself, whole, from what the thread with the index has told it: the plan, the
// sources and how groups are joined. The same code as everywhere reads; nothing comes back but what is done with it.

import type { Batch } from '../../../column/batch.js'
import type { TimeRange } from '../../../column/time.js'
import type { Disk } from '../../../platform/disk.js'
import { type PullStream, streamOf } from '../../../platform/pull-stream.js'
import { GroupedRead } from '../read/grouped-read.js'
import type { Grouping } from '../read/grouping.js'
import { KeyGroups } from '../read/key-groups.js'
import type { RangedRead } from '../read/prepared-request.js'
import { readRows } from '../read/read.js'
import { noBounds, selectSeries } from '../read/selection.js'
import { cursorInputs, type Source } from '../read/sources.js'
import type { ScanJob } from './messages.js'
import { OpenSources } from './open-sources.js'
import { describeScan } from './scan-job.js'

/** Plain data and shared memory. */
export interface HandedJob extends ScanJob {
  readonly range: TimeRange
  readonly grouping: Grouping | undefined
}

export function describeRead(
  { plan, keys, grouping }: RangedRead,
  sources: readonly Source[],
  range: TimeRange,
  now: bigint,
): HandedJob {
  return { ...describeScan(plan, sources, keys.shareable(), now), range, grouping }
}

export function readHanded(job: HandedJob, disk: Disk, signal: AbortSignal): PullStream<Batch> {
  return streamOf(batches(job, disk, signal))
}

async function* batches(
  { plan, keys, sources, grouping, range, minute }: HandedJob,
  disk: Disk,
  signal: AbortSignal,
): AsyncGenerator<Batch, void, void> {
  const opened = new OpenSources(disk, sources, minute)
  try {
    const inputs = cursorInputs(
      await opened.open(),
      plan,
      selectSeries(plan.series, noBounds, keys),
      keys,
    )
    const series = readRows(plan, inputs, keys, signal)
    if (grouping === undefined) {
      yield* series
      return
    }
    const groups = new KeyGroups(grouping.measurement, grouping.tags, keys)
    yield* new GroupedRead(grouping, groups, range, series)
  } finally {
    await opened.close()
  }
}
