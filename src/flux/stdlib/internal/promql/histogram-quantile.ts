// Quantiles of a histogram the way Prometheus works them out: bounds are texts, the last of them is +Inf, counts
// that fall are lifted, and between two bounds values are taken to lie evenly.

import { cellAt } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import { eachChunk, floatsOf } from '../../../table/numbers.js'
import { columnIndex, type Table } from '../../../table/table.js'
import { parseFloatText } from '../../../value/conversion.js'
import { FluxError } from '../../../value/error.js'
import { rowTable } from '../../universe/aggregate.js'

export interface HistogramSettings {
  readonly quantile: number
  readonly countColumn: string
  readonly upperBoundColumn: string
  readonly valueColumn: string
}

interface Bucket {
  count: number
  readonly bound: number
}

/** About what one takes. */
const bucketBytes = 32

/** undefined: the table has no bounds. */
export async function quantileTable(
  table: Table,
  settings: HistogramSettings,
  context: FluxContext,
): Promise<Table | undefined> {
  context.signal.throwIfAborted()
  const { countColumn, upperBoundColumn, valueColumn, quantile } = settings
  const count = columnIndex(table.columns, countColumn)
  if (count < 0) throw new FluxError(`table is missing count column "${countColumn}"`)
  if (table.columns[count].type !== 'float') {
    throw new FluxError(`count column "${countColumn}" must be of type float`)
  }
  const bound = columnIndex(table.columns, upperBoundColumn)
  if (bound < 0) return undefined
  if (table.columns[bound].type !== 'string') {
    throw new FluxError(`upper bound column "${upperBoundColumn}" must be of type string`)
  }
  const buckets = await readBuckets(table, count, bound, context)
  buckets.sort((a, b) => a.bound - b.bound)
  const value = bucketQuantile(quantile, buckets)
  context.memory.release(bucketBytes * buckets.length)
  return rowTable(table.key, [{ name: valueColumn, type: 'float', value }])
}

/** Rows whose bound is missing or no number are left out. */
async function readBuckets(
  table: Table,
  countPlace: number,
  boundPlace: number,
  { memory }: FluxContext,
): Promise<Bucket[]> {
  const buckets: Bucket[] = []
  await eachChunk(table, ({ columns, rowCount }) => {
    const counts = floatsOf(columns[countPlace], rowCount)
    const before = buckets.length
    for (let row = 0; row < rowCount; row++) {
      if (counts.validity?.[row] === 0) throw new FluxError('unexpected null in the countColumn')
      const text = cellAt(columns[boundPlace], row)
      const bound = text === null ? undefined : parseFloatText(text as string)
      if (bound !== undefined) buckets.push({ count: counts.values[row], bound })
    }
    memory.take(bucketBytes * (buckets.length - before))
  })
  return buckets
}

/** Of buckets sorted by bound. NaN: there are too few, or the last one does not hold everything. */
export function bucketQuantile(quantile: number, all: readonly Bucket[]): number {
  if (quantile < 0) return Number.NEGATIVE_INFINITY
  if (quantile > 1) return Number.POSITIVE_INFINITY
  if (all.at(-1)?.bound !== Number.POSITIVE_INFINITY) return Number.NaN
  const buckets = merged(all)
  liftCounts(buckets)
  if (buckets.length < 2) return Number.NaN
  const last = buckets.length - 1
  let rank = quantile * buckets[last].count
  let at = buckets.findIndex(({ count }) => count >= rank)
  if (at < 0) at = last
  if (at === last) return buckets[last - 1].bound
  if (at === 0 && buckets[0].bound <= 0) return buckets[0].bound
  const end = buckets[at].bound
  if (at === 0) return end * (rank / buckets[0].count)
  const below = buckets[at - 1]
  rank -= below.count
  return below.bound + (end - below.bound) * (rank / (buckets[at].count - below.count))
}

/** Those with the same bound count together. */
function merged(buckets: readonly Bucket[]): Bucket[] {
  const result: Bucket[] = []
  for (const { bound, count } of buckets) {
    const last = result.at(-1)
    if (last?.bound === bound) last.count += count
    else result.push({ bound, count })
  }
  return result
}

/** Scrapes are not taken at one instant, so that a count may be below the one before. The last stays what it is. */
function liftCounts(buckets: readonly Bucket[]): void {
  let highest = buckets[0].count
  for (let i = 0; i < buckets.length - 1; i++) {
    if (buckets[i].count > highest) highest = buckets[i].count
    else buckets[i].count = highest
  }
}
