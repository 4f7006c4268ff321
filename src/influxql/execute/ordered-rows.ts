// The rows of a group in time order, as blocks. Only the places that rows have in the order are worked out
// at once; values are put there block by block, so that they are in the processor's caches when they are
// printed. Tags are kept once per run: each row only says which run it came from.

import type { Column, FieldType, Utf8Dictionary } from '../../column/column.js'
import { dictionaryOf, gatherColumn } from '../../query/column-builder.js'
import type { RowMemory } from '../../query/row-memory.js'
import { BlockRows } from './block-rows.js'
import type { GroupRun } from './copied-batch.js'
import type { MaybeColumn } from './evaluate.js'
import { NumberColumn, resized } from './number-column.js'
import type { RowBlock } from './rows.js'

/** Where a column of the rows comes from. */
export type ColumnOrigin =
  | { readonly kind: 'field'; readonly name: string; readonly type: FieldType }
  | { readonly kind: 'tag'; readonly name: string; readonly isEmptyWhereMissing?: boolean }
  | { readonly kind: 'nothing' }

/** Rows of a block, where a group is given out in several: 20 columns of them take 1.3 MB. */
const blockRows = 8192
/** A block has so many rows for each run, so that what is done for each run weighs little. */
const rowsPerRun = 4

/** What a group's columns are made from. */
export interface GroupParts {
  readonly origins: readonly ColumnOrigin[]
  readonly runs: readonly GroupRun[]
  /** By column: texts of all rows as they came; undefined: it has none. */
  readonly texts: readonly (Column | undefined)[]
}

export class OrderedRows {
  readonly count: number
  readonly #parts: GroupParts
  readonly #base: bigint
  /** Undefined: there is one run, which is in order. */
  readonly #rows: BlockRows | undefined
  readonly #numbers: readonly (NumberColumn | undefined)[]
  /** By column, where it is a tag: the values by run, made when first needed. */
  readonly #tags: (TagTexts | undefined)[] = []
  #offsets = new Float64Array(0)
  #ordinals = new Uint32Array(0)

  /** `base`: what times are counted from where there are several runs. */
  constructor(parts: GroupParts, base: bigint, descending: boolean, memory: RowMemory) {
    const { origins, runs, texts } = parts
    this.#parts = parts
    this.#base = base
    this.count = runs.reduce((sum, { run }) => sum + run.stop - run.start, 0)
    this.#rows = runs.length === 1 ? undefined : new BlockRows(runs, base, descending, memory)
    this.#numbers = origins.map((origin, c) => {
      const isNumber = origin.kind === 'field' && texts[c] === undefined
      const columns = runs.map(({ batch }) => batch.columns[c])
      return isNumber ? new NumberColumn(origin.type, columns) : undefined
    })
  }

  /** Blocks are no copies: they lie in the memory that the batches were kept in. */
  get sharesMemory(): boolean {
    return this.#rows === undefined
  }

  /** All rows at once. Either this or `blocks` is called, and once. */
  all(): RowBlock {
    const rows = this.#rows
    return rows === undefined ? this.#onlyRun() : this.#block(rows, this.count, false)
  }

  /** With `isReused` the arrays of a block are used again for the next one. */
  *blocks(isReused: boolean): Generator<RowBlock, void, void> {
    const rows = this.#rows
    if (rows === undefined) yield this.#onlyRun()
    else {
      const rowsMax = Math.max(blockRows, this.#parts.runs.length * rowsPerRun)
      for (let left = this.count; left > 0; left -= rowsMax) {
        yield this.#block(rows, Math.min(left, rowsMax), isReused)
      }
    }
  }

  #onlyRun(): RowBlock {
    const { origins, runs, texts } = this.#parts
    const [{ batch, run }] = runs
    const { start, stop } = run
    const { base, offsets } = batch.times
    const ordinals = new Uint32Array(this.count)
    return {
      count: this.count,
      times: { base, offsets: offsets.subarray(start, stop) },
      columns: origins.map((origin, c) => {
        if (origin.kind === 'tag') return this.#tagColumn(origin, c, ordinals)
        return texts[c] ?? this.#numbers[c]?.slice(start, stop)
      }),
    }
  }

  /** The next so many rows. */
  #block(rows: BlockRows, count: number, isReused: boolean): RowBlock {
    const { origins, texts } = this.#parts
    rows.next(count)
    this.#offsets = isReused ? resized(this.#offsets, count) : new Float64Array(count)
    this.#ordinals = isReused ? resized(this.#ordinals, count) : new Uint32Array(count)
    rows.putOffsets(this.#offsets)
    rows.putRuns(this.#ordinals)
    const hasTexts = texts.some((text) => text !== undefined)
    const order = new Uint32Array(hasTexts ? count : 0)
    if (hasTexts) rows.putRows(order, false)
    return {
      count,
      times: { base: this.#base, offsets: this.#offsets },
      columns: origins.map((origin, c) => {
        if (origin.kind === 'tag') return this.#tagColumn(origin, c, this.#ordinals)
        const text = texts[c]
        if (text !== undefined) return gatherColumn(text, order)
        return this.#numbers[c]?.inOrder(rows, isReused)
      }),
    }
  }

  #tagColumn(origin: ColumnOrigin & { kind: 'tag' }, c: number, values: Uint32Array): MaybeColumn {
    this.#tags[c] ??= tagTexts(this.#parts.runs, origin)
    const { dictionary, isThere } = this.#tags[c]
    const validity = isThere && Uint8Array.from(values, (run) => isThere[run])
    return { type: 'string', values, dictionary, validity }
  }
}

/** Values of a tag, by run. */
interface TagTexts {
  readonly dictionary: Utf8Dictionary
  /** Undefined: all runs have it. */
  readonly isThere: Uint8Array | undefined
}

function tagTexts(
  runs: readonly GroupRun[],
  { name, isEmptyWhereMissing }: ColumnOrigin & { kind: 'tag' },
): TagTexts {
  const missing = isEmptyWhereMissing === true ? '' : null
  const texts = runs.map(
    ({ run }) => run.key.tags.find(({ key }) => key === name)?.value ?? missing,
  )
  const dictionary = dictionaryOf(texts.map((text) => text ?? ''))
  const isThere = Uint8Array.from(texts, (text) => (text === null ? 0 : 1))
  return { dictionary, isThere: texts.includes(null) ? isThere : undefined }
}
