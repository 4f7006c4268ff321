// `restore`: puts a backup into a new data folder, ready to be served; or, with `--bucket`, the points of one bucket of
// it into a running server, under its name or another.

import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { BackupFolder, StoredBackup } from '../backup/backup-folder.js'
import { receiveBackup } from '../backup/receive.js'
import { restoreBackup } from '../backup/restore.js'
import { namedBucket } from '../catalog/storage/named-bucket.js'
import { allTime } from '../column/time.js'
import { type Flags, parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { NodeDisk } from '../platform/node-disk.js'
import { exportLines } from '../service/export.js'
import { judgeArguments, restoreFlags, splitOperands } from './arguments.js'
import { isS3, openBackups } from './backup-places.js'
import { ByteLine } from './progress-line.js'
import { RemoteServer } from './remote-server.js'
import { backupBefore, readUntil, restoreUntil } from './restore-until.js'
import { RestoredBucket } from './restored-bucket.js'
import { printJson } from './rows.js'

export async function restoreCommand(args: readonly string[]): Promise<number> {
  const { place, flags, request } = judgeArguments(() => readArguments(args))
  const work = mkdtempSync(`${flags.get('work-dir') ?? tmpdir()}/millrace-restore-`)
  try {
    const from = place === '-' ? `${work}/backup` : place
    const folder = judgeArguments(() => openBackups(from, flags))
    if (place === '-') {
      const line = new ByteLine('standard input')
      const options = { id: 'stdin', onBytes: line.add }
      await receiveBackup(folder, process.stdin, options).finally(() => line.end())
    }
    if (place !== '-' && !isS3(place) && !existsSync(place))
      throw new UserError('invalid', `there is no folder "${place}"`)
    if (request !== undefined) {
      const backup = await backupBefore(folder, flags.get('backup'), request)
      return await restoreUntil(folder, backup, flags.get('data-dir') ?? '', request)
    }
    const bucket = flags.get('bucket')
    const backup = await folder.find(flags.get('backup'), bucket)
    if (bucket !== undefined) return await restoreBucket(folder, backup, bucket, flags, work)
    return await restoreAll(folder, backup, flags.get('data-dir') ?? '', flags.has('json'))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function readArguments(args: readonly string[]) {
  const { operands, others } = splitOperands(args, restoreFlags)
  const [place, surplus] = operands
  if (place === undefined) throw new UserError('invalid', 'DIR is missing: where the backups are')
  if (surplus !== undefined) throw new UserError('invalid', `unexpected argument "${surplus}"`)
  const flags = parseFlags(others, restoreFlags)
  const isBucket = flags.get('bucket') !== undefined
  if (!isBucket && flags.get('data-dir') === undefined) {
    throw new UserError('invalid', 'flag --data-dir is required: the new folder; or --bucket')
  }
  if (isBucket && flags.get('data-dir') !== undefined) {
    throw new UserError('invalid', 'flag --bucket: goes into a running server, not into a folder')
  }
  return { place, flags, request: readUntil(flags) }
}

/** Opens the folder at the end: what a server could not open is no restored backup. */
async function restoreAll(
  folder: BackupFolder,
  backup: StoredBackup,
  target: string,
  isJson: boolean,
): Promise<number> {
  await unpack(folder, backup, target)
  const { record } = backup
  if (record.hasCatalog) {
    const { openStore } = await import('../index.js')
    const opened = await openStore({ dataDir: target })
    await opened.close()
  } else process.stderr.write('The catalog was in PostgreSQL: restore it with its own tools.\n')
  if (isJson) {
    const buckets = record.buckets.map(({ name }) => name)
    return printJson({ dataDir: target, backup: backup.name, at: record.at, buckets })
  }
  const what = `${record.buckets.length} buckets as of ${record.at}`
  process.stdout.write(`${target}: ${what}\nNext: millrace serve --data-dir ${target}\n`)
  return 0
}

async function unpack(folder: BackupFolder, backup: StoredBackup, target: string): Promise<void> {
  const total = backup.record.files.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const line = new ByteLine(backup.name, total)
  const options = { onBytes: line.add }
  await restoreBackup(folder, backup, new NodeDisk(), target, options).finally(() => line.end())
}

async function restoreBucket(
  folder: BackupFolder,
  backup: StoredBackup,
  name: string,
  flags: Flags,
  work: string,
): Promise<number> {
  const server = judgeArguments(() => new RemoteServer(flags))
  const dataDir = `${work}/data`
  await unpack(folder, backup, dataDir)
  const { openStore } = await import('../index.js')
  const opened = await openStore({ dataDir })
  try {
    const bucket = namedBucket(await opened.catalog.buckets.all(), name)
    const org = await opened.catalog.organizations.findById(bucket.orgId)
    const target = await RestoredBucket.make(server, {
      org: flags.get('org') ?? org?.name ?? '',
      name: flags.get('as') ?? bucket.name,
      retentionSeconds: bucket.retentionSeconds,
      isInto: flags.get('into') === 'true',
    })
    const exported = { bucket: bucket.id, range: allTime }
    const signal = new AbortController().signal
    const line = new ByteLine(`points of ${target.name}`)
    try {
      for await (const text of exportLines(opened.store, exported, signal)) {
        await target.add(text)
        line.add(text.length)
      }
      await target.finish()
    } finally {
      line.end()
    }
    if (flags.has('json')) printJson({ bucket: target.name, lines: target.lineCount })
    else {
      const count = target.lineCount.toLocaleString('en')
      process.stdout.write(`${target.name}: ${count} lines written\n`)
    }
    for (const refusal of target.refusals) process.stderr.write(`${refusal}\n`)
    return target.refusals.length === 0 ? 0 : 1
  } finally {
    await opened.close()
  }
}
