// Every block of a segment against its checksum, one row group after the other, for those who look for damage before a
// read meets it. The caller decides when to go on: a pass over a large file is long.

import type { CorruptionError } from '../../../errors.js'
import { damageOf } from '../files/damage.js'
import type { MeasurementDirectory } from './directory.js'
import type { SegmentReader } from './reader.js'

export interface VerifiedGroup {
  readonly measurement: string
  /** What was read for it. */
  readonly byteLength: number
  readonly error: CorruptionError | undefined
}

export function* verifySegment(reader: SegmentReader): Generator<VerifiedGroup> {
  const { measurements } = reader.directory
  for (const name of measurements.keys()) {
    const directory = measurements.get(name)!
    for (let g = 0; g < directory.groupCount; g++) {
      const blocks = blocksOf(directory, g)
      const byteLength = blocks.reduce((sum, [, bytes]) => sum + bytes, 0)
      yield { measurement: directory.name, byteLength, error: firstError(reader, blocks) }
    }
  }
}

type Block = readonly [offset: number, byteLength: number, crc: number]

function blocksOf(directory: MeasurementDirectory, g: number): Block[] {
  const { seriesAt, seriesBytes, seriesCrcs, timeAt, timeBytes, timeCrcs } = directory
  const { columnAt, columnBytes, columnCrcs, fields } = directory
  const blocks: Block[] = [[timeAt[g], timeBytes[g], timeCrcs[g]]]
  // A group of one series has no block that names it.
  if (directory.seriesCounts[g] > 1) blocks.unshift([seriesAt[g], seriesBytes[g], seriesCrcs[g]])
  for (let c = g * fields.length; c < (g + 1) * fields.length; c++) {
    if (columnBytes[c] > 0) blocks.push([columnAt[c], columnBytes[c], columnCrcs[c]])
  }
  return blocks
}

function firstError(reader: SegmentReader, blocks: readonly Block[]): CorruptionError | undefined {
  try {
    for (const [offset, byteLength, crc] of blocks) reader.check(offset, byteLength, crc)
    return undefined
  } catch (error) {
    return damageOf(error, reader.path)
  }
}
