// What organizations use: requests and bytes by bucket and hour, in memory, so that they begin anew
// with the process. Hours older than a month are dropped.

import type { Clock } from '../../platform/clock.js'

export interface UsageRow {
  readonly bucketId: string
  readonly measurement: 'http_request'
  readonly field: string
  /** Nanoseconds since 1970: the end of the hour, or of the whole range. */
  readonly time: bigint
  readonly value: number
}

interface Counts {
  requests: number
  bytes: number
}

const hourNs = 3_600_000_000_000n
const hoursMax = 31 * 24

/** Endpoint -> the names of its two figures. */
const fields = {
  write: { requests: 'write_requests', bytes: 'write_bytes' },
  query: { requests: 'query_requests', bytes: 'query_bytes' },
} as const

export type UsedEndpoint = keyof typeof fields

/** What one organization does with one bucket at one endpoint. */
export class UsageSeries {
  readonly orgId: string
  readonly bucketId: string
  readonly endpoint: UsedEndpoint
  /** By hour since 1970, ascending. */
  readonly hours = new Map<number, Counts>()
  readonly #clock: Clock
  /** Of the hour from `#from` on. */
  #counts: Counts = { requests: 0, bytes: 0 }
  #from = 0n

  constructor(orgId: string, bucketId: string, endpoint: UsedEndpoint, clock: Clock) {
    this.orgId = orgId
    this.bucketId = bucketId
    this.endpoint = endpoint
    this.#clock = clock
  }

  /** One request. */
  count(bytes: number): void {
    const now = this.#clock.now()
    if (now < this.#from || now >= this.#from + hourNs) this.#turnTo(now / hourNs)
    this.#counts.requests++
    this.#counts.bytes += bytes
  }

  #turnTo(hour: bigint): void {
    this.#counts = countsOf(this.hours, Number(hour))
    this.#from = hour * hourNs
  }
}

export class Usage {
  readonly #clock: Clock
  readonly #series = new Map<string, UsageSeries>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `bucketId` is empty for what belongs to no single bucket. */
  series(orgId: string, bucketId: string, endpoint: UsedEndpoint): UsageSeries {
    const key = `${orgId}/${bucketId}/${endpoint}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = new UsageSeries(orgId, bucketId, endpoint, this.#clock)
      this.#series.set(key, series)
    }
    return series
  }

  /** From `start` to `stop`; `byHour` false: one figure for the whole range. */
  rows(orgId: string, range: { start: bigint; stop: bigint }, byHour: boolean): UsageRow[] {
    const rows: UsageRow[] = []
    for (const series of this.#series.values()) {
      if (series.orgId !== orgId) continue
      for (const figure of ['requests', 'bytes'] as const) {
        rows.push(...figureRows(series, figure, range, byHour))
      }
    }
    return rows
  }
}

function countsOf(hours: Map<number, Counts>, hour: number): Counts {
  const known = hours.get(hour)
  if (known !== undefined) return known
  const made = { requests: 0, bytes: 0 }
  hours.set(hour, made)
  for (const old of hours.keys()) {
    if (old > hour - hoursMax) break
    hours.delete(old)
  }
  return made
}

function figureRows(
  series: UsageSeries,
  figure: keyof Counts,
  { start, stop }: { readonly start: bigint; readonly stop: bigint },
  byHour: boolean,
): UsageRow[] {
  const { bucketId, endpoint } = series
  const field = fields[endpoint][figure]
  const row = { bucketId, measurement: 'http_request', field } as const
  const rows: UsageRow[] = []
  let total = 0
  for (const [hour, counts] of series.hours) {
    const from = BigInt(hour) * hourNs
    if (from + hourNs <= start || from >= stop) continue
    total += counts[figure]
    const time = from + hourNs
    if (byHour) rows.push({ ...row, time: time < stop ? time : stop, value: counts[figure] })
  }
  return byHour || total === 0 ? rows : [{ ...row, time: stop, value: total }]
}
