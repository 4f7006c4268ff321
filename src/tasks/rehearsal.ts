// Runs the queries of dashboards before somebody waits for them. Code that ran seldom is slow: the
// engine of the language interprets it at first, and compiles it once it has been busy, so that the
// first hundreds of queries after a start take three times as long as the later ones. When the
// service has data and nothing to do, it asks itself a few dozen questions about some of its own
// points, for a bounded time, and throws the answers away.
//
// Once in the life of a process. Work comes in short turns, with pauses in which whoever asks meanwhile
// is heard, and in rounds, with time between them in which other threads compile what was busy. Off:
// 0 seconds.

import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../platform/clock.js'
import { collectMemory, compiledSoon, letYoungMemoryGrow } from '../platform/engine-tuning.js'
import type { BucketId, Store } from '../store/store.js'
import { rehearsalQueries, type Subject, subjectOf } from './rehearsal-queries.js'

/** Where questions are asked as clients ask them. */
export interface Stage {
  ask(text: string): Promise<void>
  close(): Promise<void>
}

export interface RehearsalOptions {
  readonly store: Store
  readonly clock: Clock
  readonly buckets: () => Promise<readonly BucketId[]>
  /** For questions about one bucket; undefined: it cannot be asked about. */
  readonly openStage: (bucket: BucketId) => Promise<Stage | undefined>
  /** The share of time in which nothing was to be done, since it was asked before. */
  readonly idleShare: () => number
  /** Of work in all; 0: none. */
  readonly secondsMax: number
  readonly log: (level: 'error' | 'info', message: string, fields: Record<string, unknown>) => void
}

const tickMs = 1000
/** Longer than the store waits before it puts what a load left behind into files: those are what is read. */
const quietTicks = 4
const quietShare = 0.9
const turnMs = 8
const pauseMs = 2
const rounds = 8
const roundPauseMs = 250
/**
 * What the load and the first rounds left behind goes before this round, 20 MB that the process would keep. A part of
 * the compiled code goes with it, which the rounds that follow bring back.
 */
const collectBefore = rounds - 3

export class Rehearsal {
  readonly #options: RehearsalOptions
  readonly #stop = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #quiet = 0

  constructor(options: RehearsalOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#options.secondsMax > 0) this.#wait()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the service is closing'))
    clearTimeout(this.#timer)
    await this.#running
    clearTimeout(this.#timer)
  }

  #wait(): void {
    if (this.#stop.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#quiet = this.#options.idleShare() >= quietShare ? this.#quiet + 1 : 0
      if (this.#quiet < quietTicks) this.#wait()
      else this.#running = this.#begin()
    }, tickMs)
    this.#timer.unref()
  }

  async #begin(): Promise<void> {
    try {
      if (!(await this.run())) this.#wait()
    } catch (error) {
      if (this.#stop.signal.aborted) return
      this.#options.log('error', 'the rehearsal failed', { error: (error as Error).message })
    }
  }

  /** False: there is nothing yet to rehearse with. */
  async run(): Promise<boolean> {
    const subject = await this.#subject()
    const stage = subject && (await this.#options.openStage(subject.bucket))
    if (subject === undefined || stage === undefined) return false
    try {
      await compiledSoon(() => this.#play(stage, subject))
    } finally {
      await stage.close()
      letYoungMemoryGrow()
    }
    return true
  }

  /** Each kind has the same share of the time: what is quick is asked more often. */
  async #play(stage: Stage, subject: Subject): Promise<void> {
    const { secondsMax, log } = this.#options
    let queries = 0
    for (let round = 0; round < rounds && !this.#stop.signal.aborted; round++) {
      if (round === collectBefore) collectMemory()
      const kinds = rehearsalQueries(subject, round)
      const shareMs = (secondsMax * 1000) / rounds / kinds.length
      for (const texts of kinds) queries += await this.#askFor(shareMs, stage, texts)
      await pause(roundPauseMs, undefined, { ref: false })
    }
    log('info', 'rehearsed', { queries })
  }

  async #askFor(workMsMax: number, stage: Stage, texts: readonly string[]): Promise<number> {
    let count = 0
    for (let workMs = 0; workMs < workMsMax && !this.#stop.signal.aborted; ) {
      const start = this.#nowMs()
      let turn = 0
      for (; turn < Math.min(turnMs, workMsMax); turn = this.#nowMs() - start) {
        await stage.ask(texts[count % texts.length])
        count++
      }
      workMs += turn
      await pause(pauseMs, undefined, { ref: false })
    }
    return count
  }

  #nowMs(): number {
    return Number(this.#options.clock.now() / 1000n) / 1000
  }

  /** The bucket with the most points: it is the one that is asked about. */
  async #subject(): Promise<Subject | undefined> {
    const { store } = this.#options
    let largest: Subject | undefined
    for (const bucket of await this.#options.buckets()) {
      const subject = await subjectOf(store, bucket)
      if (subject === undefined || subject.rowCount <= (largest?.rowCount ?? 0)) continue
      largest = subject
    }
    return largest
  }
}
