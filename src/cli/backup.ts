// `backup`: copies everything of a running server, or of a folder that nobody serves, into a folder of backups, or into
// a bucket of S3 (or, with `-`, as one archive to standard output); `backup list` and `backup verify` look at such a
// place. Exit code 3: what was looked at is not whole.

import { existsSync } from 'node:fs'
import type { BackupFolder } from '../backup/backup-folder.js'
import { receiveBackup } from '../backup/receive.js'
import { bytesToVerify, type Verification, verifyBackup } from '../backup/verify.js'
import { defaultConfig, type Flags, parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { programVersion } from '../http/base/version.js'
import { systemClock } from '../platform/clock.js'
import { systemRandom } from '../platform/random.js'
import { backupFlags, judgeArguments, splitOperands } from './arguments.js'
import { isS3, openBackups } from './backup-places.js'
import { ByteLine } from './progress-line.js'
import { RemoteServer } from './remote-server.js'
import { printJson, printRows } from './rows.js'

const notWhole = 3

export async function backupCommand(args: readonly string[]): Promise<number> {
  const { action, place, name, flags, keep } = judgeArguments(() => readArguments(args))
  const isJson = flags.get('json') === 'true'
  if (place === '-') return toStandardOutput(flags)
  const folder = judgeArguments(() => openBackups(place, flags))
  if (action === 'list') return list(folder, isJson)
  if (action === 'verify') return verify(folder, name, isJson)
  const have = [...(await folder.marks())]
  const id = Buffer.from(systemRandom.bytes(8)).toString('hex')
  const line = new ByteLine(folder.place.title)
  const receive = (stream: AsyncIterable<Uint8Array>) =>
    receiveBackup(folder, stream, { id, onBytes: line.add })
  const taken = await fromSource(flags, have, receive).finally(() => line.end())
  const removed = keep === undefined ? [] : await folder.prune(keep, taken.record)
  const { record, newFiles, newBytes } = taken
  const kept = record.files.length - newFiles
  if (isJson) printJson({ name: taken.name, at: record.at, newFiles, newBytes, kept, removed })
  else {
    const bytes = newBytes.toLocaleString('en')
    process.stdout.write(
      `${taken.name}: ${newFiles} files came (${bytes} bytes), ${kept} were there\n`,
    )
    for (const one of removed) process.stdout.write(`${one} removed\n`)
    if (!record.hasCatalog) {
      process.stderr.write(
        'The catalog is in PostgreSQL and not in this backup: use its own tools.\n',
      )
    }
  }
  for (const damage of record.damage)
    process.stderr.write(`damaged, not in the backup: ${damage}\n`)
  return record.damage.length === 0 ? 0 : notWhole
}

function readArguments(args: readonly string[]) {
  const { operands, others } = splitOperands(args, backupFlags)
  const isAction = operands[0] === 'list' || operands[0] === 'verify'
  const [action, place, name, surplus] = isAction ? operands : ['take', ...operands]
  if (place === undefined) throw new UserError('invalid', 'DIR is missing: where the backups are')
  const tooMany = action === 'verify' ? surplus : name
  if (tooMany !== undefined) throw new UserError('invalid', `unexpected argument "${tooMany}"`)
  if (isAction && !isS3(place) && !existsSync(place)) {
    throw new UserError('invalid', `there is no folder "${place}"`)
  }
  const flags = parseFlags(others, backupFlags)
  const keep = flags.get('keep')
  if (keep !== undefined && !/^[1-9]\d{0,5}$/.test(keep)) {
    throw new UserError('invalid', `flag --keep: "${keep}" is not a number of backups from 1 on`)
  }
  if (keep !== undefined && place === '-') {
    throw new UserError('invalid', 'flag --keep: there is no folder to keep backups in')
  }
  return { action, place, name, flags, keep: keep === undefined ? undefined : Number(keep) }
}

/** From the server that the flags name, or from the folder. */
async function fromSource<T>(
  flags: Flags,
  have: readonly string[],
  take: (stream: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const dataDir = flags.get('data-dir')
  const buckets = flags.get('bucket')?.split(',')
  if (dataDir === undefined) {
    const server = judgeArguments(() => new RemoteServer(flags))
    const body = { have, ...(buckets && { buckets }) }
    return take(await server.stream({ method: 'POST', path: '/api/v2/backups', body }))
  }
  if (!existsSync(dataDir)) {
    throw new UserError('invalid', `flag --data-dir: there is no folder "${dataDir}"`)
  }
  const { openStore } = await import('../index.js')
  const { Backups } = await import('../service/backup/backup-stream.js')
  const opened = await openStore({ dataDir })
  try {
    const config = { ...defaultConfig, dataDir, memory: false }
    const parts = { ...opened, clock: systemClock, random: systemRandom, config }
    const request = { have: new Set(have), buckets, programVersion }
    return await take(new Backups(parts).stream(request, new AbortController().signal))
  } finally {
    await opened.close()
  }
}

function toStandardOutput(flags: Flags): Promise<number> {
  const line = new ByteLine('standard output')
  const send = async (stream: AsyncIterable<Uint8Array>) => {
    for await (const chunk of stream) {
      line.add(chunk.length)
      if (!process.stdout.write(chunk))
        await new Promise((resume) => process.stdout.once('drain', resume))
    }
    return 0
  }
  return fromSource(flags, [], send).finally(() => line.end())
}

async function list(folder: BackupFolder, isJson: boolean): Promise<number> {
  const all = await folder.list()
  const incomplete = await folder.incomplete()
  const shown = all.map(({ name, record }) => ({
    name,
    at: record.at,
    files: record.files.length,
    bytes: record.files.reduce((sum, { byteLength }) => sum + byteLength, 0),
    buckets: record.buckets.length,
    ...(record.isPartial && { only: record.buckets.map((bucket) => bucket.name) }),
    damaged: record.damage.length,
  }))
  if (isJson) return printJson({ backups: shown, incomplete })
  const rows = shown.map(({ name, files, bytes, buckets, only, damaged }) => [
    name,
    String(files),
    bytes.toLocaleString('en'),
    only === undefined ? String(buckets) : `only ${only.join(', ')}`,
    damaged === 0 ? 'whole' : `${damaged} places damaged`,
  ])
  for (const name of incomplete) rows.push([name, '-', '-', '-', 'broken off'])
  return printRows(['backup', 'files', 'bytes', 'buckets', 'state'], rows)
}

async function verify(
  folder: BackupFolder,
  name: string | undefined,
  isJson: boolean,
): Promise<number> {
  const chosen = name === undefined ? await folder.list() : [await folder.named(name)]
  if (chosen.length === 0)
    throw new UserError('not found', `there is no backup in ${folder.place.title}`)
  const line = new ByteLine(folder.place.title, bytesToVerify(folder, chosen))
  const options = { checked: new Map<string, string>(), onBytes: line.add }
  const results: (Verification & { readonly name: string })[] = []
  try {
    for (const backup of chosen) {
      results.push({ name: backup.name, ...(await verifyBackup(folder, backup, options)) })
    }
  } finally {
    line.end()
  }
  const isWhole = results.every(({ problems }) => problems.length === 0)
  if (isJson) printJson(results)
  else for (const result of results) tell(result)
  return isWhole ? 0 : notWhole
}

function tell({ name, fileCount, problems }: Verification & { readonly name: string }): void {
  const verdict = problems.length === 0 ? 'whole' : `${problems.length} problems`
  process.stdout.write(`${name}: ${fileCount} files, ${verdict}\n`)
  for (const problem of problems) process.stdout.write(`  ${problem}\n`)
}
