// Collects the rows of one group from many series and brings them into time order. Tags are kept once
// per series: each row only says which series it came from.

import type { Batch } from '../../column/batch.js'
import type { Column, FieldType } from '../../column/column.js'
import type { Series } from '../../column/series.js'
import { ColumnBuilder, dictionaryOf, gatherColumn } from '../../query/column-builder.js'
import type { MaybeColumn } from './evaluate.js'
import type { RowBlock } from './rows.js'
import { mergeRuns } from './time-order.js'

/** Where a column of the rows comes from. */
export type ColumnOrigin =
  | { readonly kind: 'field'; readonly name: string; readonly type: FieldType }
  | { readonly kind: 'tag'; readonly name: string; readonly isEmptyWhereMissing?: boolean }
  | { readonly kind: 'nothing' }

export class GroupBuffer {
  readonly #origins: readonly ColumnOrigin[]
  readonly #base: bigint
  readonly #descending: boolean
  readonly #fields: (ColumnBuilder | undefined)[]
  readonly #seriesIds: number[] = []
  readonly #series: Series[] = []
  #offsets = new Float64Array(64)
  /** Which of `#series` each row is from. */
  #ordinals = new Uint32Array(64)
  #count = 0
  /** Where each series' rows end. */
  readonly #ends: number[] = []

  constructor(origins: readonly ColumnOrigin[], base: bigint, descending: boolean) {
    this.#origins = origins
    this.#base = base
    this.#descending = descending
    this.#fields = origins.map((origin) =>
      origin.kind === 'field' ? new ColumnBuilder(origin.type, 64) : undefined,
    )
  }

  get count(): number {
    return this.#count
  }

  /** Rows of one series, behind those of it that came before. */
  add(batch: Batch, fieldAt: readonly number[], run: Batch['runs'][number]): void {
    const { start, stop } = run
    this.#beginSeries(run)
    this.#room(stop - start)
    const shift = Number(batch.times.base - this.#base)
    for (let row = start, to = this.#count; row < stop; row++) {
      this.#offsets[to++] = batch.times.offsets[row] + shift
    }
    this.#ordinals.fill(this.#series.length - 1, this.#count, this.#count + stop - start)
    for (let c = 0; c < this.#fields.length; c++) {
      const builder = this.#fields[c]
      if (builder === undefined) continue
      if (fieldAt[c] < 0) builder.pushNulls(stop - start)
      else builder.pushRange(batch.columns[fieldAt[c]], start, stop)
    }
    this.#count += stop - start
    this.#ends[this.#ends.length - 1] = this.#count
  }

  #beginSeries({ seriesId, series }: Batch['runs'][number]): void {
    const last = this.#seriesIds.length - 1
    if (last >= 0 && this.#seriesIds[last] === seriesId) return
    this.#seriesIds.push(seriesId)
    this.#series.push(series)
    this.#ends.push(this.#count)
  }

  finish(): RowBlock {
    const order =
      this.#ends.length > 1 ? mergeRuns(this.#offsets, this.#ends, this.#descending) : undefined
    const offsets = this.#offsets.subarray(0, this.#count)
    const hasTags = this.#origins.some(({ kind }) => kind === 'tag')
    const ordinals = this.#ordinals.subarray(0, hasTags ? this.#count : 0)
    // All tags of a row are those of its series: their columns are one array with several dictionaries.
    const inOrder = order === undefined || !hasTags ? ordinals : pick(ordinals, order)
    return {
      count: this.#count,
      times: { base: this.#base, offsets: order === undefined ? offsets : pick(offsets, order) },
      columns: this.#origins.map((origin, c) => this.#column(origin, c, order, inOrder)),
    }
  }

  #column(
    origin: ColumnOrigin,
    c: number,
    order: Uint32Array | undefined,
    ordinals: Uint32Array,
  ): MaybeColumn {
    if (origin.kind === 'nothing') return undefined
    if (origin.kind === 'tag') return this.#tagColumn(origin, ordinals)
    const column: Column = this.#fields[c]!.finish()
    return order === undefined ? column : gatherColumn(column, order)
  }

  #tagColumn(
    { name, isEmptyWhereMissing }: ColumnOrigin & { kind: 'tag' },
    values: Uint32Array,
  ): MaybeColumn {
    const missing = isEmptyWhereMissing === true ? '' : null
    const texts = this.#series.map(
      (series) => series.tags.find((tag) => tag.key === name)?.value ?? missing,
    )
    const dictionary = dictionaryOf(texts.map((text) => text ?? ''))
    if (!texts.includes(null)) return { type: 'string', values, dictionary, validity: undefined }
    const isThere = Uint8Array.from(texts, (text) => (text === null ? 0 : 1))
    const validity = Uint8Array.from(values, (ordinal) => isThere[ordinal])
    return { type: 'string', values, dictionary, validity }
  }

  #room(more: number): void {
    const needed = this.#count + more
    if (needed <= this.#offsets.length) return
    const capacity = Math.max(needed, this.#offsets.length * 2)
    const offsets = new Float64Array(capacity)
    offsets.set(this.#offsets)
    this.#offsets = offsets
    const ordinals = new Uint32Array(capacity)
    ordinals.set(this.#ordinals)
    this.#ordinals = ordinals
  }
}

function pick<T extends Float64Array | Uint32Array>(values: T, order: Uint32Array): T {
  const picked = new (values.constructor as new (length: number) => T)(order.length)
  for (let i = 0; i < order.length; i++) picked[i] = values[order[i]]
  return picked
}
