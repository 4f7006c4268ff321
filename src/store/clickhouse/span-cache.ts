// Which fields are known to have points in which spans of time: what this process has told the registry already.
// Bounded by forgetting everything; what is told again does no harm.

import type { Measurement, Registry } from './registry.js'

const entriesMax = 200_000

export class SpanCache {
  readonly #registry: Registry
  readonly #known = new Map<string, Set<string>>()

  constructor(registry: Registry) {
    this.#registry = registry
  }

  forget(): void {
    this.#known.clear()
  }

  /** Resolves when the registry has it. */
  async save(
    { number, generation }: Measurement,
    spans: ReadonlyMap<bigint, readonly string[]>,
  ): Promise<void> {
    const nameOf = (span: bigint | number) => `${number} ${generation} ${span}`
    const fresh: { number: number; span: number; fields: readonly string[] }[] = []
    for (const [span, fields] of spans) {
      const known = this.#known.get(nameOf(span))
      if (known !== undefined && fields.every((name) => known.has(name))) continue
      fresh.push({ number, span: Number(span), fields })
    }
    if (fresh.length === 0) return
    await this.#registry.storage.saveSpans(fresh, generation)
    if (this.#known.size > entriesMax) this.#known.clear()
    for (const { span, fields } of fresh) {
      const known = this.#known.get(nameOf(span)) ?? new Set<string>()
      this.#known.set(nameOf(span), known)
      for (const name of fields) known.add(name)
    }
  }
}
