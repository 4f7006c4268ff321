// Which group a series goes to, found by the values of the tags that make the groups: series with the same tag keys
// have them at the same places, so that a series costs a look-up and no group key of its own. One a measurement.

import type { BatchField } from '../../../column/batch.js'
import type { Series } from '../../../column/series.js'
import { type GroupColumns, makesGroup } from './group-columns.js'
import {
  type KeyLayout,
  reservedNames,
  type SeriesShape,
  type SeriesShapes,
} from './series-columns.js'

interface Known<T> {
  /** Of the tags that make the groups. */
  readonly places: readonly number[]
  readonly found: Map<string, T>
}

export class GroupFinder<T> {
  readonly #shapes: SeriesShapes
  readonly #by: GroupColumns | undefined
  readonly #find: (shape: SeriesShape) => T
  readonly #known = new Map<KeyLayout, Known<T>>()

  /** `by`: undefined: each table is a group. `find`: asked once for each of them. */
  constructor(shapes: SeriesShapes, by: GroupColumns | undefined, find: (shape: SeriesShape) => T) {
    this.#shapes = shapes
    this.#by = by
    this.#find = find
  }

  of(series: Series, field: BatchField): T {
    if (this.#by === undefined) return this.#find(this.#shapes.shape(series, field))
    const { places, found } = this.#knownOf(this.#shapes.layout(series), this.#by)
    // A length before each value, so that none can imitate another.
    let text = `${field.name.length}:${field.name}`
    for (const place of places) {
      const { value } = series.tags[place]
      text += `${value.length}:${value}`
    }
    let group = found.get(text)
    if (group === undefined) {
      group = this.#find(this.#shapes.shape(series, field))
      found.set(text, group)
    }
    return group
  }

  #knownOf(layout: KeyLayout, by: GroupColumns): Known<T> {
    let known = this.#known.get(layout)
    if (known === undefined) {
      const places = layout.tagKeys.flatMap((key, place) =>
        makesGroup(by, key) && !reservedNames.has(key) ? [place] : [],
      )
      known = { places, found: new Map() }
      this.#known.set(layout, known)
    }
    return known
  }
}
