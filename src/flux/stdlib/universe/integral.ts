// integral and timeWeightedAvg: the area under a column over time, by trapezes between the rows. With
// linear interpolation the first and the last line go on to the bounds of the table, `_start` and
// `_stop` of its key. The average is the area divided by the length of the table.

import type { Chunk } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { expandCells } from '../../table/cells.js'
import { wordsDifference, wordsOf } from '../../table/int64.js'
import { eachChunk, floatsOf, isNumberType } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { durationNs } from '../../value/duration.js'
import { FluxError } from '../../value/error.js'
import { Duration } from '../../value/value.js'
import { aggregatedColumn, rowTable } from './aggregate.js'

const oneSecond = new Duration(0n, 1_000_000_000n, false)

interface IntegralOptions {
  readonly column: string
  readonly timeColumn: string
  readonly unitNs: number
  readonly interpolates: boolean
  readonly averages: boolean
}

/** Times in nanoseconds from the start of the table. */
class Area {
  readonly #unitNs: number
  readonly #interpolates: boolean
  readonly #lengthNs: number
  #points = 0
  #time = 0
  #value = 0
  #timeBefore = 0
  #valueBefore = 0
  #sum = 0

  constructor({ unitNs, interpolates }: IntegralOptions, lengthNs: number) {
    this.#unitNs = unitNs
    this.#interpolates = interpolates
    this.#lengthNs = lengthNs
  }

  add(time: number, value: number): void {
    if (this.#points > 0) {
      this.#sum += this.#trapeze(value + this.#value, time - this.#time)
      if (this.#points === 1 && this.#interpolates && this.#time > 0) {
        const slope = (value - this.#value) / (time - this.#time)
        const atStart = this.#value - slope * this.#time
        this.#sum += this.#trapeze(atStart + this.#value, this.#time)
      }
    }
    this.#points++
    this.#timeBefore = this.#time
    this.#valueBefore = this.#value
    this.#time = time
    this.#value = value
  }

  total(): number {
    if (!this.#interpolates) return this.#points < 2 ? 0 : this.#sum
    if (this.#points === 0) return 0
    if (this.#points === 1) return (this.#value * this.#lengthNs) / this.#unitNs
    const slope = (this.#value - this.#valueBefore) / (this.#time - this.#timeBefore)
    const rest = this.#lengthNs - this.#time
    return this.#sum + this.#trapeze(this.#value + slope * rest + this.#value, rest)
  }

  #trapeze(sides: number, widthNs: number): number {
    return (0.5 * sides * widthNs) / this.#unitNs
  }
}

/** Adds rows to the area; a time that comes again is passed over. */
class AreaReader {
  readonly #area: Area
  readonly #valuePlace: number
  readonly #timePlace: number
  readonly #startNs: bigint
  #last: number | undefined

  constructor(area: Area, valuePlace: number, timePlace: number, startNs: bigint) {
    this.#area = area
    this.#valuePlace = valuePlace
    this.#timePlace = timePlace
    this.#startNs = startNs
  }

  read({ columns, rowCount }: Chunk): void {
    const times = expandCells(columns[this.#timePlace], rowCount)
    if (times.validity?.subarray(0, rowCount).includes(0)) {
      throw new FluxError('integral found null time in time column')
    }
    const moments = new BigInt64Array(rowCount + 1)
    moments.set((times.values as BigInt64Array).subarray(0, rowCount))
    moments[rowCount] = this.#startNs
    const words = wordsOf(moments)
    const { values, validity } = floatsOf(columns[this.#valuePlace], rowCount)
    for (let row = 0; row < rowCount; row++) {
      const time = wordsDifference(words, row, rowCount)
      if (this.#last !== undefined && time < this.#last) {
        throw new FluxError('integral found out-of-order times in time column')
      }
      if (time === this.#last) continue
      this.#last = time
      if (validity === undefined || validity[row] !== 0) this.#area.add(time, values[row])
    }
  }
}

async function integralTable(
  table: Table,
  context: FluxContext,
  options: IntegralOptions,
): Promise<Table> {
  context.signal.throwIfAborted()
  const startNs = boundOf(table, '_start')
  const stopNs = boundOf(table, '_stop')
  const { column, timeColumn } = options
  const place = aggregatedColumn(table, column)
  const { type } = table.columns[place]
  if (!isNumberType(type)) throw new FluxError(`cannot perform integral over ${type}`)
  const timePlace = columnIndex(table.columns, timeColumn)
  if (timePlace < 0) throw new FluxError(`no column "${timeColumn}" exists`)
  if (table.columns[timePlace].type !== 'time') {
    throw new FluxError(`column "${timeColumn}" is not of type time`)
  }
  const lengthNs = Number(stopNs - startNs)
  const area = new Area(options, lengthNs)
  const reader = new AreaReader(area, place, timePlace, startNs)
  await eachChunk(table, (chunk) => reader.read(chunk))
  const total = area.total()
  const value = options.averages ? (total * options.unitNs) / lengthNs : total
  return rowTable(table.key, [{ name: column, type: 'float', value }])
}

function boundOf({ key }: Table, name: string): bigint {
  const value = key.entry(name)?.value
  if (typeof value === 'bigint') return value
  throw new FluxError(`integral function needs ${name} column to be part of group key`)
}

const integralSignature = `(
  <-tables: stream[A], ?unit: duration, ?timeColumn: string, ?column: string, ?interpolate: string
) => stream[B] where A: Record, B: Record`

const averageSignature = `(<-tables: stream[A], unit: duration) =>
  stream[{B with _value: float, _start: time, _stop: time}] where A: Record, B: Record`

export const integrals: Definitions = {
  integral: transformation(integralSignature, (call) => {
    const options: IntegralOptions = {
      column: call.string('column', '_value'),
      timeColumn: call.string('timeColumn', '_time'),
      unitNs: Number(durationNs(call.duration('unit', oneSecond))),
      interpolates: call.string('interpolate', '') === 'linear',
      averages: false,
    }
    return (input, context) => mapTables(input, (table) => integralTable(table, context, options))
  }),
  timeWeightedAvg: transformation(averageSignature, (call) => {
    const unitNs = Number(durationNs(call.duration('unit')))
    const columns = { column: '_value', timeColumn: '_time' }
    const options = { ...columns, unitNs, interpolates: true, averages: true }
    return (input, context) => mapTables(input, (table) => integralTable(table, context, options))
  }),
}
