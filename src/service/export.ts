// A bucket's points as line protocol, measurement by measurement, series by series: for looking at
// data with nothing but a terminal, and for taking it elsewhere.

import type { TimeRange } from '../column/time.js'
import { printBatch } from '../line-protocol/printer.js'
import { collectPages } from '../store/schema-pages.js'
import type { BucketId, Store } from '../store/store.js'

export interface ExportRequest {
  readonly bucket: BucketId
  readonly range: TimeRange
  /** Absent: all of them. */
  readonly measurement?: string | undefined
}

/** Texts of whole lines, each ended by a line feed. */
export async function* exportLines(
  store: Store,
  request: ExportRequest,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { bucket, range } = request
  const names = await measurements(store, request, signal)
  const reads = names.map((measurement) => ({ bucket, range, measurement }))
  for await (const batch of store.readSeveral(reads, signal)) {
    const text = printBatch(batch)
    if (text !== '') yield text.endsWith('\n') ? text : `${text}\n`
  }
}

async function measurements(
  store: Store,
  { bucket, measurement }: ExportRequest,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (measurement !== undefined) return [measurement]
  return collectPages(store.names({ kind: 'measurements', bucket }, signal))
}
