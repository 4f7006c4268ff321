// What is known of measurements: their numbers, the places of their fields, their tag keys. It is kept where all
// processes find it and decided there: whoever is first gives a field its type and its place, the others learn them.
// What was learnt stays true until a measurement is retired, of which every process is told.

import type { FieldType } from '../../column/column.js'
import type { BucketId, FieldSchema, MeasurementSchema } from '../store.js'
import { type PlacedField, placeFields, type TableName } from './layout.js'

/** Where the registry is kept. See the catalog's `registry-access.ts`, which is one. */
export interface RegistryStorage {
  /** Other processes may change it too. */
  readonly isShared: boolean
  /** Rises whenever measurements were retired, by whomever. */
  readonly retiredVersion: number
  /** Those of these names, or all of the bucket. `replicasVersion` is not older than this answer. */
  find(bucket: BucketId, names?: readonly string[]): Promise<readonly StoredMeasurement[]>
  /** Makes the measurement or changes its body; undefined: it stays. `change` may be called again. */
  save(
    bucket: BucketId,
    name: string,
    spanClass: number,
    change: (body: string | undefined) => string | undefined,
  ): Promise<StoredMeasurement>
  /** `generation`: of the measurement, as whoever tells this knows it. */
  saveSpans(spans: readonly FieldSpans[], generation: number): Promise<void>
  spans(numbers: readonly number[]): Promise<readonly FieldSpans[]>
  /** Those of these numbers, or all of the bucket. Resolves when every process has heard of it. */
  retire(bucket: BucketId, numbers?: readonly number[]): Promise<void>
  /** Numbers whose rows are not deleted yet. */
  retired(): Promise<readonly number[]>
  deleted(numbers: readonly number[]): Promise<void>
  /**
   * Of these, emptied series are about to leave the index. Resolves with the new generations, by number, when every
   * process has heard of them.
   */
  nextGeneration(numbers: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** What is left in spans of which nobody has told since this generation. Those without fields go. */
  saveLeft(number: number, generation: number, left: readonly FieldSpans[]): Promise<void>
  /** Where it has no spans any more. True: it is retired. */
  retireEmpty(bucket: BucketId, number: number): Promise<boolean>
  /** A delete may have emptied something of these. */
  noteDelete(bucket: BucketId, numbers: readonly number[]): Promise<void>
  /** What so many deletes have emptied has left. */
  forgetDeletes(numbers: readonly number[], deletes: number): Promise<void>
  notedDeletes(): Promise<readonly NotedDeletes[]>
  /** These have expired. */
  forgetSpans(spans: readonly FieldSpans[]): Promise<void>
  /** True where nobody else is at this work before `until`. */
  claim(work: string, holder: string, now: bigint, until: bigint): Promise<boolean>
  /** Rises whenever the state of a replica was changed, by whomever. */
  readonly replicasVersion: number
  replicas(): Promise<readonly StoredReplica[]>
  /** Makes it known. The first of a shard has everything that there is. */
  meetReplica(name: string, shard: number): Promise<void>
  /** False: `turn` is not the last one, or no other of the shard is `in`. Resolves when every process has heard. */
  moveReplica(name: string, turn: number, state: StoredReplica['state']): Promise<boolean>
  /** It has everything, as a process of it that began then, in seconds. */
  noteWhole(name: string, begun: number): Promise<void>
  /** Every process that may write has heard of all changes, be it out of reach: else its lease has ended. */
  isSeenByAll(): Promise<boolean>
  /** What all processes must agree on: whoever was first has decided. */
  agree(name: string, value: string): Promise<string>
}

/** `in`: has all that was acknowledged; `returning`: writes wait for it, nobody reads from it; `out`: neither. */
export interface StoredReplica {
  readonly name: string
  readonly shard: number
  readonly state: 'in' | 'returning' | 'out'
  readonly turn: number
  /** When the process of it began, in seconds, that was last found to have everything. */
  readonly begun: number | null
}

export interface StoredMeasurement {
  readonly number: number
  readonly name: string
  readonly spanClass: number
  readonly version: number
  readonly generation: number
  readonly body: string
}

export interface NotedDeletes {
  readonly number: number
  readonly bucket: BucketId
  readonly deletes: number
}

/** Which fields have points in a span of time. */
export interface FieldSpans {
  readonly number: number
  readonly span: number
  readonly fields: readonly string[]
}

/** As it is stored. */
interface Body {
  readonly fields?: readonly (readonly [string, FieldType, TableName, number, number])[]
  readonly tagKeys?: readonly string[]
}

export class Measurement {
  readonly number: number
  readonly bucket: BucketId
  readonly name: string
  readonly spanClass: number
  /** Of its index: whoever has told it of series told that of this generation. */
  readonly generation: number
  readonly fields: ReadonlyMap<string, PlacedField>
  readonly tagKeys: ReadonlySet<string>
  readonly schema: MeasurementSchema

  constructor(bucket: BucketId, stored: StoredMeasurement) {
    const { number, name, spanClass, version, body } = stored
    this.number = number
    this.bucket = bucket
    this.name = name
    this.spanClass = spanClass
    this.generation = stored.generation
    const { fields, tagKeys } = parseBody(body)
    this.fields = new Map(fields.map((field) => [field.name, field]))
    this.tagKeys = new Set(tagKeys)
    this.schema = {
      version: number * 2 ** 21 + version,
      fields: fields
        .map((field): FieldSchema => ({ measurement: name, name: field.name, type: field.type }))
        .sort(byName),
      tagKeys: [...tagKeys].sort(),
    }
  }
}

const byName = (a: FieldSchema, b: FieldSchema) => (a.name < b.name ? -1 : 1)

function parseBody(body: string | undefined) {
  const { fields = [], tagKeys = [] } = JSON.parse(body ?? '{}') as Body
  const placed = fields.map(([name, type, table, chunk, slot]) => ({
    name,
    type,
    table,
    chunk,
    slot,
  }))
  return { fields: placed, tagKeys }
}

function printBody(fields: readonly PlacedField[], tagKeys: readonly string[]): string {
  const list = fields.map(({ name, type, table, chunk, slot }) => [name, type, table, chunk, slot])
  return JSON.stringify({ fields: list, tagKeys })
}

/** Measurements that are cached; beyond it all are forgotten. */
const cachedMax = 200_000

export class Registry {
  readonly storage: RegistryStorage
  readonly #buckets = new Map<BucketId, Map<string, Measurement>>()
  /** Buckets of which everything is cached: only where nobody else makes measurements. */
  readonly #whole = new Set<BucketId>()
  #seenVersion: number
  #cachedCount = 0

  constructor(storage: RegistryStorage) {
    this.storage = storage
    this.#seenVersion = storage.retiredVersion
  }

  /** Whoever finds it unchanged later knows that meanwhile no measurement was retired, and no series left an index. */
  get version(): number {
    return this.storage.retiredVersion
  }

  /** As it is now; undefined: ask for it. Null: there is none. */
  current(bucket: BucketId, name: string): Measurement | null | undefined {
    if (this.storage.isShared) return undefined
    this.#forgetRetired()
    if (!this.#whole.has(bucket)) return undefined
    return this.#buckets.get(bucket)?.get(name) ?? null
  }

  /** As it is now, or undefined. */
  async find(bucket: BucketId, name: string): Promise<Measurement | undefined> {
    if (!this.storage.isShared) {
      // Again where something was retired meanwhile.
      while (this.current(bucket, name) === undefined) await this.all(bucket)
      return this.current(bucket, name) ?? undefined
    }
    const before = this.version
    const [stored] = await this.storage.find(bucket, [name])
    if (stored === undefined) return undefined
    // What was read before a change must not be taken for what is there after it.
    return before === this.version ? this.#learn(bucket, stored) : new Measurement(bucket, stored)
  }

  /** As it was known, where it is, while it is found out whether that and the states of replicas still hold. */
  guess(bucket: BucketId, name: string) {
    const guess = this.storage.isShared ? this.cached(bucket, name) : undefined
    const { replicasVersion } = this.storage
    const found = this.find(bucket, name)
    const isRight = found.then((now) => {
      return now !== undefined && now === guess && this.storage.replicasVersion === replicasVersion
    })
    return { guess, isRight, found }
  }

  /** For whoever writes: fields that have come since may be missing. */
  cached(bucket: BucketId, name: string): Measurement | undefined {
    this.#forgetRetired()
    return this.#buckets.get(bucket)?.get(name)
  }

  /** All of a bucket, by name. */
  async all(bucket: BucketId): Promise<Measurement[]> {
    const before = this.version
    const stored = await this.storage.find(bucket)
    const isCurrent = before === this.version
    const learnt = stored.map((one) =>
      isCurrent ? this.#learn(bucket, one) : new Measurement(bucket, one),
    )
    if (isCurrent) this.#whole.add(bucket)
    return learnt.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** With all these fields and tag keys. A field that somebody was faster with may have another type. */
  async ensure(
    bucket: BucketId,
    name: string,
    spanClass: number,
    fields: readonly { readonly name: string; readonly type: FieldType }[],
    tagKeys: readonly string[],
  ): Promise<Measurement> {
    const known = this.cached(bucket, name)
    const isKnown =
      known !== undefined &&
      fields.every((field) => known.fields.has(field.name)) &&
      tagKeys.every((key) => known.tagKeys.has(key))
    if (isKnown) return known
    const version = this.version
    const stored = await this.storage.save(bucket, name, spanClass, (body) => {
      const before = parseBody(body)
      const fresh = fields.filter((field) => !before.fields.some((one) => one.name === field.name))
      const freshKeys = tagKeys.filter((key) => !before.tagKeys.includes(key))
      if (body !== undefined && fresh.length === 0 && freshKeys.length === 0) return undefined
      const all = [...before.fields, ...placeFields(before.fields, fresh)]
      return printBody(all, [...before.tagKeys, ...freshKeys])
    })
    return version === this.version ? this.#learn(bucket, stored) : new Measurement(bucket, stored)
  }

  async retire(bucket: BucketId, numbers?: readonly number[]): Promise<void> {
    await this.storage.retire(bucket, numbers)
    this.#forgetRetired()
  }

  #learn(bucket: BucketId, stored: StoredMeasurement): Measurement {
    this.#forgetRetired()
    if (this.#cachedCount > cachedMax) this.#forgetAll()
    const names = this.#buckets.get(bucket) ?? new Map<string, Measurement>()
    this.#buckets.set(bucket, names)
    const known = names.get(stored.name)
    const isNewer =
      known?.number !== stored.number ||
      known.schema.version % 2 ** 21 < stored.version ||
      known.generation < stored.generation
    if (known !== undefined && !isNewer) return known
    if (known === undefined) this.#cachedCount++
    const measurement = new Measurement(bucket, stored)
    names.set(stored.name, measurement)
    return measurement
  }

  #forgetRetired(): void {
    const { retiredVersion } = this.storage
    if (retiredVersion === this.#seenVersion) return
    this.#seenVersion = retiredVersion
    this.#forgetAll()
  }

  #forgetAll(): void {
    this.#buckets.clear()
    this.#whole.clear()
    this.#cachedCount = 0
  }
}
