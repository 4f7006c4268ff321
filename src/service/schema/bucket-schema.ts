// What lies in a bucket, for whoever looks around in it: names of measurements, what one is made of, values of a tag.
// Names are searched here and come in pages; between two of the store's pages everybody else gets their turn, so that
// no question about a million names holds up the service.

import type { FieldType } from '../../column/column.js'
import { timeMax, timeMin } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { PullStream } from '../../platform/pull-stream.js'
import type { BucketId, NamesRequest, Store } from '../../store/store.js'

export interface NamesPage {
  readonly names: readonly string[]
  /** How many there are in all; absent where counting them was given up. */
  readonly total: number | undefined
  readonly hasMore: boolean
}

export interface NamesQuestion {
  /** Part of the name, in capitals or not. */
  readonly search: string | undefined
  readonly offset: number
  readonly limit: number
}

export interface MeasurementOutline {
  readonly seriesCount: number
  readonly fields: readonly { readonly name: string; readonly type: FieldType }[]
  readonly tagKeys: readonly string[]
  /** Both may reach further than the points do, as far as the files that hold them; absent: there are none. */
  readonly range: { readonly start: bigint; readonly stop: bigint } | undefined
  readonly rowCountMax: number
}

/** Names looked at for one page: a search for what is nowhere in millions of values ends here. */
const scannedNamesMax = 2_000_000

export class BucketSchemas {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  measurements(bucket: BucketId, question: NamesQuestion, signal: AbortSignal): Promise<NamesPage> {
    return this.#page({ kind: 'measurements', bucket }, question, signal)
  }

  tagValues(
    bucket: BucketId,
    measurement: string,
    tag: string,
    question: NamesQuestion,
    signal: AbortSignal,
  ): Promise<NamesPage> {
    return this.#page({ kind: 'tag-values', bucket, measurement, tag }, question, signal)
  }

  /** Throws `not found` where the bucket has no such measurement. */
  async outline(
    bucket: BucketId,
    measurement: string,
    signal: AbortSignal,
  ): Promise<MeasurementOutline> {
    const store = this.#store
    const { version, fields, tagKeys } = await store.measurementSchema(bucket, measurement, signal)
    if (version === 0) throw new UserError('not found', `measurement "${measurement}" not found`)
    const request = { bucket, measurement }
    const seriesCount = await store.cardinality(request, signal)
    const everything = { start: timeMin, stop: timeMax + 1n }
    const extent = await store.extent({ ...request, range: everything }, signal)
    return {
      seriesCount,
      fields: fields.map(({ name, type }) => ({ name, type })),
      tagKeys,
      range: extent.range,
      rowCountMax: extent.rowCountMax,
    }
  }

  async #page(
    request: NamesRequest,
    question: NamesQuestion,
    signal: AbortSignal,
  ): Promise<NamesPage> {
    const pages = this.#store.names(request, signal)
    try {
      return await selectNames(pages, question)
    } finally {
      await pages.close()
    }
  }
}

async function selectNames(
  pages: PullStream<readonly string[]>,
  { search, offset, limit }: NamesQuestion,
): Promise<NamesPage> {
  const wanted = search?.toLowerCase() ?? ''
  const names: string[] = []
  let found = 0
  let scanned = 0
  for await (const page of pages) {
    for (const name of page) {
      if (wanted !== '' && !name.toLowerCase().includes(wanted)) continue
      if (found >= offset && names.length < limit) names.push(name)
      found++
    }
    scanned += page.length
    if (scanned >= scannedNamesMax) {
      return { names, total: undefined, hasMore: true }
    }
    await othersTurn()
  }
  return { names, total: found, hasMore: found > offset + names.length }
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
