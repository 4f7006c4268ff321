// The keys of a bucket's series, by number. A number is given once and never again, and series without points leave:
// so numbers come in pages of 64, and a page has room in the table (64 *places*) only if one of its numbers is in use.
// Keys that were read lately are found in parsed form (parsed-series.ts).

import { ByteTable, type ByteTableView, type SourceView } from '../../../column/byte-table.js'
import { parseSeriesKey, type Series } from '../../../column/series.js'
import { assert } from '../../../errors.js'
import type { ParsedSeries } from './parsed-series.js'

export interface SeriesKeyOptions {
  /** Whether other threads will look at the keys. */
  readonly shared: boolean
  readonly parsed: ParsedSeries
  /** What indexes of the same owner look at keys with. */
  readonly source?: SourceView
}

/** The keys at one moment, for a reader on another thread; strings lie at places, which numbers lead to. */
export interface SeriesKeyView extends ByteTableView {
  /** By number / 64: the first place of the page. */
  readonly pages: Uint32Array
  /** By place / 64: which page lies there. */
  readonly owners: Uint32Array
}

const pageBits = 6
const pageNumbers = 1 << pageBits
const noPlace = 0xffffffff

export function placeOf({ pages }: SeriesKeyView, number: number): number {
  return pages[number >>> pageBits] + (number & (pageNumbers - 1))
}

export function numberAt({ owners }: SeriesKeyView, place: number): number {
  return owners[place >>> pageBits] * pageNumbers + (place & (pageNumbers - 1))
}

export class SeriesKeyTable extends ByteTable implements SeriesKeyView {
  pages: Uint32Array
  owners: Uint32Array
  #ownerCount = 0
  /** The number that the next new series gets. */
  next = 0
  /** How many series there are. */
  size = 0
  readonly #parsed: ParsedSeries
  readonly #table: number

  constructor(options: SeriesKeyOptions) {
    super(options)
    this.#parsed = options.parsed
    this.#table = options.parsed.addTable()
    this.pages = this.words(1).fill(noPlace)
    this.owners = this.words(1)
  }

  override get byteLength(): number {
    return super.byteLength + this.pages.byteLength + this.owners.byteLength
  }

  override shareable(): SeriesKeyView {
    const { arena, starts, lengths, count, pages, owners } = this
    return { arena, starts, lengths, count, pages, owners }
  }

  has(number: number): boolean {
    const page = number >>> pageBits
    if (page >= this.pages.length || this.pages[page] === noPlace) return false
    const place = placeOf(this, number)
    return place < this.count && this.isFilled(place)
  }

  key(number: number): Uint8Array {
    return this.get(placeOf(this, number))
  }

  /** -1: there is none. */
  numberOf(key: Uint8Array): number {
    const place = this.findBytes(key, 0, key.length)
    return place < 0 ? -1 : numberAt(this, place)
  }

  /** Neither the number nor the key may be in use. */
  set(number: number, key: Uint8Array): void {
    assert(key.length > 0, 'a series has a key')
    const page = number >>> pageBits
    if (page >= this.pages.length) this.#growPages(page + 1)
    if (this.pages[page] === noPlace) this.#takePlaces(page)
    this.addAt(placeOf(this, number), key, 0, key.length, this.hashOf(key))
    this.size++
    if (number >= this.next) this.next = number + 1
  }

  /** Not to be changed: others get the same object. */
  series(number: number): Series {
    const known = this.#parsed.find(this.#table, number)
    if (known !== undefined) return known
    const series = parseSeriesKey(this.key(number))
    this.#parsed.add(this.#table, number, series)
    return series
  }

  /** No key is empty: a place without one was left out. */
  protected override isFilled(place: number): boolean {
    return this.lengths[place] > 0
  }

  #growPages(countMin: number): void {
    const pages = this.words(Math.max(countMin, this.pages.length * 2)).fill(noPlace)
    pages.set(this.pages)
    this.pages = pages
  }

  #takePlaces(page: number): void {
    if (this.#ownerCount === this.owners.length) {
      const owners = this.words(this.owners.length * 2)
      owners.set(this.owners)
      this.owners = owners
    }
    const owner = this.#ownerCount++
    this.owners[owner] = page
    this.pages[page] = owner * pageNumbers
  }
}
