// What was made of texts that come again and again, as dashboards and alerts send them all day: kept
// while it is in use. The number and the length of the texts bound the memory that it takes.

export class KeptByText<T> {
  readonly #halfMax: number
  readonly #lengthMax: number
  /**
   * Two halves, so that a look at what is in use changes nothing: what was asked for since the newer one began is in
   * it, and when it is full the older one goes.
   */
  #newer = new Map<string, T>()
  #older = new Map<string, T>()

  constructor(countMax: number, lengthMax: number) {
    this.#halfMax = countMax / 2
    this.#lengthMax = lengthMax
  }

  get(text: string): T | undefined {
    const newer = this.#newer.get(text)
    if (newer !== undefined) return newer
    const older = this.#older.get(text)
    if (older !== undefined) this.#put(text, older)
    return older
  }

  /** False: the text is too long to be kept. */
  keep(text: string, value: T): boolean {
    if (text.length > this.#lengthMax) return false
    this.#put(text, value)
    return true
  }

  #put(text: string, value: T): void {
    if (this.#newer.size >= this.#halfMax) {
      this.#older = this.#newer
      this.#newer = new Map()
    }
    this.#newer.set(text, value)
  }
}
