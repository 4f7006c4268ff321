// Power cuts while a service comes to a folder that is not its own yet: one that a released version has left, whose
// formats become those of today as it is opened, written to and merged, and one that a backup is being restored into.
// Whenever the power goes, the next start has everything, or the restore says that it is not whole and is done again.
//
// SQLite's files are taken as `service-rounds.ts` takes them. Those of a restore lie on the simulated disk until a
// service is started on them.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { BackupFolder } from '../../src/backup/backup-folder.js'
import { FolderPlace } from '../../src/backup/folder-place.js'
import { receiveBackup } from '../../src/backup/receive.js'
import { restoreBackup } from '../../src/backup/restore.js'
import { assert } from '../../src/errors.js'
import { startServer } from '../../src/index.js'
import { readFile } from '../../src/platform/disk.js'
import { type Random, seededRandom } from '../../src/platform/random.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import type { Keep } from '../platform/simulated-file.js'
import { ask, setUp } from './service-process.js'
import { type CatalogFiles, readCatalog, tornCatalog, writeCatalog } from './torn-catalog.js'

const fixtures = 'test/corpus/folders'
/** Of every kept folder, as its program has made it. */
const fixtureToken = 'upgrade-token'
/** Where a service without a folder of its own has its files on the disk it is given. */
const root = 'memory'
const keeps: readonly Keep[] = ['random', 'random', 'synced', 'all']
const crashesMax = 2
/** Operations before a crash, at most: so many as opening, a flush and a merge of a kept folder take. */
const operationsMax = 120

function optionsOf(disk: SimulatedDisk, catalog: string) {
  return { jobs: 'inline', disk, catalog: `${catalog}/catalog.sqlite`, noTasks: true } as const
}

async function inFolder(run: (newFolder: () => string) => Promise<void>): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'millrace-simulated-'))
  let count = 0
  try {
    await run(() => {
      const folder = join(base, String(count++))
      mkdirSync(folder)
      return folder
    })
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

async function question(url: string, token: string, db: string, q: string): Promise<unknown[][]> {
  const { status, text } = await ask(`${url}/query?${new URLSearchParams({ db, q })}`, { token })
  const { series, error } = status === 200 ? JSON.parse(text).results[0] : { error: text }
  if (error !== undefined) throw new Error(`${q}: ${status} ${error}`)
  return series?.[0].values ?? []
}

function mustBe(found: unknown, expected: unknown, where: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)]
  if (a !== b) throw new Error(`${where}: ${a} instead of ${b}`)
}

/** A folder of a released version, opened again and again while the power goes. */
export async function openingRound(seed: number): Promise<void> {
  await inFolder(async (newFolder) => {
    const random = seededRandom(seed)
    const catalog = newFolder()
    const name = random.pick(readdirSync(fixtures))
    const disk = await unpacked(name, catalog)
    const opening = new Opening(random, newFolder, disk, catalog, name)
    for (let crash = 1 + random.below(crashesMax); crash > 0; crash--) await opening.crash()
    await opening.live()
  })
}

async function unpacked(name: string, catalog: string): Promise<SimulatedDisk> {
  const files = JSON.parse(gunzipSync(readFileSync(join(fixtures, name))).toString())
  const disk = new SimulatedDisk({ trackCrashes: true })
  for (const [path, content] of Object.entries<string>(files)) {
    const bytes = Buffer.from(content, 'base64')
    if (!path.startsWith('store/')) {
      if (bytes.length > 0) writeFileSync(`${catalog}/${path}`, bytes)
      continue
    }
    await disk.makeDir(dirname(`${root}/${path}`))
    const file = await disk.open(`${root}/${path}`, 'create')
    await file.write([bytes], 0)
    await file.close()
  }
  // All of it lay there for long.
  return disk.clone()
}

class Opening {
  readonly #random: Random
  readonly #newFolder: () => string
  readonly #name: string
  #disk: SimulatedDisk
  #catalog: string
  #where = 'at first'
  /** Points of today that were acknowledged, and those that may be there. */
  #acknowledged = 0
  #sent = 0

  constructor(
    random: Random,
    newFolder: () => string,
    disk: SimulatedDisk,
    catalog: string,
    name: string,
  ) {
    this.#random = random
    this.#newFolder = newFolder
    this.#disk = disk
    this.#catalog = catalog
    this.#name = name
  }

  /** A life whose end is cut off: at an operation of the store, or while the catalog is brought up to date. */
  async crash(): Promise<void> {
    const random = this.#random
    const original = readCatalog(this.#catalog)
    const inCatalog = random.below(3) === 0
    const keep = random.pick(keeps)
    let operations = inCatalog ? 1 : 1 + random.below(operationsMax)
    let left: { disk: SimulatedDisk; files: CatalogFiles } | undefined
    let acknowledged = 0
    let where = ''
    const cut = (what: string) => {
      acknowledged = this.#acknowledged
      where = `${this.#name}, power cut ${inCatalog ? 'within the catalog' : what}, ${keep}`
      const files = readCatalog(this.#catalog)
      left = { disk: this.#disk.crashClone({ random, keep }), files }
    }
    this.#disk.onOperation = (operation, path) => {
      if (left === undefined && --operations <= 0) cut(`before ${operation} ${path}`)
    }
    await this.live()
    this.#disk.onOperation = undefined
    if (left === undefined) cut('after all')
    assert(left !== undefined, 'the power went')
    const to = this.#newFolder()
    writeCatalog(to, inCatalog ? tornCatalog(original, left.files, random).files : left.files)
    this.#catalog = to
    this.#disk = left.disk
    this.#where = where
    this.#acknowledged = acknowledged
  }

  /** Opens, looks, writes a point, flushes and merges. */
  async live(): Promise<void> {
    const server = await startServer(optionsOf(this.#disk, this.#catalog))
    try {
      const url = `http://127.0.0.1:${server.port}`
      await this.#check(url)
      this.#sent++
      const target = `${url}/api/v2/write?org=o&bucket=b`
      const body = `today n=${this.#sent} ${this.#sent}`
      const { status, text } = await ask(target, { method: 'POST', token: fixtureToken, body })
      mustBe([status, text], [204, ''], `${this.#where}: a write`)
      this.#acknowledged = this.#sent
      const store = server.store as Engine
      await store.flush()
      await store.compact()
    } finally {
      await server.close()
    }
  }

  async #check(url: string): Promise<void> {
    const ofB = (q: string) => question(url, fixtureToken, 'b', q)
    const [row] = await ofB('SELECT count(f), sum(i), last(s) FROM m')
    mustBe(row?.slice(1), [48, 1222, 'text 49'], this.#where)
    const old = await question(url, fixtureToken, 'old', 'SELECT v FROM x')
    mustBe(old.length, 1, this.#where)
    const dashboards = await ask(`${url}/api/v2/dashboards`, { token: fixtureToken })
    mustBe(JSON.parse(dashboards.text).dashboards?.length, 1, this.#where)
    const numbers = (await ofB('SELECT n FROM today')).map(([, n]) => Number(n))
    for (let n = 1; n <= this.#acknowledged; n++) {
      if (!numbers.includes(n)) throw new Error(`${this.#where}: point ${n} of today is gone`)
    }
    if (numbers.length > this.#sent) throw new Error(`${this.#where}: ${numbers.length} points`)
  }
}

/** A backup of a service, for restores to begin with. */
export class BackedUp {
  readonly disk: SimulatedDisk
  readonly token: string

  private constructor(disk: SimulatedDisk, token: string) {
    this.disk = disk
    this.token = token
  }

  static async make(): Promise<BackedUp> {
    const disk = new SimulatedDisk({ trackCrashes: true })
    let token = ''
    await inFolder(async (newFolder) => {
      const server = await startServer(
        optionsOf(new SimulatedDisk({ trackCrashes: true }), newFolder()),
      )
      try {
        const url = `http://127.0.0.1:${server.port}`
        token = (await setUp(url)).token
        const write = (body: string) =>
          ask(`${url}/api/v2/write?org=o&bucket=b`, { method: 'POST', token, body })
        await write('m,t=a f=1 1\nm,t=b f=2 2')
        await (server.store as Engine).flush()
        await write('m,t=c f=3 3')
        const headers = { authorization: `Token ${token}` }
        const body = JSON.stringify({ have: [] })
        const sent = await fetch(`${url}/api/v2/backups`, { method: 'POST', headers, body })
        assert(sent.ok && sent.body !== null, 'a backup is sent')
        await receiveBackup(backupsOn(disk), sent.body, { id: 'one' })
      } finally {
        await server.close()
      }
    })
    return new BackedUp(disk.clone(), token)
  }
}

function backupsOn(disk: SimulatedDisk): BackupFolder {
  return new BackupFolder(new FolderPlace(disk, 'backups'))
}

async function restoreOn(disk: SimulatedDisk): Promise<void> {
  const folder = backupsOn(disk)
  await restoreBackup(folder, await folder.find(undefined), disk, root)
}

/** Restores into an empty folder while the power goes, until one is told as done; then a service starts on it. */
export async function restoreRound(seed: number, { disk: first, token }: BackedUp): Promise<void> {
  await inFolder(async (newFolder) => {
    const random = seededRandom(seed)
    let disk = first.clone()
    let where = ''
    for (let crash = 1 + random.below(crashesMax); crash > 0; crash--) {
      const cut = await restoreCut(disk, random)
      disk = cut.disk
      where = cut.where
      // With a catalog a service would start on it: all of it must be there then.
      if (await disk.exists(`${root}/catalog.sqlite`)) break
    }
    if (!(await disk.exists(`${root}/catalog.sqlite`))) await restoreOn(disk)
    const catalog = newFolder()
    const bytes = await readFile(disk, `${root}/catalog.sqlite`)
    writeFileSync(`${catalog}/catalog.sqlite`, bytes)
    const server = await startServer(optionsOf(disk, catalog))
    try {
      const url = `http://127.0.0.1:${server.port}`
      const rows = await question(url, token, 'b', 'SELECT f FROM m')
      mustBe(
        rows.map(([, f]) => f),
        [1, 2, 3],
        where,
      )
    } finally {
      await server.close()
    }
  })
}

async function restoreCut(disk: SimulatedDisk, random: Random) {
  const keep = random.pick(keeps)
  let operations = 1 + random.below(operationsMax)
  let left: { disk: SimulatedDisk; where: string } | undefined
  const cut = (what: string) => {
    left ??= {
      disk: disk.crashClone({ random, keep }),
      where: `a restore, power cut ${what}, ${keep}`,
    }
  }
  disk.onOperation = (operation, path) => {
    if (--operations <= 0) cut(`before ${operation} ${path}`)
  }
  await restoreOn(disk)
  disk.onOperation = undefined
  cut('after all')
  assert(left !== undefined, 'the power went')
  return left
}
