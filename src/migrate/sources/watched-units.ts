// Units of a Millrace that is written to while it is moved: the server tells which spans of time have changed, so that
// a unit is copied again when something in it did, and not otherwise. Recent time is cut small: what is written now
// falls into few minutes, and copying these again takes seconds however large their shard is. What is deleted is told
// as it was asked for, to be done in the target too; units are copied again for it only where that is not known.
//
// What was seen is kept, so that a migration that starts again asks from there on: what came or went in between would
// otherwise be missed in units that are done.

import { allTime, floorDiv, nsPerHour, nsPerSecond, type TimeRange } from '../../column/time.js'
import type { Removed } from '../../store/store.js'
import type { SourceDelete, SourcePolicy, SourceUnit } from '../plan/source.js'

export interface SpanChange {
  readonly range: TimeRange
  readonly at: bigint
  readonly removed?: Removed | undefined
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
  deletes: SourceDelete[]
}

/** Where it is kept what was seen; undefined: nothing was. */
export interface SeenStorage {
  load(): string | undefined
  save(text: string): void
}

const cutNs = 300n * nsPerSecond
/** Points may come late. */
const lateNs = nsPerHour
/** Of a change that is kept by its stretches. */
const stretchesMax = 1000n

export class WatchedUnits {
  readonly #changesOf: (bucketId: string, since: bigint) => Promise<SpanChanges>
  readonly #now: () => bigint
  readonly #storage: SeenStorage
  readonly #buckets: Map<string, WatchedBucket>

  constructor(
    changesOf: (bucketId: string, since: bigint) => Promise<SpanChanges>,
    now: () => bigint,
    storage: SeenStorage,
  ) {
    this.#changesOf = changesOf
    this.#now = now
    this.#storage = storage
    this.#buckets = bucketsFrom(storage.load())
  }

  /** The server forgets what nobody has asked for within an hour. */
  async lookAtAll(): Promise<void> {
    for (const bucketId of this.#buckets.keys()) await this.#look(bucketId)
  }

  async #look(bucketId: string): Promise<WatchedBucket> {
    const known = this.#buckets.get(bucketId)
    const found = await this.#changesOf(bucketId, known?.until ?? this.#now())
    if (known === undefined) {
      const { until } = found
      const begun = { begun: until, until, small: new Map(), wide: [], deletes: [] }
      this.#buckets.set(bucketId, begun)
      this.#save()
      return begun
    }
    // The server has started anew, or was not asked for too long: anything may have come or gone.
    if (found.knownSince > known.until) {
      noteDelete(known, { range: allTime, at: found.until, removed: { isRough: true } })
    }
    known.until = found.until
    const inOrder = [...found.changes].sort((a, b) => (a.at < b.at ? -1 : 1))
    for (const change of inOrder) {
      if (change.removed === undefined) note(known, change)
      else noteDelete(known, change)
    }
    this.#save()
    return known
  }

  /** As they are copied: shards, and of recent time small stretches of them; and what was deleted. */
  async look(
    bucketId: string,
    shards: readonly SourceUnit[],
  ): Promise<Required<Pick<SourcePolicy, 'units' | 'deletes'>>> {
    const watched = await this.#look(bucketId)
    const first = floorDiv(watched.begun - lateNs, cutNs) * cutNs
    const last = floorDiv(this.#now(), cutNs) * cutNs + cutNs
    const units = shards.flatMap((shard) =>
      pieces(shard, first, last).map((one) => marked(one, watched)),
    )
    return { units, deletes: watched.deletes }
  }

  #save(): void {
    const all = Array.from(this.#buckets, ([id, bucket]) => {
      return [id, { ...bucket, small: [...bucket.small] }]
    })
    const text = (_: string, value: unknown) =>
      typeof value === 'bigint' ? { bigint: String(value) } : value
    this.#storage.save(JSON.stringify(all, text))
  }
}

function bucketsFrom(text = '[]'): Map<string, WatchedBucket> {
  type Kept = Omit<WatchedBucket, 'small'> & { readonly small: readonly [bigint, bigint][] }
  const all: readonly [string, Kept][] = JSON.parse(text, (_, value) =>
    typeof value?.bigint === 'string' ? BigInt(value.bigint) : value,
  )
  return new Map(all.map(([id, bucket]) => [id, { ...bucket, small: new Map(bucket.small) }]))
}

/** One that is not known exactly takes everything of its span, which then comes anew. */
function noteDelete(watched: WatchedBucket, { range, at, removed }: SpanChange): void {
  const { measurement, predicate, isRough } = removed ?? {}
  watched.deletes.push({ range, at, measurement, predicate })
  if (isRough === true) note(watched, { range, at })
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
