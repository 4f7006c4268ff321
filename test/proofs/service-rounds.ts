// The whole service, from its port down to the store and the catalog, on a disk that crashes: people use it over HTTP,
// at a random operation of the disk the power goes, and a new service starts on what that left. What they were told is
// then there, what was taken away is gone.
//
// The store lies on the simulated disk, with torn and reordered writes. SQLite brings its own way to the disk, which
// this one cannot stand in for: its files are taken at the same moment, and once more after a change that nobody is
// told of. Of what differs any part may have reached the disk (`torn-catalog.ts`).
//
// A large round goes from one crash to the next. A small one, of which CI plays hundreds, begins with a service that
// was set up before, crashes once, and mostly does what needs no control plane.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from '../../src/errors.js'
import { startServer } from '../../src/index.js'
import { DatabaseSeal } from '../../src/platform/database-seal.js'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { connect } from '../../src/platform/sqlite.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import type { DiskOperation } from '../platform/fault-rules.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import type { Keep } from '../platform/simulated-file.js'
import { BucketRestores } from './bucket-restores.js'
import { CutLine } from './cut-line.js'
import { ask, pause, setUp } from './service-process.js'
import {
  type CatalogFiles,
  readCatalog,
  type TornKind,
  tornCatalog,
  writeCatalog,
} from './torn-catalog.js'
import {
  type Actor,
  actUntilGone,
  Databases,
  DeletedPoints,
  type Place,
  PointsDeletedByStatement,
  SequenceWriter,
  Tokens,
} from './torture-actors.js'

export interface ServiceCount {
  crashes: number
  /** Acknowledged changes. */
  changes: number
  /** What of the catalog was torn, how often. */
  readonly torn: Partial<Record<TornKind, number>>
}

const crashesPerRound = 3
/** Operations of the disk before a crash, at most. */
const operationsMax = 400
const operationsMaxSmall = 60
/** One small round in so many makes and deletes tokens, and restores buckets. */
const tokensEvery = 15
const keeps: readonly Keep[] = ['random', 'random', 'synced', 'all']

interface Left {
  readonly disk: SimulatedDisk
  readonly catalog: string
  readonly where: string
}

type Access = { readonly token: string; readonly orgId: string }

/** A service that was set up, for small rounds to begin with. */
export class ServiceStart {
  readonly catalog = mkdtempSync(join(tmpdir(), 'millrace-simulated-'))
  readonly disk = new SimulatedDisk({ trackCrashes: true })
  #access: Access | undefined

  get access(): Access {
    assert(this.#access !== undefined, 'it was set up')
    return this.#access
  }

  async setUp(): Promise<this> {
    const server = await startServer(optionsOf(this.disk, this.catalog))
    this.#access = await setUp(`http://127.0.0.1:${server.port}`)
    await server.close()
    return this
  }

  remove(): void {
    rmSync(this.catalog, { recursive: true, force: true })
  }
}

function optionsOf(disk: SimulatedDisk, catalog: string) {
  return { jobs: 'inline', disk, catalog: `${catalog}/catalog.sqlite`, noTasks: true } as const
}

/** As the service does it once the log is long, and ends before it has sealed the file again. */
function moveLog(folder: string, mode: 'RESTART' | 'PASSIVE'): void {
  new DatabaseSeal(`${folder}/catalog.sqlite`).break()
  const database = connect(`${folder}/catalog.sqlite`)
  database.prepare(`PRAGMA wal_checkpoint(${mode})`).all()
  database.close()
}

/** With a start: a small one. */
export async function serviceRound(
  seed: number,
  count: ServiceCount,
  start?: ServiceStart,
): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'millrace-simulated-'))
  try {
    await new Round(root, seed, count, start).run()
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

class Round {
  readonly #root: string
  readonly #random: Random
  readonly #count: ServiceCount
  readonly #actors: readonly Actor[]
  readonly #start: ServiceStart | undefined
  #folders = 0
  #access: Access | undefined

  constructor(root: string, seed: number, count: ServiceCount, start: ServiceStart | undefined) {
    this.#root = root
    this.#random = seededRandom(seed)
    this.#count = count
    this.#start = start
    this.#access = start?.access
    const random = seededRandom(seed + 1)
    const hasTokens = start === undefined || seed % tokensEvery === 0
    this.#actors = [
      new SequenceWriter('a', 5, 100),
      hasTokens ? new DeletedPoints(random) : new PointsDeletedByStatement(random),
      new Databases(random),
      ...(hasTokens ? [new Tokens(random), new BucketRestores()] : []),
    ]
  }

  async run(): Promise<void> {
    const start = this.#start
    let left: Left = {
      disk: start?.disk.clone() ?? new SimulatedDisk({ trackCrashes: true }),
      catalog: start === undefined ? this.#newFolder() : this.#copied(start.catalog),
      where: 'at first',
    }
    const crashes = start === undefined ? crashesPerRound : 1
    for (let crash = 0; crash <= crashes; crash++) {
      left = await this.#live(left, crash === crashes)
      if (crash < crashes) this.#count.crashes++
    }
    for (const { doneCount } of this.#actors) this.#count.changes += doneCount
  }

  /** From one crash to the next, or, the last time, until everything was looked at. */
  async #live(from: Left, isLast: boolean): Promise<Left> {
    const { disk } = from
    const server = await startServer(optionsOf(disk, from.catalog))
    const line = await CutLine.to(server.port)
    try {
      this.#access ??= await setUp(line.url)
      const place: Place = { ...this.#access, url: line.url }
      await this.#check(place, from.where)
      if (isLast) return from
      const direct = { ...place, url: `http://127.0.0.1:${server.port}` }
      return await this.#crash(from, line, place, direct, server.store as Engine)
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

  /** `direct`: the same service without the line that is cut. */
  async #crash(
    { disk, catalog }: Left,
    line: CutLine,
    place: Place,
    direct: Place,
    store: Engine,
  ): Promise<Left> {
    let left: Omit<Left, 'catalog'> | undefined
    let before: CatalogFiles | undefined
    const isSmall = this.#start !== undefined
    let operations = 1 + this.#random.below(isSmall ? operationsMaxSmall : operationsMax)
    const keep = this.#random.pick(keeps)
    disk.onOperation = (operation: DiskOperation, path: string) => {
      if (--operations > 0 || left !== undefined) return
      const where = `power cut before ${operation} ${path}, ${keep}`
      // Nobody hears of anything that happens from here on.
      line.cut()
      before = readCatalog(catalog)
      left = { disk: disk.crashClone({ random: this.#random, keep }), where }
    }
    const acting = this.#actors.map((actor) => actUntilGone(actor, place))
    while (left === undefined) {
      await pause(this.#random.below(isSmall ? 8 : 40))
      if (left === undefined) await (this.#random.below(3) === 0 ? store.compact() : store.flush())
    }
    await Promise.all(acting)
    assert(before !== undefined, 'the power went')
    return { ...left, catalog: await this.#tear(catalog, before, direct) }
  }

  #newFolder(): string {
    const folder = join(this.#root, String(this.#folders++))
    rmSync(folder, { recursive: true, force: true })
    return mkdtempSync(`${folder}-`)
  }

  #copied(from: string): string {
    const to = this.#newFolder()
    writeCatalog(to, readCatalog(from))
    return to
  }

  /** A change after the power cut, which nobody hears of, as if the cut had come in the middle of it. */
  async #tear(folder: string, atCut: CatalogFiles, { url, token }: Place): Promise<string> {
    const q = `CREATE DATABASE "torn ${this.#folders}"`
    // The log is moved into the database once it is long, and begins anew: which histories never see.
    const moves = this.#random.below(4)
    if (moves === 0) moveLog(folder, 'RESTART')
    // A log begins anew only over a database that was synced, with what was still under way at the cut.
    const before = moves === 0 ? readCatalog(folder) : atCut
    await ask(`${url}/query?${new URLSearchParams({ q })}`, { method: 'POST', token })
    if (moves === 1) moveLog(folder, 'PASSIVE')
    const { kind, files } = tornCatalog(before, readCatalog(folder), this.#random)
    this.#count.torn[kind] = (this.#count.torn[kind] ?? 0) + 1
    const to = this.#newFolder()
    writeCatalog(to, files)
    return to
  }
}
