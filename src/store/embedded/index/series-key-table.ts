// The keys of a bucket's series, by number; those that were read lately are found in parsed form
// (parsed-series.ts).

import { ByteTable } from '../../../column/byte-table.js'
import { parseSeriesKey, type Series } from '../../../column/series.js'
import type { ParsedSeries } from './parsed-series.js'

export interface SeriesKeyOptions {
  /** Whether other threads will look at the keys. */
  readonly shared: boolean
  readonly parsed: ParsedSeries
}

export class SeriesKeyTable extends ByteTable {
  readonly #parsed: ParsedSeries
  readonly #table: number

  constructor(options: SeriesKeyOptions) {
    super(options)
    this.#parsed = options.parsed
    this.#table = options.parsed.addTable()
  }

  /** Not to be changed: others get the same object. */
  series(id: number): Series {
    const known = this.#parsed.find(this.#table, id)
    if (known !== undefined) return known
    const series = parseSeriesKey(this.get(id))
    this.#parsed.add(this.#table, id, series)
    return series
  }
}
