// The files of an export: which there are, where they lie, and that each is whole. A file is written under another name
// and gets its own when it is complete, so that starting again goes on with those that are missing.

import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as zlib from 'node:zlib'
import type { TimeRange } from '../column/time.js'
import { UserError } from '../errors.js'
import { type ExportFormat, type ExportPart, isTabular } from '../migrate/export/export-formats.js'
import type { ExportBucket, ExportSource } from '../migrate/export/export-source.js'

export const compressions = ['none', 'gzip', 'zstd'] as const

export type Compression = (typeof compressions)[number]

export interface FilePart extends ExportPart {
  /** Below the folder of the export. */
  readonly name: string
}

export interface ExportSelection {
  readonly measurement: string | undefined
  readonly range: TimeRange
  readonly isByDay: boolean
  readonly format: ExportFormat
  readonly compression: Compression
}

const dayNs = 86_400_000_000_000n
/** A span of more is one nobody meant. */
const daysMax = 100_000n

const endings = { lp: 'lp', influx: 'lp', csv: 'csv', parquet: 'parquet' } as const
const packedEndings = { none: '', gzip: '.gz', zstd: '.zst' } as const

export async function* filesOf(
  source: ExportSource,
  bucket: ExportBucket,
  selection: ExportSelection,
): AsyncGenerator<FilePart> {
  const { measurement: only, format, compression } = selection
  const ending = `.${endings[format]}${packedEndings[compression]}`
  const measurements =
    only !== undefined
      ? [only]
      : isTabular(format)
        ? await source.measurements(bucket)
        : [undefined]
  const spans = await spansOf(source, bucket, selection)
  for (const measurement of measurements) {
    for (const { range, day } of spans) {
      const file = [measurement === undefined ? 'points' : safeName(measurement), ...day].join('.')
      yield { bucket, measurement, range, name: `${safeName(bucket.name)}/${file}${ending}` }
    }
  }
}

/** Days of UTC that may hold points. */
async function spansOf(
  source: ExportSource,
  bucket: ExportBucket,
  { range, isByDay }: ExportSelection,
): Promise<readonly { readonly range: TimeRange; readonly day: readonly string[] }[]> {
  if (!isByDay) return [{ range, day: [] }]
  const held = await source.range(bucket)
  if (held === undefined) return []
  const start = held.start > range.start ? held.start : range.start
  const stop = held.stop < range.stop ? held.stop : range.stop
  const first = start / dayNs - (start % dayNs < 0n ? 1n : 0n)
  if (stop / dayNs - first > daysMax) {
    throw new UserError('invalid', `bucket "${bucket.name}" spans more than ${daysMax} days`)
  }
  const spans = []
  for (let day = first; day * dayNs < stop; day++) {
    const [from, to] = [day * dayNs, (day + 1n) * dayNs]
    const name = new Date(Number(from / 1_000_000n)).toISOString().slice(0, 10)
    const inside = { start: from > start ? from : start, stop: to < stop ? to : stop }
    spans.push({ range: inside, day: [name] })
  }
  return spans
}

/** Names of buckets and measurements may hold anything; files may not. */
function safeName(name: string): string {
  const safe = encodeURIComponent(name).replace(/[*'()!~]|^\./g, percent)
  return safe.length <= 200 ? safe : `${safe.slice(0, 150)}-${zlib.crc32?.(name) ?? safe.length}`
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

export function isThere(folder: string, { name }: FilePart): boolean {
  return existsSync(`${folder}/${name}`)
}

/** False where there was nothing to write. */
export async function writeFile(
  folder: string,
  { name }: FilePart,
  bytes: AsyncIterable<Uint8Array>,
  compression: Compression,
): Promise<boolean> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done) return false
  const path = `${folder}/${name}`
  mkdirSync(dirname(path), { recursive: true })
  const unfinished = `${path}.part`
  try {
    await pipeline([
      Readable.from(continued(first.value, iterator)),
      ...packers(compression),
      createWriteStream(unfinished, { flush: true } as object),
    ])
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw error
  }
  renameSync(unfinished, path)
  return true
}

async function* continued(
  first: Uint8Array,
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value
}

/** Throws UserError where this Node cannot. */
export function packers(compression: Compression): Transform[] {
  if (compression === 'none') return []
  if (compression === 'gzip') return [zlib.createGzip({ level: 6 })]
  const { createZstdCompress } = zlib as { createZstdCompress?: () => Transform }
  if (createZstdCompress !== undefined) return [createZstdCompress()]
  throw new UserError('invalid', `zstd needs Node 22.15 or later; this is ${process.version}`)
}
