// A file in memory. With tracking it also holds what a power cut would leave for certain (the content at the last
// sync) and every change made since, so that `afterCrash` can build any content that the file may have afterwards.
// Without tracking it is one growing buffer and nothing else.

import { GrowingBytes } from '../../src/platform/memory-disk.js'
import type { Random } from '../../src/platform/random.js'

/** What survives a simulated crash: any part of the unsynced changes, all of them, or none. */
export type Keep = 'random' | 'all' | 'synced'

// A disk writes sectors whole; anything larger may be torn.
const sectorBytes = 512

function growingBytes(content: Uint8Array): GrowingBytes {
  const bytes = new GrowingBytes()
  bytes.write(content, 0)
  return bytes
}

type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array; lost: boolean }
  | { readonly kind: 'truncate'; readonly size: number; lost: boolean }

/** What tracking adds: the content that is safe, and what has happened since. */
class Durability {
  readonly safe: GrowingBytes
  changes: Change[] = []

  constructor(safe: GrowingBytes) {
    this.safe = safe
  }
}

export class SimulatedFile {
  /** Whether a name leads here: a removed file that is still open takes no room on the disk. */
  linked = true
  readonly #current: GrowingBytes
  readonly #durability: Durability | undefined

  /** `content` counts as synced. */
  constructor(tracked: boolean, content: Uint8Array = new Uint8Array(0)) {
    this.#current = growingBytes(content)
    this.#durability = tracked ? new Durability(growingBytes(content)) : undefined
  }

  get size(): number {
    return this.#current.size
  }

  read(into: Uint8Array, position: number): number {
    const content = this.#current.view().subarray(position, position + into.length)
    into.set(content)
    return content.length
  }

  write(part: Uint8Array, position: number): void {
    this.#current.write(part, position)
    this.#durability?.changes.push({ kind: 'write', position, bytes: part.slice(), lost: false })
  }

  truncate(size: number): void {
    this.#current.truncate(size)
    this.#durability?.changes.push({ kind: 'truncate', size, lost: false })
  }

  sync(): void {
    const durability = this.#durability
    if (durability === undefined) return
    for (const change of durability.changes) {
      if (change.lost) continue
      if (change.kind === 'write') durability.safe.write(change.bytes, change.position)
      else durability.safe.truncate(change.size)
    }
    durability.changes = []
  }

  /**
   * As Linux does it: after a failed sync the kernel takes the pages for clean. They may have reached the disk or not,
   * and a later sync that succeeds does not bring them there, although until a crash they can be read.
   */
  failSync(): void {
    for (const change of this.#durability?.changes ?? []) change.lost = true
  }

  /** Damages the file as a failing medium does: what is read now and what a crash leaves. */
  corrupt(offset: number, mask: number): void {
    for (const bytes of [this.#current, this.#durability?.safe]) {
      const view = bytes?.view()
      if (view !== undefined && offset < view.length) view[offset] ^= mask
    }
  }

  /** A content that the file may have after a power cut now. */
  afterCrash(keep: Keep, random: Random): Uint8Array {
    const durability = this.#durability
    if (keep === 'all' || durability === undefined) return this.#current.view()
    if (keep === 'synced' || durability.changes.length === 0) return durability.safe.view()
    const left = growingBytes(durability.safe.view())
    const pieces = durability.changes.flatMap(sectorsOf)
    const survives = survival(pieces.length, random)
    for (const piece of pieces) {
      if (!survives()) continue
      if (piece.kind === 'write') left.write(piece.bytes, piece.position)
      else left.truncate(piece.size)
    }
    // The new size may be on disk although bytes below it are not: they read as zeros.
    const growth = this.#current.size - left.size
    if (growth > 0 && random.below(2) === 0) left.truncate(left.size + random.below(growth + 1))
    return left.view()
  }
}

/** The parts of a change that reach the disk independently of each other. */
function sectorsOf(change: Change): Change[] {
  if (change.kind === 'truncate') return [change]
  const pieces: Change[] = []
  const end = change.position + change.bytes.length
  let start = change.position
  while (start < end) {
    const stop = Math.min(end, (Math.floor(start / sectorBytes) + 1) * sectorBytes)
    const bytes = change.bytes.subarray(start - change.position, stop - change.position)
    pieces.push({ kind: 'write', position: start, bytes, lost: change.lost })
    start = stop
  }
  return pieces
}

/**
 * Decides piece by piece, in the order of writing. Plain coin flips would hardly ever show the cases that matter most
 * (nothing, everything, a torn tail), so each of these has its share.
 */
function survival(pieces: number, random: Random): () => boolean {
  const shape = random.below(4)
  if (shape === 0) return () => false
  if (shape === 1) return () => true
  if (shape === 2) {
    let left = random.below(pieces + 1)
    return () => left-- > 0
  }
  const share = random.float()
  return () => random.float() < share
}
