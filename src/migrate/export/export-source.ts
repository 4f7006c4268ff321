// What an export reads: the buckets of a folder that nobody serves, or of a running server. Points come as line
// protocol from both; what a measurement is made of is asked before, for formats that must know it first.

import type { Catalog } from '../../catalog/catalog.js'
import type { FieldType } from '../../column/column.js'
import type { TimeRange } from '../../column/time.js'
import { exportLines } from '../../service/export.js'
import { BucketSchemas } from '../../service/schema/bucket-schema.js'
import type { Store } from '../../store/store.js'
import type { V1Client } from '../connection/v1-client.js'

export interface ExportBucket {
  readonly id: string
  readonly name: string
}

export interface ExportOutline {
  readonly fields: readonly { readonly name: string; readonly type: FieldType }[]
  readonly tagKeys: readonly string[]
}

export interface ExportSource {
  buckets(): Promise<readonly ExportBucket[]>
  measurements(bucket: ExportBucket): Promise<readonly string[]>
  outline(bucket: ExportBucket, measurement: string): Promise<ExportOutline>
  /** Where its points lie, or wider; undefined: it has none. */
  range(bucket: ExportBucket): Promise<TimeRange | undefined>
  /** Texts end anywhere. */
  lines(
    bucket: ExportBucket,
    measurement: string | undefined,
    range: TimeRange,
  ): AsyncIterable<Uint8Array>
}

/** Names of one page of a list. */
const pageSize = 1000

export class StoreExportSource implements ExportSource {
  readonly #store: Store
  readonly #catalog: Pick<Catalog, 'buckets'>
  readonly #schemas: BucketSchemas
  readonly #signal: AbortSignal

  constructor(store: Store, catalog: Pick<Catalog, 'buckets'>, signal: AbortSignal) {
    this.#store = store
    this.#catalog = catalog
    this.#schemas = new BucketSchemas(store)
    this.#signal = signal
  }

  async buckets(): Promise<readonly ExportBucket[]> {
    return (await this.#catalog.buckets.all()).map(({ id, name }) => ({ id, name }))
  }

  measurements({ id }: ExportBucket): Promise<readonly string[]> {
    return allPages((offset) =>
      this.#schemas.measurements(id, { search: undefined, offset, limit: pageSize }, this.#signal),
    )
  }

  outline({ id }: ExportBucket, measurement: string): Promise<ExportOutline> {
    return this.#schemas.outline(id, measurement, this.#signal)
  }

  async range({ id }: ExportBucket): Promise<TimeRange | undefined> {
    return (await this.#schemas.figures({ bucket: id }, this.#signal)).range
  }

  async *lines(
    { id }: ExportBucket,
    measurement: string | undefined,
    range: TimeRange,
  ): AsyncGenerator<Uint8Array> {
    const request = { bucket: id, measurement, range }
    for await (const text of exportLines(this.#store, request, this.#signal)) {
      yield Buffer.from(text)
    }
  }
}

interface Page {
  readonly names: readonly string[]
  readonly hasMore: boolean
}

async function allPages(ask: (offset: number) => Promise<Page>): Promise<string[]> {
  const all: string[] = []
  for (;;) {
    const { names, hasMore } = await ask(all.length)
    all.push(...names)
    if (!hasMore || names.length === 0) return all
  }
}

export class ServerExportSource implements ExportSource {
  readonly #client: V1Client
  readonly #org: string | undefined

  constructor(client: V1Client, org: string | undefined) {
    this.#client = client
    this.#org = org
  }

  async buckets(): Promise<readonly ExportBucket[]> {
    const all: ExportBucket[] = []
    for (;;) {
      const after = all.at(-1)?.id
      const query = new URLSearchParams({ limit: '100' })
      if (this.#org !== undefined) query.set('org', this.#org)
      if (after !== undefined) query.set('after', after)
      const { buckets } = (await this.#json(`api/v2/buckets?${query}`)) as {
        buckets: ExportBucket[]
      }
      all.push(...buckets.map(({ id, name }) => ({ id, name })))
      if (buckets.length < 100) return all
    }
  }

  measurements({ id }: ExportBucket): Promise<readonly string[]> {
    return allPages(async (offset) => {
      const query = new URLSearchParams({ limit: String(pageSize), offset: String(offset) })
      const page = (await this.#json(`api/v2/buckets/${id}/schema?${query}`)) as {
        measurements: string[]
        hasMore: boolean
      }
      return { names: page.measurements, hasMore: page.hasMore }
    })
  }

  async outline({ id }: ExportBucket, measurement: string): Promise<ExportOutline> {
    const query = new URLSearchParams({ measurement })
    return (await this.#json(`api/v2/buckets/${id}/schema?${query}`)) as ExportOutline
  }

  async range({ id }: ExportBucket): Promise<TimeRange | undefined> {
    const { first, last } = (await this.#json(`api/v2/buckets/${id}/schema?figures=true`)) as {
      first?: string
      last?: string
    }
    if (first === undefined || last === undefined) return undefined
    return { start: secondsNs(first), stop: secondsNs(last) + 1_000_000_000n }
  }

  lines(
    { id }: ExportBucket,
    measurement: string | undefined,
    { start, stop }: TimeRange,
  ): AsyncIterable<Uint8Array> {
    const query = new URLSearchParams({
      bucketID: id,
      start: String(start),
      stop: String(stop),
      ...(measurement === undefined ? {} : { measurement }),
      ...(this.#org === undefined ? {} : { org: this.#org }),
    })
    return this.#client.bytes(`debug/export?${query}`)
  }

  async #json(path: string): Promise<unknown> {
    return JSON.parse(await this.#client.text(path, { method: 'GET' }))
  }
}

/** To the second: what is asked for is days. */
function secondsNs(moment: string): bigint {
  return BigInt(Math.floor(Date.parse(moment) / 1000)) * 1_000_000_000n
}
