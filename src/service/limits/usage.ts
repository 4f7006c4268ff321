// What organizations use: requests and bytes by bucket and hour. Counted in memory, and added from time to time to what
// the catalog has, which adds up all processes and outlives them. Hours older than a month are dropped. Writes of the
// last hour are also known by minute, for as long as a process lives.

import type { UsageHour, UsageHours } from '../../catalog/accounts/usage-hours.js'
import type { NodeQuestions } from '../../catalog/node-questions.js'
import type { Clock } from '../../platform/clock.js'
import { addedCounts, minutesMax, type RecentCounts, RecentMinutes } from './recent-minutes.js'

export interface UsageRow {
  readonly bucketId: string
  readonly measurement: 'http_request'
  readonly field: string
  /** Nanoseconds since 1970: the end of the hour, or of the whole range. */
  readonly time: bigint
  readonly value: number
}

export interface RecentWrites extends RecentCounts {
  readonly bucketId: string
}

interface Counts {
  requests: number
  bytes: number
}

const hourNs = 3_600_000_000_000n
const minuteNs = 60_000_000_000n
const hoursMax = 31 * 24
/** What is lost when a process is killed, and how late others see what was used here. */
const flushMs = 10_000

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
  readonly #clock: Clock
  /** What the catalog does not have yet, by hour since 1970. */
  #hours = new Map<number, Counts>()
  /** Of the hour from `#from` on. */
  #counts: Counts = { requests: 0, bytes: 0 }
  #from = 0n
  /** Of writes. */
  readonly recent: RecentMinutes | undefined
  #minute = 0
  #minuteFrom = 0n

  constructor(orgId: string, bucketId: string, endpoint: UsedEndpoint, clock: Clock) {
    this.orgId = orgId
    this.bucketId = bucketId
    this.endpoint = endpoint
    this.recent = endpoint === 'write' ? new RecentMinutes() : undefined
    this.#clock = clock
  }

  /** One request. */
  count(bytes: number): void {
    const now = this.#clock.now()
    if (now < this.#from || now >= this.#from + hourNs) this.#turnTo(now / hourNs)
    this.#counts.requests++
    this.#counts.bytes += bytes
    if (this.recent === undefined) return
    if (now < this.#minuteFrom || now >= this.#minuteFrom + minuteNs) this.#turnToMinute(now)
    this.recent.add(this.#minute, bytes)
  }

  #turnToMinute(now: bigint): void {
    this.#minute = Number(now / minuteNs)
    this.#minuteFrom = BigInt(this.#minute) * minuteNs
  }

  #turnTo(hour: bigint): void {
    this.#counts = this.#countsOf(Number(hour))
    this.#from = hour * hourNs
  }

  #countsOf(hour: number): Counts {
    const known = this.#hours.get(hour)
    if (known !== undefined) return known
    const made = { requests: 0, bytes: 0 }
    this.#hours.set(hour, made)
    return made
  }

  waiting(): UsageHour[] {
    const { orgId, bucketId, endpoint } = this
    return [...this.#hours].map(([hour, { requests, bytes }]) => {
      return { orgId, bucketId, endpoint, hour, requests, bytes }
    })
  }

  /** Begins anew; what was counted is the caller's. */
  take(): UsageHour[] {
    const taken = this.waiting()
    this.#hours = new Map()
    this.#from = 0n
    return taken
  }

  giveBack({ hour, requests, bytes }: UsageHour): void {
    const counts = this.#countsOf(hour)
    counts.requests += requests
    counts.bytes += bytes
  }
}

export class Usage {
  readonly #clock: Clock
  readonly #kept: UsageHours
  readonly #series = new Map<string, UsageSeries>()
  #timer: NodeJS.Timeout | undefined
  #flushing: Promise<void> = Promise.resolve()
  #forgottenHour = 0
  readonly #beganMinute: number
  /** Undefined: there are no other processes. */
  readonly #questions: NodeQuestions | undefined

  constructor(clock: Clock, kept: UsageHours, questions?: NodeQuestions) {
    this.#clock = clock
    this.#kept = kept
    this.#questions = questions
    this.#beganMinute = this.#minute()
    questions?.answerWith('recent-writes', (orgId) => this.#ownRecent(String(orgId)))
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

  start(): void {
    // The catalog may be away: what was counted waits for the next time.
    const flush = () => void this.flush().catch(() => undefined)
    this.#timer = setInterval(flush, flushMs).unref()
  }

  async stop(): Promise<void> {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    await this.flush().catch(() => undefined)
  }

  /** Adds what was counted to what the catalog has. One at a time. */
  flush(): Promise<void> {
    const flushing = this.#flushing.catch(() => undefined).then(() => this.#flush())
    this.#flushing = flushing
    return flushing
  }

  async #flush(): Promise<void> {
    const taken = [...this.#series.values()].flatMap((series) =>
      series.take().map((counted) => ({ series, counted })),
    )
    if (taken.length === 0) return
    try {
      await this.#kept.add(taken.map(({ counted }) => counted))
    } catch (error) {
      for (const { series, counted } of taken) series.giveBack(counted)
      throw error
    }
    const hour = Number(this.#clock.now() / hourNs)
    if (hour === this.#forgottenHour) return
    this.#forgottenHour = hour
    await this.#kept.forgetBefore(hour - hoursMax)
  }

  /**
   * Writes by minute, up to the one that it is, of each bucket that had any; of the last hour, or of as much of it as
   * any process has lived through.
   */
  async recentWrites(orgId: string): Promise<readonly RecentWrites[]> {
    const { answers = [] } = (await this.#questions?.ask('recent-writes', orgId)) ?? {}
    const told = [...this.#ownRecent(orgId), ...(answers as RecentWrites[][]).flat()]
    const byBucket = new Map<string, RecentWrites[]>()
    for (const writes of told) {
      const known = byBucket.get(writes.bucketId)
      if (known === undefined) byBucket.set(writes.bucketId, [writes])
      else known.push(writes)
    }
    return [...byBucket].map(([bucketId, all]) => ({ bucketId, ...addedCounts(all) }))
  }

  #ownRecent(orgId: string): RecentWrites[] {
    const minute = this.#minute()
    const count = Math.min(minutesMax, Math.max(1, minute - this.#beganMinute + 1))
    const found: RecentWrites[] = []
    for (const { orgId: owner, bucketId, recent } of this.#series.values()) {
      if (owner !== orgId || recent === undefined) continue
      const counts = recent.upTo(minute, count)
      if (counts.requests.some((requests) => requests > 0)) found.push({ bucketId, ...counts })
    }
    return found
  }

  #minute(): number {
    return Number(this.#clock.now() / minuteNs)
  }

  /** From `start` to `stop`; `byHour` false: one figure for the whole range. */
  async rows(
    orgId: string,
    range: { readonly start: bigint; readonly stop: bigint },
    byHour: boolean,
  ): Promise<UsageRow[]> {
    await this.#flushing.catch(() => undefined)
    const [first, last] = [Number(range.start / hourNs), Number((range.stop - 1n) / hourNs)]
    const kept = await this.#kept.of(orgId, first, last)
    const own = [...this.#series.values()].filter((series) => series.orgId === orgId)
    const waiting = own.flatMap((series) => series.waiting())
    const inRange = waiting.filter(({ hour }) => hour >= first && hour <= last)
    return [...seriesOf([...kept, ...inRange])].flatMap((hours) =>
      (['requests', 'bytes'] as const).flatMap((figure) =>
        figureRows(hours, figure, range.stop, byHour),
      ),
    )
  }
}

/** By bucket and endpoint, each with its hours in order and once. */
function seriesOf(hours: readonly UsageHour[]): Iterable<readonly UsageHour[]> {
  const found = new Map<string, Map<number, UsageHour>>()
  for (const added of hours) {
    const key = `${added.bucketId}/${added.endpoint}`
    const series = found.get(key) ?? new Map<number, UsageHour>()
    found.set(key, series)
    const known = series.get(added.hour)
    const requests = added.requests + (known?.requests ?? 0)
    const bytes = added.bytes + (known?.bytes ?? 0)
    series.set(added.hour, { ...added, requests, bytes })
  }
  return [...found.values()].map((series) => [...series.values()].sort((a, b) => a.hour - b.hour))
}

function figureRows(
  hours: readonly UsageHour[],
  figure: keyof Counts,
  stop: bigint,
  byHour: boolean,
): UsageRow[] {
  const { bucketId, endpoint } = hours[0]
  const field = fields[endpoint as UsedEndpoint][figure]
  const row = { bucketId, measurement: 'http_request', field } as const
  if (!byHour) {
    const value = hours.reduce((sum, counts) => sum + counts[figure], 0)
    return value === 0 ? [] : [{ ...row, time: stop, value }]
  }
  return hours.map((counts) => {
    const end = BigInt(counts.hour + 1) * hourNs
    return { ...row, time: end < stop ? end : stop, value: counts[figure] }
  })
}
