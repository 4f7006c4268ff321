// What a query wants the store to compute, each aggregate once. A SELECT may ask for thousands: they are looked up, and
// not searched for.

import type { Aggregate, AggregateFunction } from '../store/store.js'

export class AggregateList {
  readonly all: Aggregate[] = []
  readonly #places = new Map<string, number>()

  /** Where it stands, added if it is not there. */
  placeOf(field: string, name: AggregateFunction): number {
    const key = `${name} ${field}`
    let place = this.#places.get(key)
    if (place === undefined) {
      place = this.all.push({ field, function: name }) - 1
      this.#places.set(key, place)
    }
    return place
  }
}
