// The whole service, from its port down to the store and the catalog, on a disk that crashes: people use it over HTTP,
// at a random operation of the disk the power goes, and a new service starts on what that left. What they were told is
// then there, what was taken away is gone.
//
// The store lies on the simulated disk, with torn and reordered writes. SQLite brings its own way to the disk, which
// this one cannot stand in for: its files are copied at the same moment. SQLite works synchronously, and so the copy
// holds what it had written between two of its calls; what a power cut inside one leaves is for its own log and syncs
// (`synchronous = FULL`) to mend, and a lost end of that log is what the witness finds out, whose file is copied too.

import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../src/index.js'
import { type Random, seededRandom } from '../../src/platform/random.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { DiskOperation } from '../platform/fault-rules.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import type { Keep } from '../platform/simulated-file.js'
import { CutLine } from './cut-line.js'
import { pause, setUp } from './service-process.js'
import {
  type Actor,
  actUntilGone,
  Databases,
  DeletedPoints,
  type Place,
  SequenceWriter,
  Tokens,
} from './torture-actors.js'

export interface ServiceCount {
  crashes: number
  /** Acknowledged changes. */
  changes: number
}

const crashesPerRound = 3
const keeps: readonly Keep[] = ['random', 'random', 'synced', 'all']
const catalogFiles = ['catalog.sqlite', 'catalog.sqlite-wal', 'catalog.sqlite-changes']

interface Left {
  readonly disk: SimulatedDisk
  readonly catalog: string
  readonly where: string
}

export async function serviceRound(seed: number, count: ServiceCount): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'millrace-simulated-'))
  try {
    await new Round(root, seed, count).run()
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

class Round {
  readonly #root: string
  readonly #random: Random
  readonly #count: ServiceCount
  readonly #actors: readonly Actor[]
  #folders = 0
  #access: { token: string; orgId: string } | undefined

  constructor(root: string, seed: number, count: ServiceCount) {
    this.#root = root
    this.#random = seededRandom(seed)
    this.#count = count
    const random = seededRandom(seed + 1)
    this.#actors = [
      new SequenceWriter('a', 5, 100),
      new DeletedPoints(random),
      new Databases(random),
      new Tokens(random),
    ]
  }

  async run(): Promise<void> {
    let left: Left = {
      disk: new SimulatedDisk({ trackCrashes: true }),
      catalog: this.#newFolder(),
      where: 'at first',
    }
    for (let crash = 0; crash <= crashesPerRound; crash++) {
      left = await this.#live(left, crash === crashesPerRound)
      if (crash < crashesPerRound) this.#count.crashes++
    }
    for (const { doneCount } of this.#actors) this.#count.changes += doneCount
  }

  /** From one crash to the next, or, the last time, until everything was looked at. */
  async #live(from: Left, isLast: boolean): Promise<Left> {
    const { disk } = from
    const catalog = `${from.catalog}/catalog.sqlite`
    const server = await startServer({ jobs: 'inline', disk, catalog, noTasks: true })
    const line = await CutLine.to(server.port)
    try {
      this.#access ??= await setUp(line.url)
      const place: Place = { ...this.#access, url: line.url }
      await this.#check(place, from.where)
      if (isLast) return from
      return await this.#crash(disk, from.catalog, line, place, server.store as Engine)
    } finally {
      disk.onOperation = undefined
      line.cut()
      await server.close()
    }
  }

  async #check(place: Place, where: string): Promise<void> {
    for (const actor of this.#actors) {
      const wrong = await actor.check(place)
      if (wrong.length > 0) throw new Error(`${where}: ${wrong.join('; ')}`)
    }
  }

  async #crash(
    disk: SimulatedDisk,
    catalog: string,
    line: CutLine,
    place: Place,
    store: Engine,
  ): Promise<Left> {
    let left: Left | undefined
    let operations = 1 + this.#random.below(400)
    const keep = this.#random.pick(keeps)
    disk.onOperation = (operation: DiskOperation, path: string) => {
      if (--operations > 0 || left !== undefined) return
      const where = `power cut before ${operation} ${path}, ${keep}`
      // Nobody hears of anything that happens from here on.
      line.cut()
      left = {
        disk: disk.crashClone({ random: this.#random, keep }),
        catalog: this.#copied(catalog),
        where,
      }
    }
    const acting = this.#actors.map((actor) => actUntilGone(actor, place))
    while (left === undefined) {
      await pause(this.#random.below(40))
      if (left === undefined) await (this.#random.below(3) === 0 ? store.compact() : store.flush())
    }
    await Promise.all(acting)
    return left
  }

  #newFolder(): string {
    const folder = join(this.#root, String(this.#folders++))
    rmSync(folder, { recursive: true, force: true })
    return mkdtempSync(`${folder}-`)
  }

  #copied(from: string): string {
    const to = this.#newFolder()
    for (const name of catalogFiles) {
      if (existsSync(`${from}/${name}`)) copyFileSync(`${from}/${name}`, `${to}/${name}`)
    }
    return to
  }
}
