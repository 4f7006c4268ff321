// The groups that series fall into, told by their keys alone: for a thread that has no index. The same groups as
// series-groups.ts finds, which is faster where the index is.

import { parseSeriesKey, type Series } from '../../../column/series.js'
import { compareGroups, groupKey } from '../../group-keys.js'
import { keyOf } from '../index/key-order.js'
import type { SeriesKeyView } from '../index/series-key-table.js'
import type { Groups } from './series-groups.js'

export class KeyGroups implements Groups {
  readonly #measurement: string
  readonly #tags: readonly string[]
  readonly #keys: SeriesKeyView
  readonly #numbers = new Map<string, number>()
  /** By group: the values of its tags. */
  readonly #values: (readonly string[])[] = []

  constructor(measurement: string, tags: readonly string[], keys: SeriesKeyView) {
    this.#measurement = measurement
    this.#tags = tags
    this.#keys = keys
  }

  get count(): number {
    return this.#values.length
  }

  groupOf(series: number): number {
    const values = this.#valuesOf(series)
    const name = values.length === 1 ? values[0] : JSON.stringify(values)
    let group = this.#numbers.get(name)
    if (group === undefined) {
      group = this.#values.push(values) - 1
      this.#numbers.set(name, group)
    }
    return group
  }

  #valuesOf(series: number): readonly string[] {
    if (this.#tags.length === 0) return []
    const { tags } = parseSeriesKey(keyOf(this.#keys, series))
    return this.#tags.map((wanted) => tags.find(({ key }) => key === wanted)?.value ?? '')
  }

  inOrder(): { readonly group: number; readonly key: Series }[] {
    return this.#values
      .map((values, group) => ({ group, values }))
      .sort((a, b) => compareGroups(a.values, b.values))
      .map(({ group, values }) => {
        return { group, key: groupKey(this.#measurement, this.#tags, values) }
      })
  }
}
