// Scripts that are asked again and again, as dashboards do: parsed, checked and compiled once. What a
// script reads, and whether it may, is looked up in each run.

import type { Script } from './evaluate/script.js'

/** Both bound the memory that they take. */
const scriptsMax = 128
const textLengthMax = 4096

export class KeptScripts {
  /** By text, the one used last at the end. */
  readonly #scripts = new Map<string, Script>()

  /** Throws what `compile` throws; what failed is not kept. */
  script(text: string, compile: () => Script): Script {
    const kept = this.#scripts.get(text)
    if (kept !== undefined) this.#scripts.delete(text)
    const script = kept ?? compile()
    if (text.length <= textLengthMax) this.#scripts.set(text, script)
    if (this.#scripts.size > scriptsMax) {
      const [oldest] = this.#scripts.keys()
      this.#scripts.delete(oldest)
    }
    return script
  }
}
