// covariance: how two columns of floats go together, or as Pearson's coefficient, updated row by row
// (Welford). Rows in which one of the two has no value are passed over.

import type { FluxContext } from '../../context/context.js'
import { type Definitions, transformation } from '../../package/define.js'
import { eachChunk, type Floats, floatsOf } from '../../table/numbers.js'
import { mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { rowTable } from './aggregate.js'

class Covariance {
  #count = 0
  #xMean = 0
  #yMean = 0
  #xSquares = 0
  #ySquares = 0
  #products = 0

  add(xs: Floats, ys: Floats, rowCount: number): void {
    for (let row = 0; row < rowCount; row++) {
      if (xs.validity?.[row] === 0 || ys.validity?.[row] === 0) continue
      const [x, y] = [xs.values[row], ys.values[row]]
      this.#count++
      const xDelta = x - this.#xMean
      const yDelta = y - this.#yMean
      this.#xMean += xDelta / this.#count
      this.#yMean += yDelta / this.#count
      const yRest = y - this.#yMean
      this.#xSquares += xDelta * (x - this.#xMean)
      this.#ySquares += yDelta * yRest
      this.#products += xDelta * yRest
    }
  }

  value(isCorrelation: boolean): number {
    if (this.#count < 2) return Number.NaN
    if (isCorrelation) return this.#products / Math.sqrt(this.#xSquares * this.#ySquares)
    return this.#products / (this.#count - 1)
  }
}

async function covarianceTable(
  table: Table,
  context: FluxContext,
  [x, y]: readonly string[],
): Promise<Covariance> {
  context.signal.throwIfAborted()
  const [xPlace, yPlace] = [x, y].map((name) => {
    const place = columnIndex(table.columns, name)
    if (place < 0) throw new FluxError(`specified column does not exist in table: ${name}`)
    return place
  })
  const { type } = table.columns[xPlace]
  if (type !== table.columns[yPlace].type) {
    throw new FluxError('cannot compute the covariance between different types')
  }
  if (type !== 'float') throw new FluxError(`covariance does not support ${type}`)
  const covariance = new Covariance()
  await eachChunk(table, ({ columns, rowCount }) => {
    const xs = floatsOf(columns[xPlace], rowCount)
    covariance.add(xs, floatsOf(columns[yPlace], rowCount), rowCount)
  })
  return covariance
}

const signature = `(
  <-tables: stream[A], ?pearsonr: bool, ?valueDst: string, columns: [string]
) => stream[B] where A: Record, B: Record`

export const covariances: Definitions = {
  covariance: transformation(signature, (call) => {
    const columns = call.strings('columns')
    if (columns.length !== 2) throw new FluxError('must provide exactly two columns')
    const isCorrelation = call.bool('pearsonr', false)
    const name = call.string('valueDst', '_value')
    return (input, context) =>
      mapTables(input, async (table) => {
        const covariance = await covarianceTable(table, context, columns)
        const value = covariance.value(isCorrelation)
        return rowTable(table.key, [{ name, type: 'float', value }])
      })
  }),
}
