// What a store hands to a reader: rows of one measurement as columns, in runs of one series, or of one
// group of series, each. Pure data; who may keep the arrays and for how long is said at the store.

import type { Column, FieldType } from './column.js'
import type { Series } from './series.js'
import type { TimeColumn } from './time.js'

/** Rows `start` up to but not including `stop`, of one series or of one group. */
export interface Run {
  /** Of a series all its tags; of a group those that it was grouped by, without those that its series do not have. */
  readonly key: Series
  /** Equal numbers mean equal keys among the batches of one measurement in one read; elsewhere they mean nothing. */
  readonly keyId: number
  readonly start: number
  readonly stop: number
}

export interface BatchField {
  readonly name: string
  readonly type: FieldType
}

export interface Batch {
  readonly measurement: string
  readonly rowCount: number
  /** Runs follow each other without gaps. A series or group may continue in the next batch. */
  readonly runs: readonly Run[]
  readonly times: TimeColumn
  readonly fields: readonly BatchField[]
  /** One per field, same order. */
  readonly columns: readonly Column[]
  /**
   * For a window aggregate with `pointTimes`: where each selected point (min, max, first, last) lay, one column per
   * field; undefined for the others, and perhaps where no row has a value. A base of their own: a point may lie
   * centuries behind its window's start.
   */
  readonly pointTimes?: readonly (TimeColumn | undefined)[]
}
