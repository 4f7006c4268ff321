// Ordered rows of one statement, looked at one by one: what merges several statements needs. Blocks are read ahead by
// whoever sends them, never here.

import type { NativeBase, ReadBlock, ReadColumn } from './native-format.js'

export class RowStream {
  /** Which of several places its columns lie in. */
  readonly place: number
  readonly #blocks: AsyncGenerator<ReadBlock, void, void>
  #block: ReadBlock | undefined
  #row = 0

  constructor(blocks: AsyncGenerator<ReadBlock, void, void>, place: number) {
    this.#blocks = blocks
    this.place = place
  }

  /** Stands on the first row, or at the end. */
  async begin(): Promise<void> {
    await this.#next()
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#blocks.next()
    this.#block = done === true ? undefined : value
    this.#row = 0
  }

  get isOver(): boolean {
    return this.#block === undefined
  }

  get rank(): number {
    return (
      (this.#block!.columns[0].base === 'UInt32' && this.#block!.columns[0].values[this.#row]) || 0
    )
  }

  /** Of a row its time, of a window its number. */
  get time(): bigint {
    const column = this.#block!.columns[1]
    return column.base === 'Int64' ? column.values[this.#row] : 0n
  }

  /** Columns behind rank and time. */
  column(i: number): ReadColumn {
    return this.#block!.columns[2 + i]
  }

  get row(): number {
    return this.#row
  }

  /** At once while the block has more rows. */
  advance(): Promise<void> | undefined {
    this.#row++
    return this.#row < this.#block!.rowCount ? undefined : this.#next()
  }

  async close(): Promise<void> {
    await this.#blocks.return()
  }
}

export const keyTypes: readonly NativeBase[] = ['UInt32', 'Int64']

/** Of several streams those that stand on the next row in the order of rank and time; none: all are over. */
export function nextOf(streams: readonly RowStream[], descending: boolean): RowStream[] {
  let next: RowStream[] = []
  for (const stream of streams) {
    if (stream.isOver) continue
    const order = next.length === 0 ? -1 : compare(stream, next[0], descending)
    if (order < 0) next = [stream]
    else if (order === 0) next.push(stream)
  }
  return next
}

function compare(a: RowStream, b: RowStream, descending: boolean): number {
  if (a.rank !== b.rank) return a.rank - b.rank
  if (a.time === b.time) return 0
  return a.time < b.time === descending ? 1 : -1
}
