// The package `internal/promql`: what queries in PromQL are made of when they are put into Flux. Its
// functions are those of Prometheus under longer names.

import {
  type Call,
  type Definition,
  type Definitions,
  native,
  transformation,
} from '../../../package/define.js'
import { mapTables } from '../../../table/streams.js'
import { changes, extrapolatedRate, instantRate, resets } from './counters.js'
import { dates } from './dates.js'
import { quantileTable } from './histogram-quantile.js'
import { emptyTable, relabelled, timestamps } from './labels.js'
import { foldTables, type RangeFunction } from './range-vector.js'
import { holtWinters, linearRegression } from './trends.js'

/** `input`: the columns besides `_value`. `parameters`: those besides `tables`, each with a comma before it. */
function rangeFunction(
  input: string,
  parameters: string,
  prepare: (call: Call) => RangeFunction,
): Definition {
  const type = `(<-tables: stream[{A with ${input}_value: float}]${parameters}) => stream[{B with _value: float}]`
  return transformation(type, (call) => {
    const fn = prepare(call)
    return (tables, context) => foldTables(tables, context, fn)
  })
}

const labelReplaceType = `(
  <-tables: stream[{A with _value: float}], source: string, destination: string, regex: string, replacement: string
) => stream[{B with _value: float}]`

const quantileType = `(
  <-tables: stream[A], ?quantile: float, ?countColumn: string, ?upperBoundColumn: string, ?valueColumn: string
) => stream[B] where A: Record, B: Record`

const timestampType = '(<-tables: stream[{A with _value: float}]) => stream[{A with _value: float}]'

const emptyTableType = '() => stream[{_start: time, _stop: time, _time: time, _value: float}]'

export const promqlBuiltins: Definitions = {
  changes: rangeFunction('', '', () => changes),
  resets: rangeFunction('', '', () => resets),
  extrapolatedRate: rangeFunction(
    '_start: time, _stop: time, _time: time, ',
    ', ?isCounter: bool, ?isRate: bool',
    (call) => extrapolatedRate(call.bool('isCounter', false), call.bool('isRate', false)),
  ),
  instantRate: rangeFunction('_time: time, ', ', ?isRate: bool', (call) =>
    instantRate(call.bool('isRate', false)),
  ),
  linearRegression: rangeFunction(
    '_time: time, _stop: time, ',
    ', ?predict: bool, ?fromNow: float',
    (call) => linearRegression(call.bool('predict', false) ? call.float('fromNow', 0) : undefined),
  ),
  holtWinters: rangeFunction(
    '_time: time, ',
    ', ?smoothingFactor: float, ?trendFactor: float',
    (call) => holtWinters(call.float('smoothingFactor', 0), call.float('trendFactor', 0)),
  ),
  labelReplace: transformation(labelReplaceType, (call) => {
    const replacement = {
      source: call.string('source'),
      destination: call.string('destination'),
      regex: call.string('regex'),
      replacement: call.string('replacement'),
    }
    return (input) => relabelled(input, replacement)
  }),
  promHistogramQuantile: transformation(quantileType, (call) => {
    const settings = {
      quantile: call.float('quantile'),
      countColumn: call.string('countColumn', '_value'),
      upperBoundColumn: call.string('upperBoundColumn', 'le'),
      valueColumn: call.string('valueColumn', '_value'),
    }
    return (input, context) => mapTables(input, (table) => quantileTable(table, settings, context))
  }),
  timestamp: transformation(timestampType, () => timestamps),
  emptyTable: native(emptyTableType, (call) =>
    call.node([], async function* () {
      yield emptyTable()
    }),
  ),
  ...dates,
}
