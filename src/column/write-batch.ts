// What a writer hands to the store: points as columns, one table per measurement, in the order they
// were written. Pure data; made by the line protocol parser and by whoever else writes.

import type { Column } from './column.js'
import type { SeriesKeys } from './series.js'
import type { TimeColumn } from './time.js'

export interface WriteField {
  readonly name: string
  readonly column: Column
}

/**
 * Points of one measurement. A measurement may have several tables in a batch (their times lie too far apart for one
 * base); where both set the same point, the later table wins. A field that the batch writes with two types has two
 * entries in `fields`; which of them stands is the store's decision.
 */
export interface WriteTable {
  readonly measurement: string
  readonly rowCount: number
  /** Series of each row, a number in `keys`. */
  readonly series: Uint32Array
  readonly keys: SeriesKeys
  readonly times: TimeColumn
  readonly fields: readonly WriteField[]
  /** Line of each row in the request, counted from 1, for messages about rejected points. */
  readonly lines: Uint32Array
}

/**
 * The arrays belong to the writer again once `Store.write` has resolved: a store copies what it keeps.
 */
export interface WriteBatch {
  readonly tables: readonly WriteTable[]
  readonly pointCount: number
  /** One object for all pieces of a write that comes in several: what a write may add it may add with all of them. */
  readonly write?: object | undefined
}
