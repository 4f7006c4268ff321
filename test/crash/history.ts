// A random history of one engine on a simulated disk: writes, flushes, merges, deletes and drops
// under way together, with stops and starts between them, and crash clones of the disk taken at
// random operations. Everything follows from the seed: nothing here waits for a timer.

import { allTime } from '../../src/column/time.js'
import { BusyError } from '../../src/errors.js'
import type { Random } from '../../src/platform/random.js'
import type { DiskOperation } from '../platform/fault-rules.js'
import type { SimulatedDisk } from '../platform/simulated-disk.js'
import type { Keep } from '../platform/simulated-file.js'
import {
  abandon,
  contentsOf,
  LineWriter,
  metric,
  type OpenedEngine,
  open,
  strayFiles,
} from './contents.js'
import { Epoch, emptyState, explain, type Moment, type State } from './model.js'
import { buckets, type Cells, randomBatch, randomErasure } from './workload.js'

export interface Crash {
  readonly disk: SimulatedDisk
  readonly moment: Moment
  /** Which operation of the disk came next. */
  readonly where: string
}

export interface HistoryOptions {
  readonly steps: number
  readonly crashesMax: number
  readonly base?: State
  /** Numbers of writes go on from here, so that values stay unique. */
  readonly firstNumber?: number
}

const underWayMax = 6
const keeps: readonly Keep[] = ['random', 'random', 'random', 'synced', 'all']

/** One in so many operations is a crash; those that make things final come more often. */
const crashOdds = 600
const crashOddsFinal = 60

export class History {
  readonly crashes: Crash[] = []
  readonly #disk: SimulatedDisk
  readonly #random: Random
  readonly #crashRandom: Random
  readonly #options: HistoryOptions
  readonly #writer = new LineWriter()
  readonly #underWay = new Set<Promise<void>>()
  #epoch: Epoch
  #opened!: OpenedEngine
  #number: number
  #failure: unknown

  constructor(disk: SimulatedDisk, random: Random, crashRandom: Random, options: HistoryOptions) {
    this.#disk = disk
    this.#random = random
    this.#crashRandom = crashRandom
    this.#options = options
    this.#epoch = new Epoch(options.base ?? emptyState())
    this.#number = options.firstNumber ?? 1
  }

  get nextNumber(): number {
    return this.#number
  }

  async run(): Promise<void> {
    this.#disk.onOperation = (operation, path) => this.#crashMaybe(operation, path)
    await this.#start()
    for (let step = 0; step < this.#options.steps; step++) {
      await this.#step()
      if (this.#failure !== undefined) throw this.#failure
      await turns(this.#random.below(25))
    }
    await this.#settle()
    await this.#opened.engine.close()
    this.#disk.onOperation = undefined
  }

  async #start(): Promise<void> {
    this.#opened = await open(this.#disk)
    await this.#compare('after a start')
    const strays = await strayFiles(this.#disk)
    if (strays.length > 0) throw new Error(`not swept at start: ${strays.join(', ')}`)
  }

  async #step(): Promise<void> {
    const draw = this.#random.below(100)
    if (this.#underWay.size >= underWayMax) await Promise.race(this.#underWay)
    if (draw < 68) this.#write()
    else if (draw < 74) this.#track(this.#opened.engine.flush())
    else if (draw < 78) this.#track(this.#opened.engine.compact())
    else if (draw < 80) this.#track(this.#opened.engine.forgetSeries())
    else if (draw < 84) this.#erase()
    else if (draw < 86) this.#drop()
    else if (draw < 95) await this.#settle()
    else if (draw < 97) await this.#restart()
    else await turns(200)
  }

  #write(): void {
    const bucket = this.#random.pick(buckets)
    const batch = randomBatch(this.#random, this.#number++)
    const write = { bucket, batch, status: 'under way' as 'acknowledged' | 'refused' | 'under way' }
    this.#epoch.writes.push(write)
    const done = this.#writer.write(this.#opened.engine, bucket, batch.lines).then(
      (result) => {
        write.status = 'acknowledged'
        if (result.rejectedCount > 0) throw new Error(result.rejected[0].reason)
      },
      (error) => {
        write.status = 'refused'
        if (!(error instanceof BusyError)) throw error
      },
    )
    this.#track(done)
  }

  #erase(): void {
    const bucket = this.#random.pick(buckets)
    const erasure = randomErasure(this.#random)
    const { start, stop, ...which } = erasure
    const request = { bucket, range: { start, stop }, ...which }
    this.#eraseBy(bucket, erasure, () => this.#opened.engine.delete(request))
  }

  #drop(): void {
    const bucket = this.#random.pick(buckets)
    this.#eraseBy(bucket, allTime, () => this.#opened.engine.dropBucket(bucket))
  }

  /** Few at a time: each multiplies the states that are possible. */
  #eraseBy(
    bucket: string,
    erasure: Epoch['erasures'][number]['erasure'],
    run: () => Promise<void>,
  ): void {
    if (this.#epoch.erasures.length >= 2) return
    const { writes, erasures } = this.#epoch
    const model = { bucket, erasure, from: writes.length, to: undefined as number | undefined }
    erasures.push(model)
    this.#track(
      run().then(() => {
        model.to = writes.length
      }),
    )
  }

  #track(work: Promise<void>): void {
    const settled = work.catch((error) => {
      this.#failure ??= error
    })
    const tracked = settled.finally(() => this.#underWay.delete(tracked))
    this.#underWay.add(tracked)
  }

  /** Waits until nothing is under way, compares, and begins a new epoch. */
  async #settle(): Promise<void> {
    await Promise.all(this.#underWay)
    if (this.#failure !== undefined) throw this.#failure
    await this.#compare('with nothing under way')
  }

  async #compare(when: string): Promise<void> {
    const errors = this.#opened.errors()
    if (errors.length > 0) throw new Error(`${when} the engine reported: ${errors[0].message}`)
    if ((await metric(this.#opened.engine, 'store_damaged_places')) > 0) {
      throw new Error(`${when} the engine counts damage`)
    }
    const state = explain(this.#epoch.moment(), await stateOf(this.#opened.engine), when)
    this.#epoch = new Epoch(state)
  }

  /** Half of the time in the middle of everything: `close` must see it through. */
  async #restart(): Promise<void> {
    if (this.#random.below(2) === 0) await this.#settle()
    await this.#opened.engine.close()
    const operations = this.#disk.operationCount
    await Promise.all(this.#underWay)
    await turns(500)
    if (this.#failure !== undefined) throw this.#failure
    if (this.#disk.operationCount !== operations) {
      throw new Error('the engine went on using the disk after it was closed')
    }
    await this.#start()
  }

  #crashMaybe(operation: DiskOperation, path: string): void {
    if (this.crashes.length >= this.#options.crashesMax) return
    const isFinal = /rename|remove|truncate|syncDir|removeDir/.test(operation)
    const isReading = /read|list|exists/.test(operation)
    const odds = isFinal ? crashOddsFinal : isReading ? crashOdds * 10 : crashOdds
    if (this.#crashRandom.below(odds) > 0) return
    const keep = this.#crashRandom.pick(keeps)
    this.crashes.push({
      disk: this.#disk.crashClone({ random: this.#crashRandom, keep }),
      moment: this.#epoch.moment(),
      where: `crash before operation ${this.#disk.operationCount} (${operation} ${path}), ${keep}`,
    })
  }
}

export async function stateOf(engine: OpenedEngine['engine']): Promise<State> {
  const state = new Map<string, Cells>()
  for (const bucket of buckets) state.set(bucket, await contentsOf(engine, bucket))
  return state
}

/**
 * Opens what a crash left and compares. Returns the state that was found, and the disk after one
 * more crash right there.
 */
export async function recoverFrom(
  crash: Crash,
  random: Random,
): Promise<{ state: State; disk: SimulatedDisk }> {
  const opened = await open(crash.disk)
  const errors = opened.errors()
  if (errors.length > 0) throw new Error(`${crash.where}: reported ${errors[0].message}`)
  const state = explain(crash.moment, await stateOf(opened.engine), crash.where)
  const strays = await strayFiles(crash.disk)
  if (strays.length > 0) throw new Error(`${crash.where}: not swept: ${strays.join(', ')}`)
  const disk = crash.disk.crashClone({ random, keep: 'random' })
  await abandon(opened, crash.disk)
  return { state, disk }
}

/** Lets everything go on for so many turns of the microtask queue. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await undefined
}
