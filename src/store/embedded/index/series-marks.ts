// Which of some series' numbers were met: a byte for each, in pages that are made with the first that is met, since
// most measurements of many are small and numbers of long ago are hardly ever met.

const pageBits = 10
const pageNumbers = 1 << pageBits

export class SeriesMarks {
  /** How many were met. */
  size = 0
  readonly #end: number
  readonly #pages = new Map<number, Uint8Array>()

  /** Numbers from `end` on are passed by. */
  constructor(end = Number.POSITIVE_INFINITY) {
    this.#end = end
  }

  /** The first `count` of them. */
  add(ids: Uint32Array | readonly number[], count = ids.length): void {
    for (let i = 0; i < count; i++) {
      const id = ids[i]
      if (id >= this.#end) continue
      const page = this.#page(id >>> pageBits)
      const at = id & (pageNumbers - 1)
      if (page[at] === 0) {
        page[at] = 1
        this.size++
      }
    }
  }

  has(id: number): boolean {
    return this.#pages.get(id >>> pageBits)?.[id & (pageNumbers - 1)] === 1
  }

  #page(number: number): Uint8Array {
    let page = this.#pages.get(number)
    if (page === undefined) {
      page = new Uint8Array(pageNumbers)
      this.#pages.set(number, page)
    }
    return page
  }
}
