// Units of a Millrace that is written to while it is moved: the server tells which spans of time have changed, so that
// a unit is copied again when something in it did, and not otherwise. Recent time is cut small: what is written now
// falls into few minutes, and copying these again takes seconds however large their shard is.

import { allTime, floorDiv, nsPerHour, nsPerSecond, type TimeRange } from '../../column/time.js'
import type { SourceUnit } from '../plan/source.js'

export interface SpanChange {
  readonly range: TimeRange
  readonly at: bigint
}

export interface SpanChanges {
  /** Changes before this moment may be missing. */
  readonly knownSince: bigint
  /** Later ones are not among them. */
  readonly until: bigint
  readonly changes: readonly SpanChange[]
}

interface WatchedBucket {
  readonly begun: bigint
  until: bigint
  /** The last change of each small stretch of time, by its number. */
  readonly small: Map<bigint, bigint>
  /** Those that reach far. */
  wide: SpanChange[]
}

const cutNs = 300n * nsPerSecond
/** Points may come late. */
const lateNs = nsPerHour
/** Of a change that is kept by its stretches. */
const stretchesMax = 1000n

export class WatchedUnits {
  readonly #changesOf: (bucketId: string, since: bigint) => Promise<SpanChanges>
  readonly #now: () => bigint
  readonly #buckets = new Map<string, WatchedBucket>()

  constructor(
    changesOf: (bucketId: string, since: bigint) => Promise<SpanChanges>,
    now: () => bigint,
  ) {
    this.#changesOf = changesOf
    this.#now = now
  }

  /** The server forgets what nobody has asked for within an hour. */
  async lookAtAll(): Promise<void> {
    for (const bucketId of this.#buckets.keys()) await this.#look(bucketId)
  }

  async #look(bucketId: string): Promise<WatchedBucket> {
    const known = this.#buckets.get(bucketId)
    const found = await this.#changesOf(bucketId, known?.until ?? this.#now())
    if (known === undefined) {
      const begun = { begun: found.until, until: found.until, small: new Map(), wide: [] }
      this.#buckets.set(bucketId, begun)
      return begun
    }
    // The server has started anew, or was not asked for too long: anything may have changed.
    if (found.knownSince > known.until) known.wide = [{ range: allTime, at: found.until }]
    known.until = found.until
    for (const change of found.changes) note(known, change)
    return known
  }

  /** As they are copied: shards, and of recent time small stretches of them. */
  async units(bucketId: string, shards: readonly SourceUnit[]): Promise<SourceUnit[]> {
    const watched = await this.#look(bucketId)
    const first = floorDiv(watched.begun - lateNs, cutNs) * cutNs
    const last = floorDiv(this.#now(), cutNs) * cutNs + cutNs
    return shards.flatMap((shard) => pieces(shard, first, last).map((one) => marked(one, watched)))
  }
}

function note({ small, wide }: WatchedBucket, change: SpanChange): void {
  const { range, at } = change
  const [from, to] = [floorDiv(range.start, cutNs), floorDiv(range.stop - 1n, cutNs)]
  if (to - from >= stretchesMax) {
    wide.push(change)
    return
  }
  for (let one = from; one <= to; one++) {
    const known = small.get(one)
    if (known === undefined || known < at) small.set(one, at)
  }
}

function pieces(shard: SourceUnit, first: bigint, last: bigint): SourceUnit[] {
  const { start, stop } = shard.range
  if (stop <= first || start >= last) return [shard]
  const cuts = [start]
  const next = floorDiv(start, cutNs) * cutNs + cutNs
  for (let cut = first > start ? first : next; cut < stop && cut <= last; cut += cutNs)
    cuts.push(cut)
  const share = Math.round(shard.bytes / cuts.length)
  return cuts.map((from, i) => {
    const range = { start: from, stop: cuts[i + 1] ?? stop }
    return { ...shard, id: i === 0 ? shard.id : `${shard.id}@${from}`, range, bytes: share }
  })
}

function marked(unit: SourceUnit, { small, wide, begun }: WatchedBucket): SourceUnit {
  const { start, stop } = unit.range
  let at = 0n
  for (const change of wide) {
    if (change.range.start < stop && change.range.stop > start && change.at > at) at = change.at
  }
  const [from, to] = [floorDiv(start, cutNs), floorDiv(stop - 1n, cutNs)]
  for (const [one, changed] of small) if (one >= from && one <= to && changed > at) at = changed
  if (at > 0n) return { ...unit, fingerprint: `changed ${at}` }
  return { ...unit, fingerprint: stop < begun - lateNs ? 'settled' : `watched ${begun}` }
}
