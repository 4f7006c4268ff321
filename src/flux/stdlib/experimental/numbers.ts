// What experimental has of its own among the functions that compute: those of the universe, but with
// signatures that know the column they work on, `_value`; and alignTime, which moves the rows of every
// table so that they begin at the same moment.

import { assert } from '../../../errors.js'
import type { Cells, TableColumn } from '../../../query/table.js'
import {
  type Definitions,
  type FunctionDefinition,
  native,
  transformation,
} from '../../package/define.js'
import { expandCells } from '../../table/cells.js'
import { FluxError } from '../../value/error.js'
import { numbers } from '../universe/numbers.js'
import { type RunningColumn, runColumns } from '../universe/running-column.js'

/** The function of the universe with a narrower signature. */
function narrowed(name: string, type: string): FunctionDefinition {
  const definition = numbers[name]
  assert(definition?.kind === 'function', `the universe has no function ${name}`)
  return native(type, definition.call, definition.hasSideEffect)
}

/** Keeps the distances between the rows. */
class AlignedTimes implements RunningColumn {
  readonly type = 'time'
  readonly #alignTo: bigint
  #shift: bigint | undefined

  constructor(alignTo: bigint) {
    this.#alignTo = alignTo
  }

  next(cells: Cells, rowCount: number): Cells {
    const { values, validity } = expandCells(cells, rowCount)
    const times = values as BigInt64Array
    const aligned = new BigInt64Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      this.#shift ??= this.#alignTo - times[row]
      aligned[row] = BigInt.asIntN(64, times[row] + this.#shift)
    }
    return { kind: 'values', type: 'time', values: aligned, validity }
  }
}

const same = '(<-tables: stream[{T with _value: A}]) => stream[{T with _value: A}]'
const floats = '(<-tables: stream[{T with _value: float}]) => stream[{T with _value: float}]'

export const experimentalNumbers: Definitions = {
  count: narrowed(
    'count',
    '(<-tables: stream[{T with _value: A}]) => stream[{T with _value: int}]',
  ),
  sum: narrowed('sum', `${same} where A: Numeric`),
  mean: narrowed('mean', floats),
  mode: narrowed('mode', same),
  skew: narrowed('skew', floats),
  spread: narrowed('spread', `${same} where A: Numeric`),
  stddev: narrowed(
    'stddev',
    '(<-tables: stream[{T with _value: float}], ?mode: string) => stream[{T with _value: float}]',
  ),
  quantile: narrowed(
    'quantile',
    `(<-tables: stream[{T with _value: float}], q: float, ?compression: float, ?method: string) =>
      stream[{T with _value: float}]`,
  ),
  first: narrowed('first', same),
  last: narrowed('last', same),
  max: narrowed('max', same),
  min: narrowed('min', same),
  integral: narrowed(
    'integral',
    `(<-tables: stream[{T with _time: time, _value: B}], ?unit: duration, ?interpolate: string) =>
      stream[{T with _value: B}]`,
  ),
  kaufmansAMA: narrowed(
    'kaufmansAMA',
    `(<-tables: stream[{T with _value: A}], n: int) => stream[{T with _value: float}]
      where A: Numeric`,
  ),
  histogram: narrowed(
    'histogram',
    `(<-tables: stream[{T with _value: float}], bins: [float], ?normalize: bool) =>
      stream[{T with _value: float, le: float}]`,
  ),
  histogramQuantile: narrowed(
    'histogramQuantile',
    `(<-tables: stream[{T with _value: float, le: float}], ?quantile: float, ?minValue: float) =>
      stream[{T with _value: float}]`,
  ),
  alignTime: transformation(
    `(<-tables: stream[{T with _time: time}], ?alignTo: time) =>
        stream[{T with _time: time}]`,
    (call) => {
      const alignTo = call.has('alignTo') ? call.time('alignTo') : 0n
      const columnOf = ({ name, type }: TableColumn): RunningColumn | undefined => {
        if (name !== '_time') return undefined
        if (type === 'time') return new AlignedTimes(alignTo)
        throw new FluxError(`column "_time" is of type ${type}, not time`)
      }
      return (input, context) => runColumns(input, context, { columnOf, skipCount: 0 })
    },
  ),
}
