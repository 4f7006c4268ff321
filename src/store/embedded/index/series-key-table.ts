// The keys of a bucket's series, by number. Of the series that were read lately the parsed form is
// kept, for all buckets together: who groups by tags looks at every series of every answer, and to
// parse a key of ten tags takes as long as to compute its windows. A number never changes its
// meaning, so what is kept is never wrong.

import { ByteTable } from '../../../column/byte-table.js'
import { parseSeriesKey, type Series } from '../../../column/series.js'

/** About 1 KB each where a series has ten tags. */
const slotCount = 2048

const tables = new Uint32Array(slotCount)
const numbers = new Uint32Array(slotCount)
const parsed: (Series | undefined)[] = new Array(slotCount).fill(undefined)
let tableCount = 0

export class SeriesKeyTable extends ByteTable {
  /** Not the table itself: what is kept must not keep a dropped bucket. */
  readonly #table = ++tableCount

  /** Not to be changed: others get the same object. */
  series(id: number): Series {
    const slot = (id + Math.imul(this.#table, 0x9e3779b1)) & (slotCount - 1)
    const known = parsed[slot]
    if (known !== undefined && numbers[slot] === id && tables[slot] === this.#table) return known
    const series = parseSeriesKey(this.get(id))
    parsed[slot] = series
    numbers[slot] = id
    tables[slot] = this.#table
    return series
  }
}
