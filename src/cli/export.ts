// `export`: opens a data folder that nobody serves and prints a bucket as line protocol on standard
// output.

import { existsSync } from 'node:fs'
import type { Bucket } from '../catalog/storage/buckets.js'
import { defaultConfig, environmentName, parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { parseRange } from '../http/export.js'
import { exportLines } from '../service/export.js'
import { exportFlags, judgeArguments } from './arguments.js'

export async function exportCommand(args: readonly string[]): Promise<number> {
  const wanted = judgeArguments(() => readArguments(args))
  const { openStore } = await import('../index.js')
  const opened = await openStore({ dataDir: wanted.dataDir })
  const abort = new AbortController()
  // A reader that has seen enough (`| head`) closes the pipe; that is no failure.
  process.stdout.on('error', () => abort.abort())
  try {
    const bucket = chooseBucket(await opened.catalog.buckets.all(), wanted.bucket)
    const { range, measurement } = wanted
    const exported = { bucket: bucket.id, range, measurement }
    for await (const text of exportLines(opened.store, exported, abort.signal)) {
      if (abort.signal.aborted) break
      if (!process.stdout.write(text)) await drained(abort.signal)
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error
  } finally {
    await opened.close()
  }
  return 0
}

function readArguments(args: readonly string[]) {
  const flags = parseFlags(args, exportFlags)
  const variable = process.env[environmentName('data-dir')]
  const dataDir = flags.get('data-dir') ?? (variable || defaultConfig.dataDir)
  const bucket = flags.get('bucket')
  if (bucket === undefined) throw new UserError('invalid', 'flag --bucket is required')
  // Opening would make the folder, and an export of nothing hides a misspelt name.
  if (!existsSync(dataDir)) {
    throw new UserError('invalid', `flag --data-dir: there is no folder "${dataDir}"`)
  }
  const range = parseRange(flags.get('start'), flags.get('stop'))
  return { dataDir, bucket, range, measurement: flags.get('measurement') }
}

function chooseBucket(buckets: readonly Bucket[], nameOrId: string): Bucket {
  const byId = buckets.find((bucket) => bucket.id === nameOrId)
  if (byId !== undefined) return byId
  const byName = buckets.filter((bucket) => bucket.name === nameOrId)
  if (byName.length === 1) return byName[0]
  if (byName.length === 0) throw new UserError('not found', `bucket "${nameOrId}" not found`)
  const ids = byName.map((bucket) => bucket.id).join(', ')
  throw new UserError('invalid', `bucket "${nameOrId}" exists several times, name its id: ${ids}`)
}

function drained(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      process.stdout.off('drain', finish)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    process.stdout.on('drain', finish)
    signal.addEventListener('abort', finish)
  })
}
