// Records whose properties have places: what record expressions make. All records of one expression
// share one layout (name → place), so that making one costs an array, and reading a property costs
// one look at the layout for as long as the same layout comes by.

import { FluxRecord, type FluxValue } from './value.js'

/** Records with the same `shape` (the same object) have the same names at the same places. */
export abstract class PlacedRecord extends FluxRecord {
  abstract readonly shape: object
  /** -1: there is no such property. */
  abstract place(name: string): number
  abstract at(place: number): FluxValue
}

export class RecordLayout {
  readonly names: readonly string[]
  readonly #places: ReadonlyMap<string, number>

  /** Names are unique. */
  constructor(names: readonly string[]) {
    this.names = names
    this.#places = new Map(names.map((name, i) => [name, i]))
  }

  place(name: string): number {
    return this.#places.get(name) ?? -1
  }
}

export class SlotRecord extends PlacedRecord {
  readonly layout: RecordLayout
  readonly #values: readonly FluxValue[]

  /** One value for each name of the layout. */
  constructor(layout: RecordLayout, values: readonly FluxValue[]) {
    super()
    this.layout = layout
    this.#values = values
  }

  get shape(): object {
    return this.layout
  }

  place(name: string): number {
    return this.layout.place(name)
  }

  at(place: number): FluxValue {
    return this.#values[place]
  }

  get(name: string): FluxValue | undefined {
    const place = this.layout.place(name)
    return place < 0 ? undefined : this.#values[place]
  }

  names(): Iterable<string> {
    return this.layout.names
  }
}

/** The names of `{source with …}`: those of the source where they stood, new ones behind them. */
export class ExtendedLayout extends RecordLayout {
  /** For each name: the place in the source, or `-1 - i` for the i-th of its own values. */
  readonly sources: Int32Array
  readonly ownNames: readonly string[]

  constructor(sourceNames: readonly string[], ownNames: readonly string[]) {
    const own = new Map(ownNames.map((name, i) => [name, i]))
    const known = new Set(sourceNames)
    const added = ownNames.filter((name) => !known.has(name))
    super([...sourceNames, ...added])
    this.ownNames = ownNames
    this.sources = new Int32Array(this.names.length)
    for (let i = 0; i < this.names.length; i++) {
      const at = own.get(this.names[i])
      this.sources[i] = at === undefined ? i : -1 - at
    }
  }
}

/**
 * `{r with …}` over a row of a table: nothing of the row is copied. It is valid as long as the row is; whoever keeps it
 * copies it. A function over whole tables may take `base` and `ownValues` apart and leave the untouched columns alone.
 */
export class ExtendedRecord extends PlacedRecord {
  readonly layout: ExtendedLayout
  readonly base: PlacedRecord
  /** One for each of `layout.ownNames`. */
  readonly ownValues: readonly FluxValue[]

  constructor(layout: ExtendedLayout, base: PlacedRecord, ownValues: readonly FluxValue[]) {
    super()
    this.layout = layout
    this.base = base
    this.ownValues = ownValues
  }

  get shape(): object {
    return this.layout
  }

  place(name: string): number {
    return this.layout.place(name)
  }

  at(place: number): FluxValue {
    const source = this.layout.sources[place]
    return source < 0 ? this.ownValues[-1 - source] : this.base.at(source)
  }

  get(name: string): FluxValue | undefined {
    const place = this.layout.place(name)
    return place < 0 ? undefined : this.at(place)
  }

  names(): Iterable<string> {
    return this.layout.names
  }
}

/**
 * What one `{source with …}` expression makes of its sources. The layouts it works out are remembered for as long as
 * sources of the same shape follow each other.
 */
export class RecordExtension {
  readonly #ownNames: readonly string[]
  #shape: object | undefined
  #layout: ExtendedLayout = new ExtendedLayout([], [])
  /** For a source that is an extension itself: which of its own values, or of ours (`-1 - i`), each new one is. */
  #merged: Int32Array = new Int32Array(0)

  constructor(ownNames: readonly string[]) {
    this.#ownNames = ownNames
  }

  extend(source: FluxRecord, values: readonly FluxValue[]): FluxRecord {
    if (!(source instanceof PlacedRecord)) return this.extend(slotRecordOf(source), values)
    if (source.shape !== this.#shape) this.#learn(source)
    // One level deep always: a chain of extensions would grow with every step of a loop.
    if (source instanceof ExtendedRecord) {
      return new ExtendedRecord(this.#layout, source.base, this.#merge(source.ownValues, values))
    }
    if (!(source instanceof SlotRecord)) return new ExtendedRecord(this.#layout, source, values)
    return new SlotRecord(this.#layout, this.#copy(source, values))
  }

  #learn(source: PlacedRecord): void {
    if (source instanceof ExtendedRecord) {
      const { layout } = source
      const places = new Map(layout.ownNames.map((name, i) => [name, i]))
      for (const name of this.#ownNames) places.set(name, -1)
      const ownNames = [...places.keys()]
      const mine = new Map(this.#ownNames.map((name, i) => [name, -1 - i]))
      this.#merged = Int32Array.from(ownNames, (name) => mine.get(name) ?? places.get(name)!)
      this.#layout = new ExtendedLayout([...source.base.names()], ownNames)
    } else {
      this.#layout = new ExtendedLayout([...source.names()], this.#ownNames)
    }
    this.#shape = source.shape
  }

  #merge(theirs: readonly FluxValue[], ours: readonly FluxValue[]): FluxValue[] {
    const merged = new Array<FluxValue>(this.#merged.length)
    for (let i = 0; i < merged.length; i++) {
      const from = this.#merged[i]
      merged[i] = from < 0 ? ours[-1 - from] : theirs[from]
    }
    return merged
  }

  #copy(source: SlotRecord, values: readonly FluxValue[]): FluxValue[] {
    const { sources } = this.#layout
    const copied = new Array<FluxValue>(sources.length)
    for (let i = 0; i < copied.length; i++) {
      copied[i] = sources[i] < 0 ? values[-1 - sources[i]] : source.at(sources[i])
    }
    return copied
  }
}

/** The same properties, each with a place. */
export function slotRecordOf(record: FluxRecord): SlotRecord {
  const names = [...record.names()]
  const values = names.map((name) => record.get(name) ?? null)
  return new SlotRecord(new RecordLayout(names), values)
}
