// What a store may hold, as a plain map, for comparison with what it does hold.
//
// Writes count in the order in which they were called; a log of frames keeps a prefix of them after
// a crash, whole writes only. A delete or a drop takes effect as one step at some moment between its
// call and its end, so it has one place among the writes called meanwhile; one that was under way at
// a crash has such a place or did not happen. Every combination of these is a state that is right;
// everything else is wrong.

import type { BucketId } from '../../src/store/store.js'
import { type Batch, buckets, type Cells, type Erasure, isErased } from './workload.js'

export type State = ReadonlyMap<BucketId, Cells>

export interface ModelWrite {
  readonly bucket: BucketId
  readonly batch: Batch
  status: 'under way' | 'acknowledged' | 'refused'
}

export interface ModelErasure {
  readonly bucket: BucketId
  readonly erasure: Erasure
  /** Writes called before it was called. */
  readonly from: number
  /** Writes called before it ended. */
  to: number | undefined
}

/** What was known at one moment: which writes must be there, which may be. */
export interface Moment {
  readonly epoch: Epoch
  readonly called: number
  readonly acknowledged: number
  readonly erasures: readonly { readonly of: ModelErasure; readonly ended: boolean }[]
}

export function emptyState(): State {
  return new Map(buckets.map((bucket): [BucketId, Cells] => [bucket, new Map()]))
}

/** The history since a state that is known exactly. */
export class Epoch {
  readonly base: State
  readonly writes: ModelWrite[] = []
  readonly erasures: ModelErasure[] = []

  constructor(base: State) {
    this.base = base
  }

  moment(): Moment {
    const { writes, erasures } = this
    return {
      epoch: this,
      called: writes.length,
      acknowledged: writes.findLastIndex(({ status }) => status === 'acknowledged') + 1,
      erasures: erasures.map((of) => ({ of, ended: of.to !== undefined })),
    }
  }
}

/** Every state that may be found after a crash at that moment, and before one if nothing is under way. */
export function* possibleStates(moment: Moment): Generator<State> {
  for (let kept = moment.called; kept >= moment.acknowledged; kept--) {
    for (const places of placings(moment, kept)) yield stateWith(moment, kept, places)
  }
}

type Place = number | 'nowhere'

function* placings(moment: Moment, kept: number, index = 0): Generator<Place[]> {
  const erasure = moment.erasures[index]
  if (erasure === undefined) {
    yield []
    return
  }
  for (const rest of placings(moment, kept, index + 1)) {
    for (const place of placesOf(moment, erasure, kept)) yield [place, ...rest]
  }
}

/** Places that make a difference: before the writes called meanwhile, and behind each that is met. */
function* placesOf(
  { epoch, called }: Moment,
  { of, ended }: Moment['erasures'][number],
  kept: number,
): Generator<Place> {
  if (!ended) yield 'nowhere'
  yield of.from
  const last = Math.min(kept, called, of.to ?? called)
  for (let at = of.from; at < last; at++) {
    const { bucket, batch, status } = epoch.writes[at]
    if (bucket !== of.bucket || status === 'refused') continue
    if ([...batch.cells.keys()].some((cell) => isErased(cell, of.erasure))) yield at + 1
  }
}

function stateWith({ epoch, erasures }: Moment, kept: number, places: readonly Place[]): State {
  const state = new Map(Array.from(epoch.base, ([bucket, cells]) => [bucket, new Map(cells)]))
  for (let at = 0; at <= epoch.writes.length; at++) {
    erasures.forEach(({ of }, i) => {
      if (places[i] === at) erase(state.get(of.bucket)!, of.erasure)
    })
    const write = epoch.writes[at]
    if (at >= kept || write.status === 'refused') continue
    for (const [cell, value] of write.batch.cells) state.get(write.bucket)!.set(cell, value)
  }
  return state
}

function erase(cells: Cells, erasure: Erasure): void {
  for (const cell of cells.keys()) if (isErased(cell, erasure)) cells.delete(cell)
}

/** Undefined if equal; else what is wrong, cell by cell. */
export function difference(expected: State, found: State): string[] {
  const lines: string[] = []
  for (const [bucket, cells] of expected) {
    const there = found.get(bucket)!
    for (const [cell, value] of cells) {
      const other = there.get(cell)
      if (other !== value) lines.push(`${bucket} ${cell}: ${short(value)}, found ${short(other)}`)
    }
    for (const [cell, value] of there) {
      if (!cells.has(cell)) lines.push(`${bucket} ${cell}: nothing, found ${short(value)}`)
    }
  }
  return lines
}

function short(value: string | undefined): string {
  return value === undefined ? 'nothing' : value.slice(0, 12)
}

/** The possible state that was found; throws with the nearest one where there is none. */
export function explain(moment: Moment, found: State, where: string): State {
  let nearest: string[] | undefined
  for (const state of possibleStates(moment)) {
    const lines = difference(state, found)
    if (lines.length === 0) return state
    if (nearest === undefined || lines.length < nearest.length) nearest = lines
  }
  const shown = (nearest ?? []).slice(0, 12).join('\n  ')
  throw new Error(
    `${where}: no possible state holds this; the nearest differs in ` +
      `${nearest?.length} cells (expected, found):\n  ${shown}`,
  )
}
