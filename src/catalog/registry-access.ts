// The registry of a store as the store itself asks for it: every change in a transaction of its own, which is repeated
// where another process was faster, and a number by which the store notices that somebody has retired measurements.

import { formatTimestamp } from './base/timestamps.js'
import type { Catalog } from './catalog.js'
import type { RegisteredMeasurement, RegisteredSpan } from './storage/store-registry.js'
import type { StoreReplica } from './storage/store-replicas.js'

export class RegistryAccess {
  readonly #catalog: Catalog

  constructor(catalog: Catalog) {
    this.#catalog = catalog
  }

  /** Other processes may change it too. */
  get isShared(): boolean {
    return this.#catalog.nodes !== undefined
  }

  /** Rises whenever measurements were retired, by whomever. */
  get retiredVersion(): number {
    return this.#catalog.versions['store-measurements']
  }

  /** Whoever reads after it chooses among replicas as they are now. */
  async find(bucket: string, names?: readonly string[]): Promise<RegisteredMeasurement[]> {
    const { storeRegistry } = this.#catalog
    if (!this.isShared) return storeRegistry.find(bucket, names)
    const { measurements, replicasVersion } = await storeRegistry.findNow(bucket, names)
    if (replicasVersion > this.replicasVersion) await this.#catalog.refresh()
    return measurements
  }

  save(
    bucket: string,
    name: string,
    spanClass: number,
    change: (body: string | undefined) => string | undefined,
  ): Promise<RegisteredMeasurement> {
    return this.#catalog.inTransaction((inside) =>
      inside.storeRegistry.save(bucket, name, spanClass, change),
    )
  }

  async saveSpans(spans: readonly RegisteredSpan[], generation: number): Promise<void> {
    await this.#catalog.inTransaction(async (inside) => {
      for (const { number, span, fields } of spans) {
        await inside.storeRegistry.saveSpan(number, span, fields, generation)
      }
    })
  }

  spans(numbers: readonly number[]): Promise<RegisteredSpan[]> {
    return this.#catalog.storeRegistry.spans(numbers)
  }

  async forgetSpans(spans: readonly RegisteredSpan[]): Promise<void> {
    for (const { number, span } of spans) {
      await this.#catalog.storeRegistry.forgetSpan(number, span)
    }
  }

  /** Resolves when every process that is connected has heard of it. */
  nextGeneration(numbers: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return this.#catalog.inTransaction((inside) => inside.storeEmptied.nextGeneration(numbers))
  }

  async saveLeft(
    number: number,
    generation: number,
    left: readonly RegisteredSpan[],
  ): Promise<void> {
    await this.#catalog.inTransaction((inside) =>
      inside.storeEmptied.saveLeft(number, generation, left),
    )
  }

  /** True: it was empty. Resolves when every process that is connected has heard of it. */
  retireEmpty(bucket: string, number: number): Promise<boolean> {
    return this.#catalog.inTransaction(async ({ storeRegistry }) => {
      if ((await storeRegistry.spans([number])).length > 0) return false
      await storeRegistry.retire(bucket, [number])
      return true
    })
  }

  async noteDelete(bucket: string, numbers: readonly number[]): Promise<void> {
    await this.#catalog.storeEmptied.note(bucket, numbers)
  }

  async forgetDeletes(numbers: readonly number[], deletes: number): Promise<void> {
    await this.#catalog.inTransaction((inside) => inside.storeEmptied.forget(numbers, deletes))
  }

  notedDeletes() {
    return this.#catalog.storeEmptied.noted()
  }

  /** Resolves when every process that is connected has heard of it. */
  async retire(bucket: string, numbers?: readonly number[]): Promise<void> {
    await this.#catalog.inTransaction((inside) => inside.storeRegistry.retire(bucket, numbers))
  }

  retired(): Promise<number[]> {
    return this.#catalog.storeRegistry.retired()
  }

  deleted(numbers: readonly number[]): Promise<void> {
    return this.#catalog.storeRegistry.deleted(numbers)
  }

  claim(work: string, holder: string, now: bigint, until: bigint): Promise<boolean> {
    const [from, to] = [formatTimestamp(now), formatTimestamp(until)]
    return this.#catalog.inTransaction((inside) =>
      inside.storeRegistry.claim(work, holder, from, to),
    )
  }

  /** Rises whenever the state of a replica was changed, by whomever. */
  get replicasVersion(): number {
    return this.#catalog.versions['store-replicas']
  }

  replicas(): Promise<StoreReplica[]> {
    return this.#catalog.storeReplicas.all()
  }

  async meetReplica(name: string, shard: number): Promise<void> {
    await this.#catalog.inTransaction((inside) => inside.storeReplicas.meet(name, shard))
  }

  /** Resolves when every process that is connected has heard of it. */
  moveReplica(name: string, turn: number, state: StoreReplica['state']): Promise<boolean> {
    return this.#catalog.inTransaction((inside) => inside.storeReplicas.move(name, turn, state))
  }

  noteWhole(name: string, begun: number): Promise<void> {
    return this.#catalog.storeReplicas.noteWhole(name, begun)
  }

  /** Also those that are not connected, until their lease ends. */
  async isSeenByAll(): Promise<boolean> {
    const { nodes } = this.#catalog
    return nodes === undefined || nodes.isSeenByAll(await this.#catalog.refresh())
  }

  agree(name: string, value: string): Promise<string> {
    return this.#catalog.inTransaction((inside) => inside.storeReplicas.agree(name, value))
  }
}
