// `export`: buckets of a data folder that nobody serves, or of a running server, as line protocol, CSV or Parquet: on
// standard output, or as files that a second start completes.

import { existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { namedBucket } from '../catalog/storage/named-bucket.js'
import { defaultConfig, environmentName, type Flags, parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { parseRange } from '../http/export.js'
import { V1Client } from '../migrate/connection/v1-client.js'
import { exportBytes, exportFormats } from '../migrate/export/export-formats.js'
import {
  type ExportBucket,
  type ExportSource,
  ServerExportSource,
  StoreExportSource,
} from '../migrate/export/export-source.js'
import { exportFlags, flagOrVariable, judgeArguments } from './arguments.js'
import {
  compressions,
  type ExportSelection,
  type FilePart,
  filesOf,
  isThere,
  packers,
  writeFile,
} from './export-files.js'
import { ProgressLine } from './progress-line.js'
import { printJson } from './rows.js'

interface ExportArguments extends ExportSelection {
  /** Names or ids; undefined: all of them. */
  readonly buckets: readonly string[] | undefined
  /** Undefined: standard output. */
  readonly folder: string | undefined
  readonly isJson: boolean
  open(signal: AbortSignal): Promise<{ source: ExportSource; close(): Promise<void> }>
}

export async function exportCommand(args: readonly string[]): Promise<number> {
  const wanted = judgeArguments(() => readArguments(args))
  const abort = new AbortController()
  const opened = await wanted.open(abort.signal)
  try {
    const buckets = chosenBuckets(await opened.source.buckets(), wanted.buckets)
    if (wanted.folder === undefined) await print(opened.source, buckets, wanted, abort)
    else await writeFiles(opened.source, buckets, wanted, wanted.folder)
  } finally {
    await opened.close()
  }
  return 0
}

async function print(
  source: ExportSource,
  buckets: readonly ExportBucket[],
  wanted: ExportArguments,
  abort: AbortController,
): Promise<void> {
  async function* bytes(): AsyncGenerator<Uint8Array> {
    for (const bucket of buckets) {
      for await (const part of filesOf(source, bucket, wanted)) {
        yield* exportBytes(source, part, wanted.format, () => {})
      }
    }
  }
  try {
    await pipeline([Readable.from(bytes()), ...packers(wanted.compression), process.stdout])
  } catch (error) {
    // A reader that has seen enough (`| head`) closes the pipe; that is no failure.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPIPE' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
    abort.abort()
  }
}

async function writeFiles(
  source: ExportSource,
  buckets: readonly ExportBucket[],
  { format, compression, isJson, ...selection }: ExportArguments,
  folder: string,
): Promise<void> {
  const line = new ProgressLine()
  const files: FilePart[] = []
  for (const bucket of buckets) {
    for await (const part of filesOf(source, bucket, { ...selection, format, compression })) {
      files.push(part)
    }
  }
  let [points, done, written, present] = [0, 0, 0, 0]
  for (const part of files) {
    const tell = () => line.update({ done, total: files.length, points, what: part.name })
    tell()
    if (isThere(folder, part)) present++
    else {
      const bytes = exportBytes(source, part, format, (count) => {
        points += count
        tell()
      })
      if (await writeFile(folder, part, bytes, compression)) written++
    }
    done++
  }
  line.end()
  if (isJson) {
    printJson({ points, filesWritten: written, filesPresent: present })
    return
  }
  const before = present === 0 ? '' : `, ${present} were there already`
  process.stdout.write(`${points} points in ${written} files${before}\n`)
}

function readArguments(args: readonly string[]): ExportArguments {
  const flags = parseFlags(args, exportFlags)
  const format = oneOf(flags, 'format', exportFormats)
  const folder = flags.get('out')
  const isByDay = flags.get('by-day') === 'true'
  const buckets = flags.get('bucket')?.split(',')
  if (folder === undefined && (format === 'parquet' || isByDay)) {
    const what = isByDay ? '--by-day' : '--format parquet'
    throw new UserError('invalid', `flag ${what} needs --out: a folder for the files`)
  }
  if (folder === undefined && flags.has('json')) {
    throw new UserError('invalid', 'flag --json needs --out: standard output has the points')
  }
  if (folder === undefined && buckets === undefined) {
    throw new UserError('invalid', 'flag --bucket is required, or --out for all of them')
  }
  const compression = oneOf(flags, 'compress', compressions)
  packers(compression)
  return {
    buckets,
    folder,
    format,
    compression,
    isByDay,
    isJson: flags.has('json'),
    measurement: flags.get('measurement'),
    range: parseRange(flags.get('start'), flags.get('stop')),
    open: isServer(flags) ? serverOf(flags) : folderOf(flags),
  }
}

function oneOf<T extends string>(flags: Flags, flag: string, possible: readonly T[]): T {
  const text = flags.get(flag) ?? possible[0]
  const found = possible.find((one) => one === text)
  if (found !== undefined) return found
  throw new UserError('invalid', `flag --${flag}: "${text}" is not one of ${possible.join(', ')}`)
}

/** The variable counts where no folder is named. */
function isServer(flags: Flags): boolean {
  if (!flags.has('data-dir')) return flagOrVariable(flags, 'host') !== undefined
  if (!flags.has('host')) return false
  throw new UserError('invalid', 'flags --data-dir and --host: only one of them can be exported')
}

function serverOf(flags: Flags): ExportArguments['open'] {
  const client = new V1Client(flagOrVariable(flags, 'host') ?? '', {
    token: flagOrVariable(flags, 'token'),
  })
  const source = new ServerExportSource(client, flags.get('org'))
  return async () => ({ source, close: async () => {} })
}

function folderOf(flags: Flags): ExportArguments['open'] {
  const variable = process.env[environmentName('data-dir')]
  const dataDir = flags.get('data-dir') ?? (variable || defaultConfig.dataDir)
  // Opening would make the folder, and an export of nothing hides a misspelt name.
  if (!existsSync(dataDir)) {
    throw new UserError('invalid', `flag --data-dir: there is no folder "${dataDir}"`)
  }
  return async (signal) => {
    const { openStore } = await import('../index.js')
    const opened = await openStore({ dataDir })
    const source = new StoreExportSource(opened.store, opened.catalog, signal)
    return { source, close: () => opened.close() }
  }
}

function chosenBuckets(
  all: readonly ExportBucket[],
  wanted: readonly string[] | undefined,
): readonly ExportBucket[] {
  // What a server keeps for itself says nothing elsewhere.
  if (wanted === undefined) return all.filter(({ name }) => !name.startsWith('_'))
  return wanted.map((nameOrId) => namedBucket(all, nameOrId))
}
