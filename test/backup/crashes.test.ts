// Power cuts while a backup is received and while one is restored, on a disk that loses and reorders what was not
// synced: at every operation. What is called a backup is whole, what was answered as done stays, and whatever was cut
// short can be started again.

import { expect, test } from 'vitest'
import { BackupFolder } from '../../src/backup/backup-folder.js'
import { FolderPlace } from '../../src/backup/folder-place.js'
import { receiveBackup } from '../../src/backup/receive.js'
import { restoreBackup } from '../../src/backup/restore.js'
import { verifyBackup } from '../../src/backup/verify.js'
import { type Disk, readFile } from '../../src/platform/disk.js'
import { seededRandom } from '../../src/platform/random.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import { install, temporaryFolder } from '../api/harness.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import type { Keep } from '../platform/simulated-file.js'

/** As a server sends it. */
async function archived(): Promise<Uint8Array> {
  const one = await install({ dataDir: temporaryFolder() })
  await one.write('m,t=a f=1 1\nm,t=b f=2 2')
  await (one.server.store as Engine).flush()
  await one.write('m,t=c f=3 3')
  const answer = await fetch(`${one.url}/api/v2/backups`, {
    method: 'POST',
    headers: { authorization: `Token ${one.token}` },
    body: JSON.stringify({ have: [] }),
  })
  return new Uint8Array(await answer.arrayBuffer())
}

async function* sent(archive: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < archive.length; at += 100_000) yield archive.subarray(at, at + 100_000)
}

const receive = (disk: Disk, archive: Uint8Array, id: string) =>
  receiveBackup(new BackupFolder(new FolderPlace(disk, 'backups')), sent(archive), { id })

interface Cut {
  readonly disk: SimulatedDisk
  readonly where: string
}

const keeps: readonly Keep[] = ['synced', 'random', 'random', 'all']

/** What power cuts before each operation of `run` may leave, and one right after it, which is the last. */
async function cutsOf(disk: SimulatedDisk, run: () => Promise<unknown>): Promise<Cut[]> {
  const random = seededRandom(disk.operationCount)
  const cuts: Cut[] = []
  const cut = (what: string) => {
    for (const keep of keeps.slice(0, what.startsWith('the end') ? 3 : 2)) {
      cuts.push({ disk: disk.crashClone({ random, keep }), where: `${what}, ${keep}` })
    }
  }
  disk.onOperation = (operation, path) => {
    // Bytes are safe with their sync: between two writes of a file there is little to find.
    if (operation === 'write' && random.below(4) > 0) return
    if (!/read|list|exists/.test(operation)) cut(`before ${operation} ${path}`)
  }
  await run()
  disk.onOperation = undefined
  cut('the end')
  return cuts
}

async function problemsOf(folder: BackupFolder): Promise<string[]> {
  const problems: string[] = []
  for (const backup of await folder.list()) {
    problems.push(...(await verifyBackup(folder, backup)).problems)
  }
  return problems
}

test('what is called a backup is whole, whenever the power went', { timeout: 60_000 }, async () => {
  const archive = await archived()
  const disk = new SimulatedDisk({ trackCrashes: true })
  const cuts = await cutsOf(disk, () => receive(disk, archive, 'first'))
  expect(cuts.length).toBeGreaterThan(40)
  for (const { disk: left, where } of cuts) {
    const folder = new BackupFolder(new FolderPlace(left, 'backups'))
    const isOver = where.startsWith('the end')
    const count = (await folder.list()).length
    if (isOver) expect(count, where).toBe(1)
    expect(await problemsOf(folder), where).toEqual([])
    if (count > 0) continue
    await receive(left, archive, 'again')
    expect(await problemsOf(folder), where).toEqual([])
    expect(await folder.incomplete(), where).toEqual([])
  }
})

test('a restore is whole or can be started again, whenever the power went', {
  timeout: 60_000,
}, async () => {
  const archive = await archived()
  const disk = new SimulatedDisk({ trackCrashes: true })
  await receive(disk, archive, 'first')
  const restore = async (on: Disk) => {
    const folder = new BackupFolder(new FolderPlace(on, 'backups'))
    await restoreBackup(folder, await folder.find(undefined), on, 'data')
  }
  const cuts = await cutsOf(disk, () => restore(disk))
  const whole = await filesIn(disk)
  expect(whole.size).toBeGreaterThan(4)
  expect(cuts.length).toBeGreaterThan(40)
  for (const { disk: left, where } of cuts) {
    // With a catalog a server would start on it: then it must be all there.
    const hasCatalog = await left.exists('data/catalog.sqlite')
    if (where.startsWith('the end')) expect(hasCatalog, where).toBe(true)
    if (!hasCatalog) await restore(left)
    const found = await filesIn(left)
    for (const path of found.keys()) if (path.includes('restore-work')) found.delete(path)
    expect(found, where).toEqual(whole)
    // Nobody's installation is written over.
    await expect(restore(left), where).rejects.toThrow('is not empty')
  }
})

/** Of the restored folder, with their contents. */
async function filesIn(disk: Disk, folder = 'data'): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const name of await disk.list(folder)) {
    const path = `${folder}/${name}`
    const below = await disk.list(path).catch(() => undefined)
    if (below === undefined) {
      files.set(path, Buffer.from(await readFile(disk, path)).toString('latin1'))
    } else for (const [inner, text] of await filesIn(disk, path)) files.set(inner, text)
  }
  return files
}
