// Puts the fill of a SELECT where a row has no value: a number, what the row before had, or nothing.
// Works on the rows of one group, block by block.

import type { Column } from '../../column/column.js'
import { ColumnBuilder } from '../../query/column-builder.js'
import type { SelectPlan } from '../plan/select-plan.js'
import type { Fill } from '../syntax/ast.js'
import type { MaybeColumn } from './evaluate.js'
import { fillValue } from './fill-step.js'
import type { RowBlock } from './rows.js'

export class ColumnFiller {
  readonly #fill: Fill
  /** By column: what the last row had, as a column of one row. */
  readonly #last: (Column | undefined)[]

  constructor(plan: SelectPlan, columnCount: number) {
    this.#fill = plan.fill
    this.#last = new Array(columnCount).fill(undefined)
  }

  fill(block: RowBlock): RowBlock {
    const { kind } = this.#fill
    if (kind !== 'number' && kind !== 'previous') return block
    return { ...block, columns: block.columns.map((column, c) => this.#filled(column, c, block)) }
  }

  #filled(column: MaybeColumn, c: number, { count }: RowBlock): MaybeColumn {
    if (column === undefined) return undefined
    const filled =
      column.validity === undefined
        ? column
        : this.#fill.kind === 'number'
          ? withNumber(column, this.#fill.value, count)
          : withPrevious(column, this.#last[c], count)
    if (this.#fill.kind === 'previous' && count > 0) this.#last[c] = lastRow(filled, count)
    return filled
  }
}

function withNumber(column: Column, value: number | bigint, count: number): Column {
  const builder = new ColumnBuilder(column.type, count)
  for (let row = 0; row < count; row++) {
    if (column.validity![row] === 0) builder.push(fillValue(value, column.type))
    else builder.pushFrom(column, row)
  }
  return builder.finish()
}

function withPrevious(column: Column, before: Column | undefined, count: number): Column {
  const builder = new ColumnBuilder(column.type, count)
  let from = before
  let at = 0
  for (let row = 0; row < count; row++) {
    if (column.validity![row] !== 0) {
      from = column
      at = row
    }
    if (from === undefined) builder.pushNull()
    else builder.pushFrom(from, at)
  }
  return builder.finish()
}

function lastRow(column: Column, count: number): Column {
  const builder = new ColumnBuilder(column.type, 1)
  builder.pushFrom(column, count - 1)
  return builder.finish()
}
