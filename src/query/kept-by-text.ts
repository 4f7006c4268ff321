// What was made of texts that come again and again, as dashboards and alerts send them all day: kept
// while it is in use. The number and the length of the texts bound the memory that it takes.

export class KeptByText<T> {
  readonly #countMax: number
  readonly #lengthMax: number
  /** The one used last at the end. */
  readonly #kept = new Map<string, T>()

  constructor(countMax: number, lengthMax: number) {
    this.#countMax = countMax
    this.#lengthMax = lengthMax
  }

  get(text: string): T | undefined {
    const kept = this.#kept.get(text)
    if (kept !== undefined) {
      this.#kept.delete(text)
      this.#kept.set(text, kept)
    }
    return kept
  }

  /** False: the text is too long to be kept. */
  keep(text: string, value: T): boolean {
    if (text.length > this.#lengthMax) return false
    this.#kept.set(text, value)
    if (this.#kept.size > this.#countMax) {
      const [oldest] = this.#kept.keys()
      this.#kept.delete(oldest)
    }
    return true
  }
}
