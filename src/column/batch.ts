// What a store hands to a reader: rows of one measurement as columns, grouped in runs of one series
// each. Pure data; who may keep the arrays and for how long is said at the store.

import type { Column, FieldType } from './column.js'
import type { Series } from './series.js'
import type { TimeColumn } from './time.js'

/** Rows `start` up to but not including `stop` belong to `series`. */
export interface SeriesRun {
  readonly series: Series
  /** Equal numbers mean the same series within one bucket of one open store. */
  readonly seriesId: number
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
  /** Runs follow each other without gaps. A series may continue in the next batch. */
  readonly runs: readonly SeriesRun[]
  readonly times: TimeColumn
  readonly fields: readonly BatchField[]
  /** One per field, same order. */
  readonly columns: readonly Column[]
  /**
   * For a window aggregate with `pointTimes`: where each selected point (min, max, first, last) lay, one column per
   * field; undefined for the others. A base of their own: a point may lie centuries behind its window's start.
   */
  readonly pointTimes?: readonly (TimeColumn | undefined)[]
}
