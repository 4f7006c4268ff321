// The store with the tables that were defined before their points: they are among its measurements, with their tags and
// fields, and a read of one gives every field that it was defined with, although no point has one yet. Everything else
// is the store's own, and where nothing was defined nothing is done here.

import type { Batch } from '../../column/batch.js'
import { compareUtf8, type Series } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import {
  type MaybePromise,
  type PullStream,
  streamOf,
  whenReady,
} from '../../platform/pull-stream.js'
import type {
  BucketId,
  BucketSettings,
  Changes,
  Counted,
  DeleteRequest,
  Extent,
  FieldSchema,
  FrozenStore,
  HandedRead,
  MeasurementSchema,
  NamesRequest,
  PreparedRead,
  PrepareRequest,
  ReadEstimate,
  ReadRequest,
  SchemaRequest,
  Store,
  StoreMetric,
  WriteResult,
} from '../../store/store.js'
import type { HeldWrites } from '../base/held-writes.js'
import type { AllTables, DefinedTable, DefinedTables } from './defined-tables.js'
import { filled } from './filled-batches.js'
import { withAbsent } from './handed-table-read.js'
import { type Compare, mergedPages } from './merged-pages.js'

interface Merged {
  readonly own: MeasurementSchema
  readonly merged: MeasurementSchema
}

export class TableStore implements Store {
  readonly #store: Store
  readonly #tables: DefinedTables
  readonly #held: HeldWrites
  readonly statements: Store['statements']
  readonly handOver: Store['handOver']
  /** By definition, which is another object after each change. */
  readonly #merged = new WeakMap<DefinedTable, Merged>()
  /** Versions of merged schemas are below 0, where the store has none. */
  #version = 0

  constructor(store: Store, tables: DefinedTables, held: HeldWrites) {
    this.#store = store
    this.#tables = tables
    this.#held = held
    this.statements = store.statements?.bind(store)
    this.handOver = store.handOver && ((request) => this.#handOver(request))
  }

  measurementSchema(
    bucket: BucketId,
    measurement: string,
    signal?: AbortSignal,
  ): MaybePromise<MeasurementSchema> {
    const own = this.#store.measurementSchema(bucket, measurement, signal)
    return whenReady(this.#tables.all(), (all) => {
      const defined = all.get(bucket)?.get(measurement)
      return defined === undefined ? own : whenReady(own, (known) => this.#with(known, defined))
    })
  }

  schemaVersion(bucket: BucketId, measurement: string): number | undefined {
    const all = this.#tables.cached()
    if (all === undefined) return undefined
    if (all.get(bucket)?.has(measurement) !== true) {
      return this.#store.schemaVersion(bucket, measurement)
    }
    const schema = this.measurementSchema(bucket, measurement)
    return schema instanceof Promise ? undefined : schema.version
  }

  #with(own: MeasurementSchema, defined: DefinedTable): MeasurementSchema {
    const known = this.#merged.get(defined)
    if (known?.own === own) return known.merged
    const merged = {
      version: --this.#version,
      fields: [...own.fields, ...absentFields(own, defined)].sort(compareFields),
      tagKeys: [...new Set([...own.tagKeys, ...defined.tagKeys])].sort(),
    }
    this.#merged.set(defined, { own, merged })
    return merged
  }

  names(request: NamesRequest, signal?: AbortSignal): PullStream<readonly string[]> & Counted {
    const own = () => this.#store.names(request, signal)
    if (request.kind === 'tag-values' || !isWhole(request)) return own()
    return this.#withDefined(own, compareUtf8, (all) => {
      const tables = tablesOf(all, request)
      if (request.kind === 'measurements') return tables.map(({ name }) => name)
      return [...new Set(tables.flatMap(({ tagKeys }) => tagKeys))]
    })
  }

  fields(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly FieldSchema[]> {
    const own = () => this.#store.fields(request, signal)
    if (!isWhole(request)) return own()
    return this.#withDefined(own, compareFields, (all) =>
      tablesOf(all, request).flatMap(({ fields }) => fields),
    )
  }

  #withDefined<T>(
    own: () => PullStream<readonly T[]>,
    compare: Compare<T>,
    choose: (all: AllTables) => T[],
  ): PullStream<readonly T[]> {
    const all = this.#tables.all()
    const more = whenReady(all, choose)
    if (!(more instanceof Promise) && more.length === 0) return own()
    return streamOf(mergedPages(own, more, compare))
  }

  read(request: ReadRequest, signal: AbortSignal): PullStream<Batch> {
    return this.#filled(request, () => this.#store.read(request, signal))
  }

  readSeveral(requests: readonly ReadRequest[], signal: AbortSignal): PullStream<Batch> {
    const all = this.#tables.cached()
    const isPlain =
      all !== undefined &&
      requests.every((one) => all.get(one.bucket)?.has(one.measurement) !== true)
    if (isPlain) return this.#store.readSeveral(requests, signal)
    return streamOf(oneByOne(requests.map((request) => () => this.read(request, signal))))
  }

  prepare(request: PrepareRequest): PreparedRead {
    const prepared = this.#store.prepare(request)
    return {
      read: (range, signal) => this.#filled(request, () => prepared.read(range, signal)),
    }
  }

  #handOver(request: ReadRequest): MaybePromise<HandedRead | undefined> {
    return whenReady(this.#absent(request), (absent) =>
      whenReady(
        this.#store.handOver?.(request),
        (handed) => handed && withAbsent(handed, request, absent),
      ),
    )
  }

  /** What is read, with the fields that were defined and never written. */
  #filled(request: PrepareRequest, read: () => PullStream<Batch>): PullStream<Batch> {
    const absent = this.#absent(request)
    if (!(absent instanceof Promise) && absent.length === 0) return read()
    return streamOf(filled(read, request, absent))
  }

  /** Fields of the table that were defined and never written. */
  #absent({ bucket, measurement }: PrepareRequest): MaybePromise<readonly FieldSchema[]> {
    const cached = this.#tables.cached()
    if (cached !== undefined && cached.get(bucket)?.has(measurement) !== true) return noFields
    return whenReady(this.#tables.all(), (all) => {
      const defined = all.get(bucket)?.get(measurement)
      if (defined === undefined) return noFields
      const own = this.#store.measurementSchema(bucket, measurement)
      return whenReady(own, (known) => absentFields(known, defined))
    })
  }

  async delete(request: DeleteRequest, signal?: AbortSignal): Promise<void> {
    await this.#held.during(() => this.#store.delete(request, signal))
    const { bucket, measurement, predicate, range } = request
    // A measurement that is dropped as a whole is not there any more, whoever made it.
    if (measurement === undefined || predicate !== undefined || !isAllTime(range)) return
    const all = await this.#tables.all()
    if (all.get(bucket)?.has(measurement) === true) await this.#tables.forget(bucket, measurement)
  }

  setBucket(bucket: BucketId, settings: BucketSettings, signal?: AbortSignal): Promise<void> {
    return this.#store.setBucket(bucket, settings, signal)
  }

  write(
    bucket: BucketId,
    batch: WriteBatch,
    signal?: AbortSignal,
    isAtomic?: boolean,
  ): Promise<WriteResult> {
    return this.#held.during(() => this.#store.write(bucket, batch, signal, isAtomic))
  }

  series(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly Series[]> {
    return this.#store.series(request, signal)
  }

  cardinality(request: SchemaRequest, signal?: AbortSignal): Promise<number> {
    return this.#store.cardinality(request, signal)
  }

  extent(request: SchemaRequest, signal?: AbortSignal): Promise<Extent> {
    return this.#store.extent(request, signal)
  }

  estimate(request: ReadRequest, signal?: AbortSignal): Promise<ReadEstimate> {
    return this.#store.estimate(request, signal)
  }

  shards(bucket: BucketId, signal?: AbortSignal): Promise<readonly TimeRange[]> {
    return this.#store.shards(bucket, signal)
  }

  changes(bucket: BucketId, since: bigint, signal?: AbortSignal): Promise<Changes> {
    return this.#store.changes(bucket, since, signal)
  }

  dropBucket(bucket: BucketId, signal?: AbortSignal): Promise<void> {
    return this.#store.dropBucket(bucket, signal)
  }

  async freeze(buckets?: ReadonlySet<BucketId>): Promise<FrozenStore> {
    if (this.#store.freeze === undefined) {
      throw new UserError('not implemented', 'this kind of store cannot be backed up from here')
    }
    return this.#store.freeze(buckets)
  }

  metrics(signal?: AbortSignal): Promise<readonly StoreMetric[]> {
    return this.#store.metrics(signal)
  }

  close(): Promise<void> {
    return this.#store.close()
  }
}

const noFields: readonly FieldSchema[] = []

async function* oneByOne(
  reads: readonly (() => PullStream<Batch>)[],
): AsyncGenerator<Batch, void, undefined> {
  for (const read of reads) yield* read()
}

/** Fields that only the definition knows. */
function absentFields(own: MeasurementSchema, { fields }: DefinedTable): readonly FieldSchema[] {
  const known = new Set(own.fields.map(({ name }) => name))
  return fields.filter(({ name }) => !known.has(name))
}

/** Asks for everything that was ever there: a defined table has no time and no series. */
function isWhole({ range, predicate }: SchemaRequest): boolean {
  return predicate === undefined && (range === undefined || isAllTime(range))
}

function isAllTime({ start, stop }: TimeRange): boolean {
  return start <= allTime.start && stop >= allTime.stop
}

function tablesOf(all: AllTables, { bucket, measurement }: SchemaRequest): DefinedTable[] {
  const tables = all.get(bucket)
  if (tables === undefined) return []
  if (measurement === undefined) return [...tables.values()]
  const table = tables.get(measurement)
  return table === undefined ? [] : [table]
}

function compareNames(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function compareFields(a: FieldSchema, b: FieldSchema): number {
  return compareNames(a.measurement, b.measurement) || compareNames(a.name, b.name)
}
