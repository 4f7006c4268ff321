// The package `generate`: rows at even distances of time with values of a function. They are made as
// they are read.

import type { Chunk } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Call, type Definitions, native } from '../../package/define.js'
import { constantCells } from '../../table/cells.js'
import type { Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { GroupKey } from '../../value/key.js'
import { typeName } from '../../value/type-name.js'
import type { FluxValue, PositionalCall } from '../../value/value.js'
import { momentOf } from '../universe/range.js'

const type = `(start: A, stop: A, count: int, fn: (n: int) => int)
  => stream[{_start: time, _stop: time, _time: time, _value: int}] where A: Timeable`

export const generateBuiltins: Definitions = {
  from: native(type, generate),
}

/** Rows are made when they are asked for, so many at a time. */
const chunkRows = 4096n

interface Generation {
  readonly startNs: bigint
  readonly stopNs: bigint
  readonly count: bigint
  readonly fn: PositionalCall
}

async function generate(call: Call): Promise<FluxValue> {
  const nowNs = await call.context.now()
  const generation: Generation = {
    startNs: momentOf(call.required('start'), nowNs),
    stopNs: momentOf(call.required('stop'), nowNs),
    count: call.int('count'),
    fn: call.function('fn').prepare(['n']),
  }
  if (generation.count <= 0n) throw new FluxError('count must be a positive integer')
  return call.node([], async function* (_, context) {
    yield generatedTable(generation, context)
  })
}

function generatedTable(generation: Generation, context: FluxContext): Table {
  const { startNs, stopNs } = generation
  return {
    key: GroupKey.of([
      { name: '_start', type: 'time', value: startNs },
      { name: '_stop', type: 'time', value: stopNs },
    ]),
    columns: [
      { name: '_start', type: 'time' },
      { name: '_stop', type: 'time' },
      { name: '_time', type: 'time' },
      { name: '_value', type: 'int' },
    ],
    chunks: () => generatedChunks(generation, context),
  }
}

async function* generatedChunks(
  { startNs, stopNs, count, fn }: Generation,
  { signal }: FluxContext,
): AsyncGenerator<Chunk, void, void> {
  const stepNs = (stopNs - startNs) / count
  for (let from = 0n; from < count; from += chunkRows) {
    signal.throwIfAborted()
    const rowCount = Number(count - from < chunkRows ? count - from : chunkRows)
    const times = new BigInt64Array(rowCount)
    const values = new BigInt64Array(rowCount)
    for (let row = 0; row < rowCount; row++) {
      const n = from + BigInt(row)
      const value = await fn([n])
      if (typeof value !== 'bigint') {
        throw new FluxError(`function must return type integer, but got ${typeName(value)}`)
      }
      times[row] = startNs + n * stepNs
      values[row] = value
    }
    yield {
      rowCount,
      columns: [
        constantCells('time', startNs),
        constantCells('time', stopNs),
        { kind: 'values', type: 'time', values: times, validity: undefined },
        { kind: 'values', type: 'int', values, validity: undefined },
      ],
    }
  }
}
