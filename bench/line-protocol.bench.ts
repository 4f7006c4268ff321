// How fast line protocol becomes columns: rows of 10 tags and 10 integer fields (350 bytes) from
// many hosts in turn, in requests of 5,000 lines to one parser. The check string is a digest of
// every value, time and series that came out.

import type { WriteBatch } from '../src/column/write-batch.js'
import { LineProtocolParser } from '../src/line-protocol/parser.js'
import { type Figures, makeBodies } from './cpu-data.js'

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const bodies = size === 'small' ? makeBodies(20, 50) : makeBodies(500, 1000)
  const parser = new LineProtocolParser()
  let rowCount = 0
  let byteCount = 0
  let digest = 0
  let elapsedMs = 0
  for (const body of bodies) {
    const startMs = performance.now()
    const { batch } = parser.parse(body, { precision: 'ns', now: 0n })
    elapsedMs += performance.now() - startMs
    rowCount += batch.pointCount
    byteCount += body.length
    digest = digestBatch(batch, digest)
    parser.release(batch)
  }
  return {
    name: 'line-protocol',
    figures: {
      rowsPerSecond: Math.round((rowCount / elapsedMs) * 1000),
      megabytesPerSecond: Math.round(byteCount / elapsedMs / 1000),
    },
    check: `${rowCount} rows, digest ${(digest >>> 0).toString(16)}`,
  }
}

function digestBatch(batch: WriteBatch, start: number): number {
  let digest = start
  for (const { rowCount, series, times, fields } of batch.tables) {
    const base = Number(times.base / 1_000_000_000n)
    for (let row = 0; row < rowCount; row++) {
      digest = Math.imul(digest ^ series[row], 16777619)
      digest = Math.imul(digest ^ (base + times.offsets[row] / 1e9), 16777619)
    }
    for (const { column } of fields) {
      for (let row = 0; row < rowCount; row++) {
        digest = Math.imul(digest ^ Number(column.values[row]), 16777619)
      }
    }
  }
  return digest
}
