// first, last, min and max: rows without a value in the column are passed over, and of equal values the
// earliest wins.

import { type Cells, type CellType, isNullAt } from '../../../query/table.js'
import type { Definitions } from '../../package/define.js'
import { expandCells } from '../../table/cells.js'
import { type Extreme, extremeInt64 } from '../../table/int64.js'
import { FluxError } from '../../value/error.js'
import { type Choice, type NewChoice, selector } from './selector.js'

class First implements Choice {
  isFinal = false

  choose(cells: Cells, rowCount: number): number {
    for (let row = 0; row < rowCount; row++) {
      if (isNullAt(cells, row)) continue
      this.isFinal = true
      return row
    }
    return -1
  }
}

class Last implements Choice {
  choose(cells: Cells, rowCount: number): number {
    for (let row = rowCount - 1; row >= 0; row--) if (!isNullAt(cells, row)) return row
    return -1
  }
}

class FloatExtreme implements Choice {
  readonly #sign: number
  #best = 0
  #isSet = false

  constructor(extreme: Extreme) {
    this.#sign = extreme === 'min' ? 1 : -1
  }

  /** A value that is no number is less and greater than none: it stays where it came first, else it is passed over. */
  choose(cells: Cells, rowCount: number): number {
    const { values, validity } = expandCells(cells, rowCount)
    const floats = values as Float64Array
    const sign = this.#sign
    let best = this.#best
    let isSet = this.#isSet
    let chosen = -1
    for (let row = 0; row < rowCount; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const value = sign * floats[row]
      if (isSet && !(value < best)) continue
      isSet = true
      best = value
      chosen = row
    }
    this.#best = best
    this.#isSet = isSet
    return chosen
  }
}

class IntExtreme implements Choice {
  readonly #extreme: Extreme
  #best: bigint | undefined

  constructor(extreme: Extreme) {
    this.#extreme = extreme
  }

  choose(cells: Cells, rowCount: number): number {
    const expanded = expandCells(cells, rowCount)
    const values = expanded.values as BigInt64Array
    const row = extremeInt64(values, expanded.validity, rowCount, this.#extreme)
    if (row < 0) return -1
    const value = values[row]
    const best = this.#best
    const isBetter = best === undefined || (this.#extreme === 'min' ? value < best : value > best)
    if (!isBetter) return -1
    this.#best = value
    return row
  }
}

function newExtreme(extreme: Extreme): NewChoice {
  return (type: CellType) => {
    if (type === 'float') return new FloatExtreme(extreme)
    if (type === 'int' || type === 'uint' || type === 'time') return new IntExtreme(extreme)
    const name = extreme === 'min' ? 'MinSelector' : 'MaxSelector'
    throw new FluxError(
      `invalid use of function: *universe.${name} has no implementation for type ${type}`,
    )
  }
}

const signature = '(<-tables: stream[A], ?column: string) => stream[A] where A: Record'

export const selectors: Definitions = {
  first: selector(signature, () => () => new First()),
  last: selector(signature, () => () => new Last()),
  min: selector(signature, () => newExtreme('min')),
  max: selector(signature, () => newExtreme('max')),
}
