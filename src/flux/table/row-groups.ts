// Rows told apart by the values of some columns: every set of values gets a number, in the order in which they
// come first.

import { firstNumbers } from '../../column/first-numbers.js'
import { type Cells, type Chunk, cellAt, type TableColumn } from '../../query/table.js'
import { GroupKey, type KeyEntry } from '../value/key.js'

export interface RowGroups {
  /** For each row its group. */
  readonly numbers: Uint32Array
  readonly count: number
}

/** `within`: groups that are told apart further; they stay as they are. */
export function rowGroups(
  chunk: Chunk,
  places: readonly number[],
  within: RowGroups = { numbers: new Uint32Array(chunk.rowCount), count: 1 },
): RowGroups {
  const numbers = within.numbers.slice()
  let { count } = within
  for (const place of places) {
    // Where each row is a group already no value tells it apart any further.
    if (count === chunk.rowCount) break
    count = refine(numbers, count, chunk.columns[place], chunk.rowCount)
  }
  return { numbers, count: chunk.rowCount === 0 ? 0 : count }
}

/** Groups of rows that had the same values so far, told apart by one more column; how many there are now. */
function refine(numbers: Uint32Array, groups: number, cells: Cells, rowCount: number): number {
  if (cells.kind === 'constant') return groups
  const codes = valueCodes(cells, rowCount)
  // A number for each pair, as long as pairs can be told exactly by one.
  const width = codes.count
  const known = new Map<number, number>()
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    const pair = numbers[row] * width + codes.numbers[row]
    let number = known.get(pair)
    if (number === undefined) {
      number = count++
      known.set(pair, number)
    }
    numbers[row] = number
  }
  return count
}

/** The same number for the same value, one of its own for null. */
function valueCodes(cells: Exclude<Cells, { kind: 'constant' }>, rowCount: number): RowGroups {
  const { validity } = cells
  const numbers = new Uint32Array(rowCount)
  const known = new Map<unknown, number>()
  const code = (value: unknown): number => {
    let number = known.get(value)
    if (number === undefined) {
      number = known.size
      known.set(value, number)
    }
    return number
  }
  if (cells.type === 'string') {
    const { values, dictionary } = cells
    // Entries of a dictionary may repeat.
    const codes = new Int32Array(dictionary.length).fill(-1)
    for (let row = 0; row < rowCount; row++) {
      const isNull = validity !== undefined && validity[row] === 0
      const entry = values[row]
      if (!isNull && codes[entry] < 0) codes[entry] = code(dictionary[entry])
      numbers[row] = isNull ? code(null) : codes[entry]
    }
    return { numbers, count: known.size }
  }
  for (let row = 0; row < rowCount; row++) {
    const isNull = validity !== undefined && validity[row] === 0
    numbers[row] = code(isNull ? null : cells.values[row])
  }
  return { numbers, count: known.size }
}

/** The first row of each group. */
export function firstRows({ numbers, count }: RowGroups): Uint32Array {
  const rows = new Uint32Array(count)
  let seen = 0
  // Groups are numbered as they come.
  for (let row = 0; seen < count; row++) if (numbers[row] === seen) rows[seen++] = row
  return rows
}

/** The rows of each group together, groups and their rows in order; undefined: that is how they stand. */
export function groupedOrder({ numbers, count }: RowGroups): {
  readonly order: Uint32Array | undefined
  readonly ends: Uint32Array
} {
  const ends = new Uint32Array(count)
  let isOrdered = true
  for (let row = 0; row < numbers.length; row++) {
    ends[numbers[row]]++
    if (row > 0 && numbers[row] < numbers[row - 1]) isOrdered = false
  }
  for (let group = 1; group < count; group++) ends[group] += ends[group - 1]
  if (isOrdered) return { order: undefined, ends }
  const next = Uint32Array.from({ length: count }, (_, group) =>
    group === 0 ? 0 : ends[group - 1],
  )
  const order = new Uint32Array(numbers.length)
  for (let row = 0; row < numbers.length; row++) order[next[numbers[row]]++] = row
  return { order, ends }
}

interface Share {
  readonly key: GroupKey
  /** null: all. */
  readonly rows: Uint32Array | null
}

/** Tells the rows of chunks apart by the values of some columns. Keys are made once for each set of values. */
export class RowDealer {
  readonly #places: readonly number[]
  readonly #keyColumns: readonly TableColumn[]
  readonly #keys = new Map<string, GroupKey>()

  constructor(columns: readonly TableColumn[], keyColumns: readonly TableColumn[]) {
    this.#keyColumns = keyColumns
    this.#places = keyColumns.map((column) => columns.indexOf(column))
  }

  /** In the order in which the values come first. */
  deal(chunk: Chunk): readonly Share[] {
    if (chunk.rowCount === 0) return []
    const groups = rowGroups(chunk, this.#places)
    if (groups.count === 1) return [{ key: this.#key(chunk, 0), rows: null }]
    const { order, ends } = groupedOrder(groups)
    const all = order ?? firstNumbers(chunk.rowCount)
    return Array.from(ends, (end, group) => {
      const rows = all.subarray(group === 0 ? 0 : ends[group - 1], end)
      return { key: this.#key(chunk, rows[0]), rows }
    })
  }

  #key(chunk: Chunk, row: number): GroupKey {
    const entries = this.#keyColumns.map(({ name, type }, i): KeyEntry => {
      return { name, type, value: cellAt(chunk.columns[this.#places[i]], row) }
    })
    const key = GroupKey.of(entries)
    const known = this.#keys.get(key.text)
    if (known !== undefined) return known
    this.#keys.set(key.text, key)
    return key
  }
}
