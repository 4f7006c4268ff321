// The groups that the series of a measurement fall into by the values of some tags. Groups are numbered as they are
// met, by the numbers that the index has for values: no text is made but for the groups themselves.

import type { Series } from '../../../column/series.js'
import { compareGroups, groupKey } from '../../group-keys.js'
import type { Measurement } from '../index/series-index.js'
import type { TagColumn } from '../index/tag-column.js'

/** Which group each series is in. Groups are numbered as they are met. */
export interface Groups {
  readonly count: number
  /** The number of the group of a series. */
  groupOf(series: number): number
  /** In the order of their tags' values. */
  inOrder(): { readonly group: number; readonly key: Series }[]
}

/** Of the group that a series is in. */
export function groupKeyOf(
  measurement: Measurement,
  tags: readonly string[],
  series: number,
): Series {
  if (tags.length === 0) return { measurement: measurement.name, tags: [] }
  const groups = new SeriesGroups(measurement, tags)
  groups.groupOf(series)
  return groups.inOrder()[0].key
}

export class SeriesGroups implements Groups {
  readonly #measurement: Measurement
  readonly #tags: readonly string[]
  readonly #columns: readonly (TagColumn | undefined)[]
  readonly #numbers = new Map<number | string, number>()
  /** By group: a position of one of its series. */
  readonly #examples: number[] = []

  constructor(measurement: Measurement, tags: readonly string[]) {
    this.#measurement = measurement
    this.#tags = tags
    this.#columns = tags.map((tag) => measurement.tags.get(tag))
  }

  get count(): number {
    return this.#examples.length
  }

  groupOf(series: number): number {
    const position = this.#positionOf(series)
    const key = this.#codesAt(position)
    let group = this.#numbers.get(key)
    if (group === undefined) {
      group = this.#examples.push(position) - 1
      this.#numbers.set(key, group)
    }
    return group
  }

  #codesAt(position: number): number | string {
    const columns = this.#columns
    if (columns.length === 0) return 0
    if (columns.length === 1) return columns[0]?.codeAt(position) ?? 0
    let codes = ''
    for (const column of columns) codes += `${column?.codeAt(position) ?? 0},`
    return codes
  }

  /** Series have numbers in the order in which they came. */
  #positionOf(series: number): number {
    const { seriesIds, seriesCount } = this.#measurement
    let low = 0
    let high = seriesCount - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (seriesIds[middle] < series) low = middle + 1
      else high = middle
    }
    return low
  }

  inOrder(): { readonly group: number; readonly key: Series }[] {
    const all = this.#examples.map((position, group) => ({
      group,
      values: this.#columns.map((column) => {
        const code = column?.codeAt(position) ?? 0
        return code === 0 ? '' : column!.textOf(code)
      }),
    }))
    all.sort((a, b) => compareGroups(a.values, b.values))
    const { name } = this.#measurement
    return all.map(({ group, values }) => ({ group, key: groupKey(name, this.#tags, values) }))
  }
}
