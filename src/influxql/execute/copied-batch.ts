// A batch of a read whose rows are looked at again after the next one was asked for, when the store may
// use its arrays again: a copy of what the columns of a group need.

import type { Batch, Run } from '../../column/batch.js'
import { type Column, isWide } from '../../column/column.js'
import type { TimeColumn } from '../../column/time.js'
import type { RowMemory } from '../../query/row-memory.js'

export interface CopiedBatch {
  readonly times: TimeColumn
  /** One per column of the group; undefined: the batch does not have the field. */
  readonly columns: readonly (Column | undefined)[]
}

/** Rows of one series in one batch. */
export interface GroupRun {
  readonly batch: CopiedBatch
  readonly run: Run
}

/** `fieldAt`: where in the batch each column of the group is; -1: nowhere. Texts are not copied: see GroupBuffer. */
export function copyBatch(
  batch: Batch,
  fieldAt: readonly number[],
  memory: RowMemory,
): CopiedBatch {
  const { times, rowCount } = batch
  return {
    times: { base: times.base, offsets: memory.copyFloats(times.offsets, rowCount) },
    columns: fieldAt.map((at) =>
      at < 0 ? undefined : copied(batch.columns[at], rowCount, memory),
    ),
  }
}

function copied(column: Column, rowCount: number, memory: RowMemory): Column {
  if (column.type === 'string') return column
  const validity = column.validity && memory.copyBytes(column.validity, rowCount)
  if (isWide(column))
    return { ...column, values: column.values.slice(0, rowCount), validity } as Column
  if (column.type === 'boolean') {
    return { type: 'boolean', values: memory.copyBytes(column.values, rowCount), validity }
  }
  const values = memory.copyFloats(column.values as Float64Array, rowCount)
  return { type: column.type, values, validity }
}
