// Restores to a moment: a backup and the logs that were archived since bring every state between back, with what was
// overwritten and deleted; logs that are missing, cut off or of another store are told, and nothing behind them counts.

import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { BackupFolder } from '../../src/backup/backup-folder.js'
import { FolderPlace } from '../../src/backup/folder-place.js'
import { receiveBackup } from '../../src/backup/receive.js'
import { restoreCommand } from '../../src/cli/restore.js'
import { ManualClock } from '../../src/platform/clock.js'
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
import { BusyWriter, exported, serve, setUp } from '../crash/server-process.js'

let attempts = 0

async function takeBackup(url: string, token: string, folder: string): Promise<string> {
  const answer = await fetch(`${url}/api/v2/backups`, {
    method: 'POST',
    headers: { authorization: `Token ${token}` },
    body: JSON.stringify({ have: [] }),
  })
  if (answer.status !== 200 || answer.body === null) throw new Error(await answer.text())
  const place = new BackupFolder(new FolderPlace(new NodeDisk(), folder))
  return (await receiveBackup(place, answer.body, { id: String(++attempts) })).name
}

/** As a shell would: the exit code and what was printed. */
async function restore(...args: string[]): Promise<[number, string]> {
  let text = ''
  const print = (chunk: string | Uint8Array) => {
    text += String(chunk)
    return true
  }
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation(print),
  )
  try {
    const code = await restoreCommand(args).catch((error: Error) => {
      text += error.message
      return 1
    })
    return [code, text]
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

async function linesIn(dataDir: string, like: Installation): Promise<string[]> {
  const server = await start({ dataDir })
  const lines = await installation(server, like.token, like.orgId, like.bucketId).lines()
  await server.close()
  return lines
}

const flush = (of: Installation) => (of.server.store as Engine).flush()

function deletion(of: Installation, start: number, stop: number, predicate?: string) {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  const body = JSON.stringify({ start: at(start), stop: at(stop), predicate })
  const query = 'org=o&bucket=b'
  return send(`${of.url}/api/v2/delete?${query}`, { method: 'POST', token: of.token, body })
}

interface State {
  readonly at: string
  readonly lines: string[]
}

test('every moment since the backup comes back, and gaps are told', {
  timeout: 120_000,
}, async () => {
  const [dataDir, archive, backups] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const clock = new ManualClock(1_790_000_000_000_000_000n)
  const one = await install({ dataDir, walArchive: archive, clock })
  const states: State[] = []
  const tick = () => clock.set(clock.now() + 1_000_000_000n)
  const done = async () => {
    const at = new Date(Number(clock.now() / 1_000_000n)).toISOString()
    states.push({ at, lines: await one.lines() })
    tick()
  }
  const rows = (from: number, count: number, value: string) =>
    Array.from({ length: count }, (_, i) => {
      const row = from + i
      return `m,host=h${row % 7} v=${value},n=${row}i,s="row ${row}" ${row}000000000`
    }).join('\n')
  await one.write(rows(0, 50, '1.5'))
  await flush(one)
  await one.write(rows(50, 50, '2.5'))
  await takeBackup(one.url, one.token, backups)
  await done()
  await one.write(rows(40, 30, '3.5'))
  await done()
  // A new measurement, a new tag, a field that only later rows have.
  await one.write('other,host=new,zone=a x=1i,flag=true 1000000000\nm,host=h1 later=9u 1000000000')
  await flush(one)
  await done()
  expect((await deletion(one, 10, 60)).status).toBe(204)
  await done()
  await one.write(rows(20, 10, '4.5'))
  expect((await deletion(one, 0, 100, '_measurement="m" AND host="h2"')).status).toBe(204)
  await done()
  await one.write(rows(200, 5, '5.5'))
  await flush(one)
  await done()
  await one.write('m,host=last v=6 1')
  await done()
  await one.server.close()

  const wal = `${dataDir}/store/wal`
  for (const [i, { at, lines }] of states.entries()) {
    const target = `${temporaryFolder()}/data`
    const [code, text] = await restore(
      backups,
      '--data-dir',
      target,
      '--wal-archive',
      `${archive},${wal}`,
      '--until',
      at,
    )
    expect([code, await linesIn(target, one)], `state ${i}: ${text}`).toEqual([0, lines])
  }
  // Without a moment, everything.
  const all = `${temporaryFolder()}/data`
  const from = `${archive},${wal}`
  expect((await restore(backups, '--data-dir', all, '--wal-archive', from))[0]).toBe(0)
  expect(await linesIn(all, one)).toEqual(states.at(-1)?.lines)

  const copyTo = (folder: string, except?: string) => {
    for (const place of [archive, wal]) {
      for (const name of readdirSync(place)) {
        if (name !== except) copyFileSync(`${place}/${name}`, `${folder}/${name}`)
      }
    }
    return folder
  }
  const names = readdirSync(copyTo(temporaryFolder())).sort()
  expect(names.length).toBeGreaterThan(3)
  const into = () => ['--data-dir', `${temporaryFolder()}/data`, '--wal-archive']
  const holed = copyTo(temporaryFolder(), names[2])
  const missing = await restore(backups, ...into(), holed)
  expect(missing).toEqual([3, expect.stringContaining('is missing')])
  const other = copyTo(temporaryFolder())
  const first = names.find((name) => readFileSync(`${archive}/${name}`).length > 0) ?? ''
  for (const name of names) {
    const bytes = readFileSync(`${other}/${name}`)
    bytes[40] ^= 1
    writeFileSync(`${other}/${name}`, bytes)
  }
  expect(first).not.toBe('')
  const foreign = await restore(backups, ...into(), other)
  expect(foreign).toEqual([1, expect.stringContaining('is not the log with which the backup ends')])
  const before = await restore(backups, ...into(), archive, '--until', '2001-01-01T00:00:00Z')
  expect(before).toEqual([1, expect.stringContaining('is from before that moment')])
  const wrong = await restore(backups, ...into(), archive, '--until', 'yesterday')
  expect(wrong).toEqual([1, expect.stringContaining('is no moment')])
})

test('a log that cannot be archived stays until it can', async () => {
  const [dataDir, place] = [temporaryFolder(), temporaryFolder()]
  const archive = `${place}/archive`
  writeFileSync(archive, 'no folder')
  const messages: string[] = []
  const log = (_: string, message: string) => void messages.push(message)
  const one = await install({ dataDir, walArchive: archive, log })
  await one.write('m f=1 1')
  await flush(one)
  expect(messages.join()).toContain('could not be archived and stays')
  const kept = readdirSync(`${dataDir}/store/wal`)
  expect(kept.length).toBeGreaterThan(1)
  rmSync(archive)
  await one.write('m f=2 2')
  await flush(one)
  expect(readdirSync(archive).length).toBe(kept.length)
  // Or at the next start.
  rmSync(archive, { recursive: true })
  writeFileSync(archive, 'no folder')
  await one.write('m f=3 3')
  await flush(one)
  const [left] = readdirSync(`${dataDir}/store/wal`)
  await one.server.close()
  rmSync(archive)
  const again = await start({ dataDir, walArchive: archive })
  expect(readdirSync(archive)).toContain(left)
  expect(readdirSync(`${dataDir}/store/wal`)).not.toContain(left)
  await again.close()
})

test('a server that was killed is brought back with all it had acknowledged', {
  timeout: 120_000,
}, async () => {
  const [dataDir, archive, backups] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
  const flags = ['--wal-archive', archive]
  const server = await serve(dataDir, flags)
  const token = await setUp(server.url)
  const writers = ['a', 'b'].map((name) => new BusyWriter(name, token))
  const load = Promise.all(writers.map((writer) => writer.writeUntilGone(server.url)))
  await takeBackup(server.url, token, backups)
  // Some logs must have come and gone since.
  while (readdirSync(archive).length < 3) await new Promise((resume) => setTimeout(resume, 50))
  expect(await server.end('SIGKILL')).toBeNull()
  await load
  const target = `${temporaryFolder()}/data`
  const logs = `${archive},${dataDir}/store/wal`
  const [code, text] = await restore(backups, '--data-dir', target, '--wal-archive', logs)
  expect([code, text]).toEqual([0, expect.stringContaining('points')])
  const copy = await serve(target)
  const lines = await exported(copy.url, token)
  expect(writers.flatMap((writer) => writer.check(lines))).toEqual([])
  expect(Math.min(...writers.map((writer) => writer.acknowledgedCount))).toBeGreaterThan(3)
  expect(await copy.end('SIGTERM')).toBe(0)
})
