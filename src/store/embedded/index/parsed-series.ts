// The series that were read lately, parsed: who groups by tags looks at every series of every answer, and to parse a
// key of ten tags takes as long as to compute its windows. One for all buckets of an engine. A number never changes its
// meaning, so what is cached is never wrong; a slot is taken over by whoever comes next.

import type { Series } from '../../../column/series.js'

/** About 1 KB each where a series has ten tags. */
const slotCount = 2048

export class ParsedSeries {
  readonly #tables = new Uint32Array(slotCount)
  readonly #numbers = new Uint32Array(slotCount)
  readonly #parsed: (Series | undefined)[] = new Array(slotCount).fill(undefined)
  #tableCount = 0

  /** A number for a table of keys. Not the table itself: what is cached must not hold on to a dropped bucket. */
  addTable(): number {
    return ++this.#tableCount
  }

  find(table: number, id: number): Series | undefined {
    const slot = slotOf(table, id)
    return this.#numbers[slot] === id && this.#tables[slot] === table
      ? this.#parsed[slot]
      : undefined
  }

  add(table: number, id: number, series: Series): void {
    const slot = slotOf(table, id)
    this.#parsed[slot] = series
    this.#numbers[slot] = id
    this.#tables[slot] = table
  }
}

function slotOf(table: number, id: number): number {
  return (id + Math.imul(table, 0x9e3779b1)) & (slotCount - 1)
}
