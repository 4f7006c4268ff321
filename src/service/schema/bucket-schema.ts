// What lies in a bucket, for whoever looks around in it: names of measurements, what one is made of, values of a tag.
// Names of measurements are searched here, values of tags by the store; both come in pages. The store finds them in
// turns with everybody else; nothing here reads further than a page needs.

import type { FieldType } from '../../column/column.js'
import { timeMax, timeMin } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { PullStream } from '../../platform/pull-stream.js'
import type { BucketId, Counted, NamesRequest, Store } from '../../store/store.js'

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

/** How much there is. */
export interface SchemaFigures {
  readonly seriesCount: number
  /** Both may reach further than the points do, as far as the files that hold them; absent: there are none. */
  readonly range: { readonly start: bigint; readonly stop: bigint } | undefined
  readonly rowCountMax: number
  /** On disk; absent where the store keeps no files. */
  readonly storedBytes: number | undefined
}

export interface MeasurementOutline extends SchemaFigures {
  readonly fields: readonly { readonly name: string; readonly type: FieldType }[]
  readonly tagKeys: readonly string[]
}

/** For all measurements of a page. */
const seriesCountingMsMax = 500

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

  /**
   * How many series each of these measurements has, in their order. Most stores know it without looking; where it takes
   * long, the last ones are left undefined.
   */
  async seriesCounts(
    bucket: BucketId,
    measurements: readonly string[],
    signal: AbortSignal,
  ): Promise<(number | undefined)[]> {
    const until = performance.now() + seriesCountingMsMax
    const counts: (number | undefined)[] = []
    for (const measurement of measurements) {
      const isLate = performance.now() >= until
      counts.push(
        isLate ? undefined : await this.#store.cardinality({ bucket, measurement }, signal),
      )
    }
    return counts
  }

  tagValues(
    bucket: BucketId,
    measurement: string,
    tag: string,
    question: NamesQuestion,
    signal: AbortSignal,
  ): Promise<NamesPage> {
    const { search = '' } = question
    const request = { kind: 'tag-values', bucket, measurement, tag } as const
    if (search === '') return this.#page(request, question, signal)
    // The store looks at each value once, and puts only those in order that it found.
    const pattern = `(?i)${search.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}`
    const predicate = { kind: 'tag-regex', tag, pattern, negated: false } as const
    return this.#page({ ...request, predicate }, { ...question, search: undefined }, signal)
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
    return {
      fields: fields.map(({ name, type }) => ({ name, type })),
      tagKeys,
      ...(await this.figures({ bucket, measurement }, signal)),
    }
  }

  /** Of a bucket, or of one of its measurements. */
  async figures(
    of: { readonly bucket: BucketId; readonly measurement?: string },
    signal: AbortSignal,
  ): Promise<SchemaFigures> {
    const seriesCount = await this.#store.cardinality(of, signal)
    const everything = { start: timeMin, stop: timeMax + 1n }
    const extent = await this.#store.extent({ ...of, range: everything }, signal)
    const { range, rowCountMax, storedBytes } = extent
    return { seriesCount, range, rowCountMax, storedBytes }
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

/** A search that has found its page looks on for so long, to tell how many there are. */
const countingMsMax = 30

async function selectNames(
  pages: PullStream<readonly string[]> & Counted,
  { search, offset, limit }: NamesQuestion,
): Promise<NamesPage> {
  const wanted = search?.toLowerCase() ?? ''
  const until = performance.now() + countingMsMax
  const names: string[] = []
  let found = 0
  let scanned = 0
  for await (const page of pages) {
    const isPageFull = found > offset + limit
    if (isPageFull && (scanned >= scannedNamesMax || performance.now() >= until)) {
      return { names, total: undefined, hasMore: true }
    }
    for (const name of page) {
      if (wanted !== '' && !name.toLowerCase().includes(wanted)) continue
      if (found >= offset && names.length < limit) names.push(name)
      found++
    }
    scanned += page.length
    if (wanted === '' && pages.count !== undefined && found > offset + limit) {
      return { names, total: pages.count, hasMore: true }
    }
  }
  return { names, total: found, hasMore: found > offset + names.length }
}
