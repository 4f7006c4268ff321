// Answers that were printed once and hold until the catalog changes: whoever lists the same page again, as clients do
// that look for news, gets the text of the last time. The key must name everything that the answer depends on besides
// the catalog, above all what its reader may see.

/** A few hundred pages of the usual length. */
const rememberedCharactersMax = 4_000_000

export class RememberedAnswers {
  readonly #version: () => number
  readonly #texts = new Map<string, string>()
  #characters = 0
  /** Of the texts. */
  #rememberedVersion = -1

  /** `version`: of all the resources that answers are made from. */
  constructor(version: () => number) {
    this.#version = version
  }

  /** The JSON of what `make` returns, now or at an earlier call. What it throws is not remembered. */
  async json(key: string, make: () => Promise<object>): Promise<string> {
    const version = this.#version()
    if (version !== this.#rememberedVersion) this.#forget(version)
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const text = JSON.stringify(await make())
    // A change while the answer was made: nobody can tell which of its parts saw it.
    if (version === this.#version()) this.#remember(key, text)
    return text
  }

  #remember(key: string, text: string): void {
    const characters = key.length + text.length
    // Of two that asked at once, the first was enough.
    if (characters > rememberedCharactersMax || this.#texts.has(key)) return
    if (this.#characters + characters > rememberedCharactersMax)
      this.#forget(this.#rememberedVersion)
    this.#texts.set(key, text)
    this.#characters += characters
  }

  #forget(version: number): void {
    this.#texts.clear()
    this.#characters = 0
    this.#rememberedVersion = version
  }
}
