// The states in which data can lie, as ways to run one and the same list of commands: in the
// memtable, in segments, in one merged segment, after a restart, after a crash, in a mixture of
// these, and in the plain engine. An answer must not depend on them.

import { setImmediate } from 'node:timers/promises'
import type { WriteBatch } from '../../src/column/write-batch.js'
import { BusyError } from '../../src/errors.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import type { Disk } from '../../src/platform/disk.js'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { type Engine, openEngine } from '../../src/store/embedded/engine.js'
import type { EngineLimits } from '../../src/store/embedded/options/limits.js'
import { PlainStore } from '../../src/store/plain/plain-store.js'
import type { BucketId, WriteResult } from '../../src/store/store.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import { readOnThread } from './thread-reads.js'

/**
 * A flush of some kilobytes in memory takes a few turns; one that never ends must fail the test.
 */
const busyAttemptsMax = 10_000

export interface EngineState {
  readonly name: string
  /** Another engine than the embedded one. */
  openEngine?(clock: ManualClock): Promise<Engine>
  readonly limits?: Partial<EngineLimits>
  /** The engine as others see it. */
  wrapEngine?(engine: Engine, disk: Disk): Engine
  /** After a command that changes data. */
  afterChange?(world: EngineWorld): Promise<void>
  /** After every command. */
  afterCommand?(world: EngineWorld): Promise<void>
}

/**
 * The base limits: nothing is merged or frozen unless a state asks for it. Tables of a few rows share a slab; some
 * states give them arrays of their own, at once or after some rows.
 */
const quiet: Partial<EngineLimits> = { compactionSegments: 1000 }

export const engineStates: readonly EngineState[] = [
  { name: 'memtable', limits: quiet },
  { name: 'flushed', limits: quiet, afterChange: (world) => world.engine.flush() },
  {
    name: 'compacted',
    async afterChange(world) {
      await world.engine.flush()
      await world.engine.compact()
      await world.engine.forgetSeries()
    },
  },
  { name: 'reopened', limits: quiet, afterCommand: (world) => world.reopen() },
  { name: 'recovered', limits: quiet, afterChange: (world) => world.crash() },
  {
    name: 'mixed',
    limits: { ...quiet, smallRowsMax: 0 },
    async afterChange(world) {
      const chosen = world.random.below(3)
      if (chosen > 0) await world.engine.flush()
      if (chosen > 1) await world.engine.compact()
      if (chosen > 1) await world.engine.forgetSeries()
    },
  },
  { name: 'tiny', limits: { memtableBytesMax: 4096, compactionSegments: 2, smallRowsMax: 3 } },
  {
    // The other states share no read, this one every one that can be.
    name: 'shared scans',
    limits: { ...quiet, smallRowsMax: 8, scanThreadsMax: 2, scanValuesMin: 0 },
    async afterChange(world) {
      if (world.random.below(2) > 0) await world.engine.flush()
    },
  },
  {
    name: 'read on a thread',
    limits: { ...quiet, smallRowsMax: 8 },
    wrapEngine: readOnThread,
    async afterChange(world) {
      if (world.random.below(2) > 0) await world.engine.flush()
    },
  },
  { name: 'plain', openEngine: async (clock) => new PlainEngine(clock) },
]

/**
 * Those that a language is asked in. It sees the store's interface alone; that what comes through it is the same in
 * every state is shown below it, by the store's own corpus.
 */
export const languageStates = engineStates.filter(({ name }) =>
  ['memtable', 'flushed', 'tiny', 'shared scans', 'read on a thread', 'plain'].includes(name),
)

/** Has nothing to flush or to merge. */
class PlainEngine extends PlainStore implements Engine {
  async flush(): Promise<void> {}
  async compact(): Promise<void> {}
  async forgetSeries(): Promise<void> {}
}

type OpenedState = Pick<EngineState, 'openEngine' | 'limits' | 'wrapEngine'>

/** An engine that can be restarted, with what outlives it: disk, clock, settings, parsers. */
export class EngineWorld {
  readonly clock = new ManualClock(0n)
  readonly random: Random
  readonly #state: OpenedState
  #disk = new SimulatedDisk({ trackCrashes: true })
  #engine: Engine | undefined
  readonly #abandoned: Engine[] = []
  readonly #retentions = new Map<BucketId, bigint>()
  readonly #parsers = new Map<BucketId, LineProtocolParser>()

  private constructor(state: OpenedState, seed: number) {
    this.#state = state
    this.random = seededRandom(seed)
  }

  static open(limits: Partial<EngineLimits> = {}, seed = 1): Promise<EngineWorld> {
    return EngineWorld.openState({ limits }, seed)
  }

  static async openState(state: OpenedState, seed = 1): Promise<EngineWorld> {
    const world = new EngineWorld(state, seed)
    await world.#open()
    return world
  }

  get engine(): Engine {
    return this.#engine!
  }

  get disk(): SimulatedDisk {
    return this.#disk
  }

  /** As the service does: the settings come from elsewhere and are told anew after each start. */
  async setRetention(bucket: BucketId, retentionNs: bigint): Promise<void> {
    this.#retentions.set(bucket, retentionNs)
    await this.engine.setBucket(bucket, { retentionNs })
  }

  /**
   * One parser per bucket for ever, as in the service: its numbers for series outlive engines here.
   */
  parser(bucket: BucketId): LineProtocolParser {
    let parser = this.#parsers.get(bucket)
    if (parser === undefined) {
      parser = new LineProtocolParser()
      this.#parsers.set(bucket, parser)
    }
    return parser
  }

  /**
   * With tiny limits memory is soon used up: the engine says so, and the writer comes back, as a
   * client would.
   */
  async write(bucket: BucketId, batch: WriteBatch): Promise<WriteResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.engine.write(bucket, batch)
      } catch (error) {
        if (!(error instanceof BusyError) || attempt === busyAttemptsMax) throw error
        await setImmediate()
      }
    }
  }

  async reopen(): Promise<void> {
    await this.engine.close()
    await this.#open()
  }

  /** The power goes: what was not synced is lost, and the engine that ran is not asked. */
  async crash(): Promise<void> {
    this.#abandoned.push(this.engine)
    this.#disk = this.#disk.crashClone({ random: this.random, keep: 'synced' })
    await this.#open()
  }

  async close(): Promise<void> {
    for (const engine of this.#abandoned) await engine.close()
    await this.engine.close()
  }

  async #open(): Promise<void> {
    this.#engine = await this.#openEngine()
    for (const [bucket, retentionNs] of this.#retentions) {
      await this.engine.setBucket(bucket, { retentionNs })
    }
  }

  async #openEngine(): Promise<Engine> {
    const { limits = {} } = this.#state
    const other = await this.#state.openEngine?.(this.clock)
    if (other !== undefined) return other
    // The folder itself is its maker's to keep; the engine answers for what is in it.
    await this.#disk.makeDir('data')
    await this.#disk.syncDir('')
    const disk = this.#disk
    const engine = await openEngine({
      disk,
      folder: 'data',
      clock: this.clock,
      jobs: 'inline',
      limits,
    })
    return this.#state.wrapEngine?.(engine, disk) ?? engine
  }
}
