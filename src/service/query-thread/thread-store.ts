// The store as queries on a thread see it. Rows are read here: the serving thread only says where they lie and holds
// on to them meanwhile. Everything about schemas is asked for. Nothing is changed from here.

import type { Batch } from '../../column/batch.js'
import type { Series } from '../../column/series.js'
import type { TimeRange } from '../../column/time.js'
import { assert } from '../../errors.js'
import { type PullStream, streamOf } from '../../platform/pull-stream.js'
import { describeFailure } from '../../platform/thread-failure.js'
import { ReadSequence } from '../../store/read-sequence.js'
import type {
  BucketId,
  Extent,
  FieldSchema,
  HandedRead,
  MeasurementSchema,
  NamesRequest,
  PreparedRead,
  PrepareRequest,
  ReadEstimate,
  ReadRequest,
  SchemaRequest,
  Store,
} from '../../store/store.js'
import type { OpenedRead, PagesOf, ThreadQuestion } from './messages.js'
import type { Questions } from './questions.js'

/** Carries out a read that was handed over. */
export type ReadHanded = (job: HandedRead['job'], signal: AbortSignal) => PullStream<Batch>

type StoreMethod = Extract<ThreadQuestion, { about: 'store' }>['method']

export class ThreadStore implements Store {
  readonly #questions: Questions
  readonly #readHanded: ReadHanded

  constructor(questions: Questions, readHanded: ReadHanded) {
    this.#questions = questions
    this.#readHanded = readHanded
  }

  read(request: ReadRequest, signal: AbortSignal): PullStream<Batch> {
    return streamOf(this.#read(request, signal))
  }

  async *#read(request: ReadRequest, signal: AbortSignal): AsyncGenerator<Batch, void, void> {
    signal.throwIfAborted()
    const opened = await this.#questions.ask<OpenedRead>({ about: 'read', request })
    if (opened === undefined) return
    let failure: Error | undefined
    try {
      yield* this.#readHanded(opened.job, signal)
    } catch (error) {
      failure = error as Error
      throw error
    } finally {
      const { read } = opened
      const told = failure && describeFailure(failure)
      await this.#questions.ask({ about: 'end of read', read, failure: told })
    }
  }

  readSeveral(requests: readonly ReadRequest[], signal: AbortSignal): PullStream<Batch> {
    return new ReadSequence(requests.map((request) => () => this.read(request, signal)))
  }

  prepare(request: PrepareRequest): PreparedRead {
    return { read: (range, signal) => this.read({ ...request, range }, signal) }
  }

  measurementSchema(
    bucket: BucketId,
    measurement: string,
    signal?: AbortSignal,
  ): Promise<MeasurementSchema> {
    return this.#ask(signal, 'measurementSchema', bucket, measurement)
  }

  /** It may have changed: the schema is asked for. */
  schemaVersion(): undefined {
    return undefined
  }

  names(request: NamesRequest, signal?: AbortSignal): PullStream<readonly string[]> {
    return this.#pages({ kind: 'names', request }, signal)
  }

  fields(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly FieldSchema[]> {
    return this.#pages({ kind: 'fields', request }, signal)
  }

  series(request: SchemaRequest, signal?: AbortSignal): PullStream<readonly Series[]> {
    return this.#pages({ kind: 'series', request }, signal)
  }

  cardinality(request: SchemaRequest, signal?: AbortSignal): Promise<number> {
    return this.#ask(signal, 'cardinality', request)
  }

  extent(request: SchemaRequest, signal?: AbortSignal): Promise<Extent> {
    return this.#ask(signal, 'extent', request)
  }

  estimate(request: ReadRequest, signal?: AbortSignal): Promise<ReadEstimate> {
    return this.#ask(signal, 'estimate', request)
  }

  shards(bucket: BucketId, signal?: AbortSignal): Promise<readonly TimeRange[]> {
    return this.#ask(signal, 'shards', bucket)
  }

  #ask<T>(
    signal: AbortSignal | undefined,
    method: StoreMethod,
    ...parameters: readonly unknown[]
  ): Promise<T> {
    return this.#questions.ask({ about: 'store', method, parameters }, signal)
  }

  #pages<T>(of: PagesOf, signal: AbortSignal | undefined): PullStream<T> {
    return streamOf(pages<T>(this.#questions, of, signal))
  }

  write = notHere
  setBucket = notHere
  changes = notHere
  delete = notHere
  dropBucket = notHere
  metrics = notHere
  close = notHere
}

async function* pages<T>(
  questions: Questions,
  of: PagesOf,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, void> {
  signal?.throwIfAborted()
  const number = await questions.ask<number>({ about: 'pages', of })
  try {
    for (;;) {
      const page = await questions.ask<T | undefined>({ about: 'next page', pages: number }, signal)
      if (page === undefined) return
      yield page
    }
  } finally {
    await questions.ask({ about: 'end of pages', pages: number })
  }
}

async function notHere(): Promise<never> {
  assert(false, 'a query on a thread only reads')
}
