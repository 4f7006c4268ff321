// histogram, and the quantiles of one: how many values of a column lie at or below each bound, and the
// value below which a share of what was counted lies, by straight lines between the bounds.

import type { TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Call, type Definitions, transformation } from '../../package/define.js'
import { eachChunk, floatCells, floatsOf, validCount } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table, tableOf } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { keyedTable, rowTable, withKeyColumns } from './aggregate.js'

const upperBoundColumn = 'le'

interface HistogramOptions {
  readonly column: string
  readonly upperBoundColumn: string
  readonly countColumn: string
  /** Sorted. */
  readonly bins: Float64Array
  readonly normalize: boolean
}

function histogramOptions(call: Call): HistogramOptions {
  const bins = call.array('bins')
  if (!bins.every((bin) => typeof bin === 'number')) {
    throw new FluxError('keyword argument "bins" should be of type [float]')
  }
  return {
    column: call.string('column', '_value'),
    upperBoundColumn: call.string('upperBoundColumn', upperBoundColumn),
    countColumn: call.string('countColumn', '_value'),
    bins: Float64Array.from(bins as readonly number[]).sort(),
    normalize: call.bool('normalize', false),
  }
}

async function histogramTable(
  table: Table,
  context: FluxContext,
  options: HistogramOptions,
): Promise<Table> {
  context.signal.throwIfAborted()
  const { column, bins, normalize } = options
  const place = columnIndex(table.columns, column)
  if (place < 0) throw new FluxError(`column "${column}" is missing`)
  const { type } = table.columns[place]
  if (type !== 'float') throw new FluxError(`column "${column}" must be a float got ${type}`)
  const counts = new Float64Array(bins.length)
  let total = 0
  await eachChunk(table, ({ columns, rowCount }) => {
    const { values, validity } = floatsOf(columns[place], rowCount)
    total += validCount(validity, rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (validity === undefined || validity[row] !== 0) counts[binOf(values[row], bins)]++
    }
  })
  for (let i = 1; i < counts.length; i++) counts[i] += counts[i - 1]
  const shown = normalize ? counts.map((count) => count / total) : counts
  const added: TableColumn[] = [
    { name: options.upperBoundColumn, type: 'float' },
    { name: options.countColumn, type: 'float' },
  ]
  const cells = [floatCells(bins, undefined), floatCells(shown, undefined)]
  return keyedTable(table.key, added, { rowCount: bins.length, columns: cells })
}

/** The first bin that the value is not above. */
function binOf(value: number, bins: Float64Array): number {
  let low = 0
  let high = bins.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (value <= bins[middle]) high = middle
    else low = middle + 1
  }
  if (low < bins.length) return low
  const last = bins.length === 0 ? Number.NaN : bins[bins.length - 1]
  const figures = `${low} ${bins.length} ${decimals(value)} ${decimals(last)}`
  throw new FluxError(`found value greater than any bin, ${figures}`)
}

/** Six of them. */
function decimals(value: number): string {
  if (Number.isFinite(value)) return value.toFixed(6)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}

interface QuantileOptions {
  readonly quantile: number
  readonly countColumn: string
  readonly upperBoundColumn: string
  readonly valueColumn: string
  readonly minValue: number
  readonly onNonmonotonic: string
}

function quantileOptions(call: Call): QuantileOptions {
  const options = {
    quantile: call.float('quantile'),
    countColumn: call.string('countColumn', '_value'),
    upperBoundColumn: call.string('upperBoundColumn', upperBoundColumn),
    valueColumn: call.string('valueColumn', '_value'),
    minValue: call.float('minValue', 0),
    onNonmonotonic: call.string('onNonmonotonic', 'error'),
  }
  if (!['error', 'force', 'drop'].includes(options.onNonmonotonic)) {
    const parameter = 'value provided to histogramQuantile parameter onNonmonotonic is invalid'
    throw new FluxError(`${parameter}; must be one of "error", "force" or "drop"`)
  }
  return options
}

interface Bin {
  count: number
  readonly bound: number
}

/** About what one takes. */
const binBytes = 32

async function quantileTable(
  table: Table,
  context: FluxContext,
  options: QuantileOptions,
): Promise<Table> {
  context.signal.throwIfAborted()
  const { valueColumn } = options
  const columns = withKeyColumns(table.key, [{ name: valueColumn, type: 'float' }])
  const bins = await readBins(table, context, options)
  try {
    if (bins.length === 0) throw new FluxError('histogram is empty')
    bins.sort((a, b) => a.bound - b.bound)
    if (!areRising(bins, options.onNonmonotonic === 'force')) {
      if (options.onNonmonotonic === 'drop') return tableOf(table.key, columns, [])
      throw new FluxError('histogram records counts are not monotonic')
    }
    const value = quantileOf(bins, options.quantile, options.minValue)
    return rowTable(table.key, [{ name: valueColumn, type: 'float', value }])
  } finally {
    context.memory.release(binBytes * bins.length)
  }
}

async function readBins(
  table: Table,
  { memory }: FluxContext,
  { countColumn, upperBoundColumn }: QuantileOptions,
): Promise<Bin[]> {
  const countPlace = floatColumn(table, countColumn, 'count')
  const boundPlace = floatColumn(table, upperBoundColumn, 'upper bound')
  const bins: Bin[] = []
  await eachChunk(table, ({ columns, rowCount }) => {
    memory.take(binBytes * rowCount)
    const counts = floatsOf(columns[countPlace], rowCount)
    const bounds = floatsOf(columns[boundPlace], rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (counts.validity?.[row] === 0) throw new FluxError('unexpected null in the countColumn')
      if (bounds.validity?.[row] === 0) {
        throw new FluxError('unexpected null in the upperBoundColumn')
      }
      bins.push({ count: counts.values[row], bound: bounds.values[row] })
    }
  })
  return bins
}

function floatColumn(table: Table, name: string, role: string): number {
  const place = columnIndex(table.columns, name)
  if (place < 0) throw new FluxError(`table is missing ${role} column "${name}"`)
  if (table.columns[place].type !== 'float') {
    throw new FluxError(`${role} column "${name}" must be of type float`)
  }
  return place
}

/** `isForced`: a count that falls becomes the one before, and the answer is yes. */
function areRising(bins: readonly Bin[], isForced: boolean): boolean {
  let before = 0
  for (const bin of bins) {
    if (bin.count >= before) before = bin.count
    else if (isForced) bin.count = before
    else return false
  }
  return true
}

/** null: nothing was counted. */
function quantileOf(bins: readonly Bin[], quantile: number, minValue: number): number | null {
  const last = bins[bins.length - 1]
  if (last.count === 0) return null
  const rank = quantile * last.count
  let below = -1
  for (let i = 0; i < bins.length; i++) if (rank >= bins[i].count) below = i
  if (below === bins.length - 1) return last.bound
  const lower = below < 0 ? { count: 0, bound: minValue } : bins[below]
  const upper = bins[below + 1]
  if (rank === lower.count || upper.bound === Number.POSITIVE_INFINITY) return lower.bound
  if (lower.bound === Number.NEGATIVE_INFINITY) return upper.bound
  const share = (rank - lower.count) / (upper.count - lower.count)
  return lower.bound + (upper.bound - lower.bound) * share
}

const histogramSignature = `(
  <-tables: stream[A], ?column: string, ?upperBoundColumn: string, ?countColumn: string,
  bins: [float], ?normalize: bool
) => stream[B] where A: Record, B: Record`

const quantileSignature = `(
  <-tables: stream[A], ?quantile: float, ?countColumn: string, ?upperBoundColumn: string,
  ?valueColumn: string, ?minValue: float, ?onNonmonotonic: string
) => stream[B] where A: Record, B: Record`

export const histograms: Definitions = {
  histogram: transformation(histogramSignature, (call) => {
    const options = histogramOptions(call)
    return (input, context) => mapTables(input, (table) => histogramTable(table, context, options))
  }),
  histogramQuantile: transformation(quantileSignature, (call) => {
    const options = quantileOptions(call)
    return (input, context) => mapTables(input, (table) => quantileTable(table, context, options))
  }),
}
