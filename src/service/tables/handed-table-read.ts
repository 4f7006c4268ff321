// Reads of tables that were defined before their points, carried out on another thread: what the store hands over goes
// with the fields that nobody has written yet, and is filled with them there.

import type { Batch } from '../../column/batch.js'
import type { Disk } from '../../platform/disk.js'
import { type PullStream, streamOf } from '../../platform/pull-stream.js'
import { readHanded } from '../../store/engines/handed-reads.js'
import type { FieldSchema, HandedRead, ReadRequest } from '../../store/store.js'
import { filled } from './filled-batches.js'

interface TableJob {
  readonly own: HandedRead['job']
  readonly request: ReadRequest
  readonly absent: readonly FieldSchema[]
}

export function withAbsent(
  { job: own, release }: HandedRead,
  request: ReadRequest,
  absent: readonly FieldSchema[],
): HandedRead {
  const job: TableJob = { own, request, absent }
  return { job, release }
}

/** On the other thread: see `Store.handOver`. */
export function readHandedTable(
  job: HandedRead['job'],
  disk: Disk,
  signal: AbortSignal,
): PullStream<Batch> {
  const { own, request, absent } = job as TableJob
  const read = () => readHanded(own, disk, signal)
  return absent.length === 0 ? read() : streamOf(filled(read, request, absent))
}
