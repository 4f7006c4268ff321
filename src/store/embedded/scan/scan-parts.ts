// Whether a read is worth the threads, and where it is cut: in key order, into parts of about as
// many rows each. Goes by what the directories tell; nothing is decoded.

import { sortByKey } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { Plan } from '../read/plan.js'
import { noBounds, type SeriesBounds } from '../read/selection.js'
import type { SegmentSource, Source } from '../read/sources.js'
import { groupRowsMax } from '../segment/format.js'

/** Parts per thread: a thread that is held up leaves its share to the others. */
const partsPerThread = 4

/** To find a series, bring its pieces together and hand on what they amount to takes as long as so many values. */
const valuesPerSeries = 200

/** To read a row group, check it and open its blocks takes as long as so many values. */
const valuesPerGroup = 2000

export interface ScanEstimate {
  /** About how many a read has to decode. */
  readonly values: number
  /** The same, with what it does for each series and each row group counted as values. */
  readonly cost: number
  /** Of the rows in the range: less than 1 where only the first or last of each series are asked for. */
  readonly share: number
}

/** `seriesCount` is how many the measurement has. */
export function estimateScan(
  sources: readonly Source[],
  plan: Plan,
  seriesCount: number,
): ScanEstimate {
  const chosen = plan.series?.length ?? seriesCount
  const share = seriesCount === 0 ? 0 : chosen / seriesCount
  let rows = 0
  let groups = 0
  for (const source of sources) {
    const read = decodedShare(source, plan)
    rows += rowsWithin(source, plan) * share * read
    if (source.kind === 'segment') groups += groupsWithin(source, plan, share) * read
  }
  const end = endAsked(plan)
  const all = rows
  if (end !== undefined) rows = Math.min(rows, rowsAtEnd(end, sources, plan, chosen, share))
  else if (isLimited(plan)) rows = Math.min(rows, chosen * plan.limitPerSeries)
  const shareRead = all === 0 ? 0 : rows / all
  // Without a field there are still the times.
  const values = rows * Math.max(1, plan.names.length)
  const cost = values + groups * shareRead * valuesPerGroup + chosen * valuesPerSeries
  return { values, cost, share: shareRead }
}

/** A limit of rows ends the reading of a series, where none of its rows is passed by. */
function isLimited({ window, rowPredicate, limitPerSeries }: Plan): boolean {
  return window === undefined && rowPredicate === undefined && Number.isFinite(limitPerSeries)
}

/** About how many row groups hold rows of a share of the series. */
function groupsWithin(source: SegmentSource, plan: Plan, share: number): number {
  const { rowCount, groupCount, seriesCounts } = source.directory
  const looked = Math.min(8, groupCount)
  let series = 0
  for (let g = 0; g < looked; g++) series += seriesCounts[g]
  // Of a long series not all groups lie in the range; many short ones share a group.
  const ofTime = series === looked ? rowsWithin(source, plan) / Math.max(1, rowCount) : 1
  return groupCount * ofTime * Math.min(1, (share * series) / Math.max(1, looked))
}

/** Groups that lie in one window are answered from their statistics: about how large a part is not. */
export function decodedShare(source: Source, plan: Plan): number {
  const { window, rowPredicate } = plan
  if (source.kind === 'table' || window === undefined || rowPredicate !== undefined) return 1
  if (window.pointTimes === true) return 1
  if (window.aggregates.some((a) => a.function === 'first' || a.function === 'last')) return 1
  const { minOffset, maxOffset } = source.directory
  const { start, stop } = plan.range
  const isCut = Number(start - source.base) > minOffset || Number(stop - source.base) <= maxOffset
  if (isCut) return 1
  const everyNs = window.everyNs === undefined ? Infinity : Number(window.everyNs)
  return Math.min(1, usualSpan(source) / everyNs)
}

/** How long a group is in time, by the first few. */
function usualSpan({ directory }: SegmentSource): number {
  const count = Math.min(8, directory.groupCount)
  let span = 0
  for (let g = 0; g < count; g++) span += directory.maxOffsets[g] - directory.minOffsets[g]
  return count === 0 ? 0 : span / count
}

/** Where only the first or only the last value of each series is asked for: which of the two. */
function endAsked({ window, rowPredicate }: Plan): 'first' | 'last' | undefined {
  if (window === undefined || window.everyNs !== undefined || rowPredicate !== undefined) return
  const { aggregates } = window
  if (aggregates.every((a) => a.function === 'first')) return 'first'
  return aggregates.every((a) => a.function === 'last') ? 'last' : undefined
}

/** A row group of each series is all that is read, from the sources at that end until all series were met. */
function rowsAtEnd(
  end: 'first' | 'last',
  sources: readonly Source[],
  plan: Plan,
  chosen: number,
  share: number,
): number {
  let rows = 0
  let seriesLeft = chosen
  // Sources follow each other in time, about.
  for (const source of end === 'first' ? sources : sources.toReversed()) {
    const within = rowsWithin(source, plan) * share
    if (within === 0) continue
    const series = seriesIn(source) * share
    rows += Math.min(within, Math.min(series, seriesLeft) * groupRowsMax)
    seriesLeft -= series
    if (seriesLeft < 0.5) break
  }
  return rows
}

function seriesIn(source: Source): number {
  if (source.kind === 'table') return source.table.seriesIds().length
  const { groupCount, seriesCounts, firstSeries, lastSeries } = source.directory
  let count = 0
  for (let g = 0; g < groupCount; g++) {
    const goesOn = g > 0 && firstSeries[g] === lastSeries[g - 1]
    count += goesOn ? seriesCounts[g] - 1 : seriesCounts[g]
  }
  return count
}

function rowsWithin(source: Source, plan: Plan): number {
  const { rowCount, minOffset, maxOffset } =
    source.kind === 'table' ? source.table : source.directory
  const start = Math.max(minOffset, Number(plan.range.start - source.base))
  const stop = Math.min(maxOffset + 1, Number(plan.range.stop - source.base))
  return stop <= start ? 0 : rowCount * ((stop - start) / (maxOffset + 1 - minOffset))
}

export function cutSeries(
  sources: readonly Source[],
  plan: Plan,
  keys: SeriesKeyView,
  threadCount: number,
): SeriesBounds[] {
  const count = threadCount * partsPerThread
  if (plan.series !== undefined) return cutAt(evenly(plan.series, count))
  let largest = sources[0]
  for (const source of sources) {
    if (rowsWithin(source, plan) > rowsWithin(largest, plan)) largest = source
  }
  if (largest === undefined) return [noBounds]
  if (largest.kind === 'segment') return cutAt(byRows(largest, count))
  const ids = largest.table.seriesIds().slice()
  sortByKey(ids, keys)
  return cutAt(evenly(ids, count))
}

/** Bounds between the series given, which rise in key order. */
function cutAt(series: readonly number[]): SeriesBounds[] {
  const cuts = [-1, ...series, -1]
  return cuts.slice(1).map((before, i) => ({ from: cuts[i], before }))
}

function evenly(ids: Uint32Array, count: number): number[] {
  const parts = Math.min(count, ids.length)
  return Array.from({ length: Math.max(0, parts - 1) }, (_, i) => {
    return ids[Math.floor(((i + 1) * ids.length) / parts)]
  })
}

/** The first series of groups that start a new one, about as many rows apart. */
function byRows({ directory }: SegmentSource, count: number): number[] {
  const { groupCount, rowCounts, firstSeries, lastSeries, rowCount } = directory
  const cuts: number[] = []
  let rows = 0
  for (let g = 0; g < groupCount; g++) {
    const isDue = rows >= (rowCount * (cuts.length + 1)) / count
    if (isDue && g > 0 && firstSeries[g] !== lastSeries[g - 1]) cuts.push(firstSeries[g])
    rows += rowCounts[g]
  }
  return cuts
}
