// How many bytes the blocks have that a read looks into, by what the directories tell: for EXPLAIN. Nothing is read.
// Groups that several series share count for the part of them that is asked for.

import type { Work } from '../../../platform/turns.js'
import { SeriesMarks } from '../index/series-marks.js'
import type { Plan } from '../read/plan.js'
import type { SegmentSource, Source } from '../read/sources.js'
import { decodedShare } from './scan-parts.js'

/** Groups between two places where the work may be interrupted. */
const stepGroups = 8192

/** `seriesCount` is how many the measurement has. */
export function* blockBytes(
  sources: readonly Source[],
  plan: Plan,
  seriesCount: number,
): Work<number> {
  let chosen: SeriesMarks | undefined
  if (plan.series !== undefined) {
    chosen = new SeriesMarks()
    chosen.add(plan.series)
  }
  const share = chosen === undefined ? 1 : chosen.size / Math.max(1, seriesCount)
  let bytes = 0
  for (const source of sources) {
    if (source.kind === 'table') continue
    bytes += (yield* bytesIn(source, plan, chosen, share)) * decodedShare(source, plan)
    yield
  }
  return bytes
}

function* bytesIn(
  { base, directory }: SegmentSource,
  plan: Plan,
  chosen: SeriesMarks | undefined,
  share: number,
): Work<number> {
  const { groupCount, minOffsets, maxOffsets, seriesCounts, firstSeries, fields } = directory
  const { seriesBytes, timeBytes, columnBytes } = directory
  const start = Number(plan.range.start - base)
  const stop = Number(plan.range.stop - base)
  const wanted = fields.flatMap(({ name }, i) => (plan.names.includes(name) ? [i] : []))
  let bytes = 0
  for (let g = 0; g < groupCount; g++) {
    if (g % stepGroups === stepGroups - 1) yield
    if (maxOffsets[g] < start || minOffsets[g] >= stop) continue
    const isOfOne = seriesCounts[g] === 1
    if (isOfOne && chosen?.has(firstSeries[g]) === false) continue
    let ofGroup = seriesBytes[g] + timeBytes[g]
    for (const field of wanted) ofGroup += columnBytes[g * fields.length + field]
    bytes += isOfOne ? ofGroup : ofGroup * Math.min(1, share * seriesCounts[g])
  }
  return bytes
}
