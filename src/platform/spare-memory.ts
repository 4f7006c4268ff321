// Memory that is kept to be used again, and when it goes back: once the program has been busy and is quiet now. Buffers
// of a load are worth keeping from one write to the next, not overnight, and V8 collects nothing while nothing is done:
// half of what a load took stayed with the process until the next one.

import { performance } from 'node:perf_hooks'
import { Garbage } from './garbage.js'

/** Keeps memory for the next time. */
export interface SpareMemory {
  /** Lets go of what nobody uses at the moment. */
  dropSpare(): void
}

/** How often it is looked whether the program is busy, in milliseconds. */
const lookEveryMs = 1000
/** More of such a stretch than this at work, and there is something to give back later. */
const busyShare = 0.25
/** At most so much of it at work, and nobody minds a collection. */
const quietShare = 0.1
/** So many quiet stretches in a row: between two writes of a load that comes in bursts nothing is dropped. */
const quietLooks = 3

const owners = new Set<WeakRef<SpareMemory>>()
let hasWorked = false

export function keepsSpareMemory(owner: SpareMemory): void {
  owners.add(new WeakRef(owner))
}

/** Something ended that leaves memory behind, as a thread does. */
export function noteWorkDone(): void {
  hasWorked = true
}

export function dropSpareMemory(): void {
  for (const reference of owners) {
    const owner = reference.deref()
    if (owner === undefined) owners.delete(reference)
    else owner.dropSpare()
  }
}

/** Tells from how busy stretches of time were when it is the moment to give memory back: once after each busy time. */
export class QuietMoments {
  #isDue = false
  #quietCount = 0

  /** `share`: of the stretch that has passed, how much was spent at work. */
  isNow(share: number, workEnded: boolean): boolean {
    if (share > busyShare || workEnded) this.#isDue = true
    this.#quietCount = share > quietShare ? 0 : this.#quietCount + 1
    if (!this.#isDue || this.#quietCount < quietLooks) return false
    this.#isDue = false
    return true
  }
}

/** For a program that serves and has nothing else to do. Returns what ends it. */
export function giveBackWhenQuiet(): () => void {
  const moments = new QuietMoments()
  const garbage = new Garbage()
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const workEnded = hasWorked
    hasWorked = false
    if (!moments.isNow(utilization, workEnded)) return
    dropSpareMemory()
    garbage.collect(0)
  }, lookEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
