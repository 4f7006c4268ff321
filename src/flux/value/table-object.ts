// A single table as a value of a script: what `tableFind` gives and `getColumn` and `getRecord` look
// into. Its rows are in memory.

import type { Chunk, TableColumn } from '../../query/table.js'
import type { GroupKey } from './key.js'

export class TableObject {
  readonly key: GroupKey
  readonly columns: readonly TableColumn[]
  /** All rows. */
  readonly rows: Chunk

  constructor(key: GroupKey, columns: readonly TableColumn[], rows: Chunk) {
    this.key = key
    this.columns = columns
    this.rows = rows
  }
}
