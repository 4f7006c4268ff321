// Backups of a running server: what is restored is what was acknowledged when the backup was taken, a later backup
// brings only what is new, one that is broken off is no backup, and damage is found before anything is restored.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { BackupFolder } from '../../src/backup/backup-folder.js'
import { FolderPlace } from '../../src/backup/folder-place.js'
import { receiveBackup } from '../../src/backup/receive.js'
import { restoreBackup } from '../../src/backup/restore.js'
import { verifyBackup } from '../../src/backup/verify.js'
import { NodeDisk } from '../../src/platform/node-disk.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import {
  type Installation,
  install,
  installation,
  send,
  start,
  temporaryFolder,
} from '../api/harness.js'

const disk = new NodeDisk()

async function stream(
  { url, token }: Installation,
  have: readonly string[],
  buckets?: readonly string[],
) {
  const answer = await fetch(`${url}/api/v2/backups`, {
    method: 'POST',
    headers: { authorization: `Token ${token}` },
    body: JSON.stringify({ have, buckets }),
  })
  if (answer.status !== 200 || answer.body === null) throw new Error(await answer.text())
  return answer.body
}

let attempts = 0

async function takeBackup(from: Installation, folder: BackupFolder, buckets?: readonly string[]) {
  const body = await stream(from, [...(await folder.marks())], buckets)
  return receiveBackup(folder, body, { id: String(++attempts) })
}

/** The installation that a backup holds, served. */
async function restored(folder: BackupFolder, name: string, like: Installation, bucket?: string) {
  const dataDir = temporaryFolder()
  await restoreBackup(folder, await folder.find(name, bucket), disk, dataDir)
  const server = await start({ dataDir })
  return installation(server, like.token, like.orgId, like.bucketId)
}

function lines(from: number, count: number): string {
  const rows = Array.from({ length: count }, (_, i) => {
    const time = BigInt(from + i) * 1_000_000_000n
    return `m,host=h${(from + i) % 50} v=${from + i}i,text="row ${from + i}" ${time}`
  })
  return rows.join('\n')
}

function flush(of: Installation): Promise<void> {
  return (of.server.store as Engine).flush()
}

test('each backup restores to its moment, and the second brings only what is new', async () => {
  const one = await install({ dataDir: temporaryFolder() })
  const folder = new BackupFolder(new FolderPlace(disk, temporaryFolder()))
  await one.write(lines(0, 5000))
  await flush(one)
  const first = await takeBackup(one, folder)
  const before = await one.lines()
  await one.write(lines(5000, 1000))
  await flush(one)
  await one.write(lines(6000, 10))
  const range = { start: '1970-01-01T00:00:00Z', stop: '1970-01-01T00:00:10Z' }
  const gone = await send(`${one.url}/api/v2/delete?org=o&bucket=b`, {
    method: 'POST',
    token: one.token,
    body: JSON.stringify(range),
  })
  expect(gone.status).toBe(204)
  const second = await takeBackup(one, folder)
  const after = await one.lines()
  expect(second.record.files.length - second.newFiles).toBeGreaterThan(0)
  const segments = (files: typeof first.record.files) => files.flatMap(({ mark }) => mark ?? [])
  const shared = segments(first.record.files)
  expect(segments(second.record.files)).toEqual(expect.arrayContaining(shared))
  expect((await folder.list()).map(({ name }) => name)).toEqual([first.name, second.name])

  expect(await (await restored(folder, first.name, one)).lines()).toEqual(before)
  const again = await restored(folder, second.name, one)
  expect(await again.lines()).toEqual(after)
  // Tokens came along, and the copy takes writes of its own.
  expect((await again.write('n v=1 1')).status).toBe(204)

  expect(await folder.prune(1, second.record)).toEqual([first.name])
  expect((await verifyBackup(folder, await folder.find(undefined))).problems).toEqual([])
  expect(await (await restored(folder, second.name, one)).lines()).toEqual(after)
})

test('the same points in two buckets are two files', async () => {
  const one = await install({ dataDir: temporaryFolder() })
  const folder = new BackupFolder(new FolderPlace(disk, temporaryFolder()))
  const other = await send(`${one.url}/api/v2/buckets`, {
    method: 'POST',
    token: one.token,
    body: JSON.stringify({
      orgID: one.orgId,
      name: 'other',
      retentionRules: [{ type: 'expire', everySeconds: 0 }],
    }),
  })
  expect(other.status).toBe(201)
  await one.write(lines(0, 100))
  await flush(one)
  const url = `${one.url}/api/v2/write?org=o&bucket=other`
  await send(url, { method: 'POST', token: one.token, body: lines(0, 100) })
  await flush(one)
  const before = await one.lines()
  const { name, record } = await takeBackup(one, folder)
  expect(record.files.flatMap(({ mark }) => mark ?? [])).toHaveLength(2)
  expect((await folder.marks()).size).toBe(2)
  const again = await restored(folder, name, one)
  expect(await again.lines()).toEqual(before)
  const { text } = await send(`${again.url}/debug/export?bucket=other`, { token: one.token })
  expect(text.split('\n').filter((line) => line !== '')).toHaveLength(100)

  // Of one of them alone: its segments, and what the logs hold of it.
  await one.write(lines(1000, 10))
  await send(url, { method: 'POST', token: one.token, body: lines(1000, 20) })
  const some = await takeBackup(one, folder, ['other'])
  expect(some.record).toMatchObject({ millraceBackup: 2, isPartial: true })
  expect(some.record.buckets).toMatchObject([{ name: 'other', org: 'o' }])
  expect(some.record.files.flatMap(({ mark }) => mark ?? [])).toHaveLength(1)
  expect((await verifyBackup(folder, await folder.named(some.name))).problems).toEqual([])
  const other2 = await restored(folder, some.name, one, 'other')
  const { text: points } = await send(`${other2.url}/debug/export?bucket=other`, {
    token: one.token,
  })
  expect(points.split('\n').filter((line) => line !== '')).toHaveLength(120)

  // It stands for no whole backup, and whole ones are no more than others where old ones are removed.
  expect((await folder.find(undefined)).name).toBe(name)
  expect((await folder.find(undefined, 'other')).name).toBe(some.name)
  expect((await folder.find(undefined, one.bucketId)).name).toBe(name)
  await expect(folder.find(some.name)).rejects.toThrow('has points of these buckets alone: other')
  await expect(folder.find(undefined, 'none')).rejects.toThrow('no backup of bucket "none"')
  const next = await takeBackup(one, folder, ['other'])
  expect(await folder.prune(1, next.record)).toEqual([some.name])
  expect((await folder.list()).map((backup) => backup.name)).toEqual([name, next.name])
  await expect(takeBackup(one, folder, ['none'])).rejects.toThrow('bucket \\"none\\" not found')
})

test('a backup under load has what was acknowledged before it and nothing begun after it', async () => {
  const one = await install({ dataDir: temporaryFolder() })
  const folder = new BackupFolder(new FolderPlace(disk, temporaryFolder()))
  let begun = 0
  let isOver = false
  const acknowledged = new Set<number>()
  const writers = Array.from({ length: 3 }, async () => {
    while (!isOver) {
      const number = begun++
      const { status } = await one.write(lines(number * 100, 100))
      if (status === 204) acknowledged.add(number)
    }
  })
  while (acknowledged.size < 20) await new Promise(setImmediate)
  const before = [...acknowledged]
  const { name } = await takeBackup(one, folder)
  const begunAt = begun
  isOver = true
  await Promise.all(writers)
  expect(before.length).toBeLessThan(acknowledged.size)
  const copy = await restored(folder, name, one)
  const rows = new Map<number, number>()
  for (const line of await copy.lines()) {
    const number = Math.floor(Number(/[ ,]v=(\d+)i/.exec(line)?.[1]) / 100)
    rows.set(number, (rows.get(number) ?? 0) + 1)
  }
  for (const number of before) expect(rows.get(number), `write ${number}`).toBe(100)
  for (const [number, count] of rows) {
    expect(count).toBe(100)
    expect(number).toBeLessThan(begunAt)
  }
})

async function* onlyFirst(bytes: Buffer, count: number) {
  for (let at = 0; at < count; at += 1000) yield bytes.subarray(at, Math.min(at + 1000, count))
}

test('one that is broken off is none; the next one goes on with what it brought', async () => {
  const one = await install({ dataDir: temporaryFolder() })
  const folder = new BackupFolder(new FolderPlace(disk, temporaryFolder()))
  for (let i = 0; i < 4; i++) {
    await one.write(lines(i * 100_000_000, 20_000))
    await flush(one)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of await stream(one, [])) chunks.push(chunk)
  const whole = Buffer.concat(chunks)
  // In the middle of the third of the large files.
  const place = Array.from(
    whole.toString('latin1').matchAll(/segments\//g),
    ({ index }) => index,
  )[2]
  const cut = onlyFirst(whole, place + 2000)
  await expect(receiveBackup(folder, cut, { id: 'cut' })).rejects.toThrow('ends too early')
  expect(await folder.list()).toEqual([])
  expect(await folder.incomplete()).toEqual(['incomplete-cut'])
  const brought = (await folder.marks()).size
  expect(brought).toBe(2)
  const next = await takeBackup(one, folder)
  const inAll = next.record.files.filter(({ mark }) => mark !== undefined).length
  const came = next.record.files.length - next.newFiles
  expect(came).toBe(brought)
  expect(inAll).toBeGreaterThan(brought)
  expect(await folder.incomplete()).toEqual([])
  expect((await verifyBackup(folder, await folder.find(next.name))).problems).toEqual([])
  expect(await (await restored(folder, next.name, one)).lines()).toEqual(await one.lines())
})

test('a changed or missing file is found, and not restored', async () => {
  const one = await install({ dataDir: temporaryFolder() })
  const folder = new BackupFolder(new FolderPlace(disk, temporaryFolder()))
  await one.write(lines(0, 3000))
  await flush(one)
  const { name } = await takeBackup(one, folder)
  const [segment] = readdirSync(`${folder.place.title}/segments`)
  const path = `${folder.place.title}/segments/${segment}`
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1] ^= 1
  writeFileSync(path, bytes)
  const backup = await folder.find(name)
  expect((await verifyBackup(folder, backup)).problems).toEqual([`${path} is not what was written`])
  const target = temporaryFolder()
  await expect(restoreBackup(folder, backup, disk, target)).rejects.toThrow('is damaged')
  // What was begun does not stand in the way of the next attempt.
  expect(readdirSync(target)).toEqual(['restore-work'])
  writeFileSync(`${target}/mine`, '')
  await expect(restoreBackup(folder, backup, disk, target)).rejects.toThrow('is not empty')
})

test('only the operator may, and what is not a list is refused', async () => {
  const one = await install()
  const token = await one.addToken([{ action: 'read', resource: { type: 'buckets' } }])
  const url = `${one.url}/api/v2/backups`
  expect((await send(url, { method: 'POST', token, body: '{}' })).status).toBe(401)
  const bad = await send(url, { method: 'POST', token: one.token, body: '{"have":7}' })
  expect(bad.status).toBe(400)
})
