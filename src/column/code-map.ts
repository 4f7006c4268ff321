// Which numbers the entries of a dictionary have elsewhere: where strings are copied or numbered anew, each
// entry is looked at once, and its code tells the rest.

/** A list of all entries takes a tenth of a map's time, unless few of many are met. */
const listShareMin = 4

const noList = new Uint32Array(0)

export class CodeMap {
  /** By code, plus one: 0 was not met. Empty where there is a map instead. */
  readonly #list: Uint32Array
  readonly #map: Map<number, number> | undefined

  /** Of a dictionary of so many entries, at most `metMax` of which will be met. */
  constructor(entryCount: number, metMax: number) {
    const isList = entryCount <= metMax * listShareMin
    this.#list = isList ? new Uint32Array(entryCount) : noList
    this.#map = isList ? undefined : new Map()
  }

  /** The number of an entry; -1: it was not met. */
  get(code: number): number {
    if (this.#map === undefined) return this.#list[code] - 1
    return this.#map.get(code) ?? -1
  }

  set(code: number, number: number): void {
    if (this.#map === undefined) this.#list[code] = number + 1
    else this.#map.set(code, number)
  }
}
