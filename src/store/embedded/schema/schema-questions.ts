// What the engine is asked about names, fields, series and extents: each question gets a snapshot, is worked out in
// turns where it takes long, and is answered in pages.

import type { Series } from '../../../column/series.js'
import { allTime, type TimeRange } from '../../../column/time.js'
import type { MaybePromise } from '../../../platform/pull-stream.js'
import type { Work } from '../../../platform/turns.js'
import { type EntryList, SchemaPages } from '../../schema-pages.js'
import type { BucketId, Extent, FieldSchema, NamesRequest, SchemaRequest } from '../../store.js'
import { inTurnsOn, type Snapshot } from '../bucket/snapshot.js'
import { extentOf } from './extent.js'
import { cardinalityOf, fieldsOf, namesOf, seriesOf, shardsWithRows } from './schema.js'

export class SchemaQuestions {
  readonly #snapshot: (request: SchemaRequest) => Snapshot

  /** What `snapshot` throws, asking throws. */
  constructor(snapshot: (request: SchemaRequest) => Snapshot) {
    this.#snapshot = snapshot
  }

  names(request: NamesRequest, signal: AbortSignal | undefined): SchemaPages<string> {
    return this.#pages(namesOf, request, signal)
  }

  fields(request: SchemaRequest, signal: AbortSignal | undefined): SchemaPages<FieldSchema> {
    return this.#pages(fieldsOf, request, signal)
  }

  series(request: SchemaRequest, signal: AbortSignal | undefined): SchemaPages<Series> {
    return this.#pages(seriesOf, request, signal)
  }

  async cardinality(request: SchemaRequest, signal: AbortSignal | undefined): Promise<number> {
    signal?.throwIfAborted()
    return this.#found(cardinalityOf, request, signal)
  }

  async extent(request: SchemaRequest, signal: AbortSignal | undefined): Promise<Extent> {
    signal?.throwIfAborted()
    const { range = allTime } = request
    const snapshot = this.#snapshot({ ...request, range })
    return inTurnsOn(snapshot, extentOf(snapshot, request), signal)
  }

  async shards(bucket: BucketId, signal: AbortSignal | undefined): Promise<readonly TimeRange[]> {
    signal?.throwIfAborted()
    return shardsWithRows(this.#snapshot({ bucket }))
  }

  #pages<R extends SchemaRequest, T>(
    find: (snapshot: Snapshot, request: R) => Work<EntryList<T>>,
    request: R,
    signal: AbortSignal | undefined,
  ): SchemaPages<T> {
    return new SchemaPages(() => this.#found(find, request, signal), signal)
  }

  #found<R extends SchemaRequest, T>(
    find: (snapshot: Snapshot, request: R) => Work<T>,
    request: R,
    signal: AbortSignal | undefined,
  ): MaybePromise<T> {
    const snapshot = this.#snapshot(request)
    return inTurnsOn(snapshot, find(snapshot, request), signal)
  }
}
