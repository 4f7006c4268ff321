// Reads that were handed to another thread of the process (`Store.handOver`), carried out there. Which engine has
// handed one over is known here alone; only the embedded one does.

import type { Batch } from '../../column/batch.js'
import type { Disk } from '../../platform/disk.js'
import type { PullStream } from '../../platform/pull-stream.js'
import { type HandedJob, readHanded as readEmbedded } from '../embedded/scan/handed-read.js'
import type { HandedRead } from '../store.js'

/** The rows of a read, by the store's rules. `disk`: the one that the store is on. */
export function readHanded(
  job: HandedRead['job'],
  disk: Disk,
  signal: AbortSignal,
): PullStream<Batch> {
  return readEmbedded(job as HandedJob, disk, signal)
}
