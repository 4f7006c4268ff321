// A small data folder with something of everything in it (two buckets, two shards, segments, index
// logs, a log with three frames), what it holds, and the question whether an engine on a damaged copy
// answers rightly: the rows that were written, or an error that names the damage.

import { nsPerWeek } from '../../src/column/time.js'
import { CorruptionError } from '../../src/errors.js'
import type { Disk } from '../../src/platform/disk.js'
import type { Engine } from '../../src/store/embedded/engine.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'
import {
  everyName,
  folder,
  LineWriter,
  linesOf,
  metric,
  type OpenedEngine,
  open,
} from './contents.js'
import { buckets, cellsOf, firstTime } from './workload.js'

export const quiet = { memtableBytesMax: 1 << 20, compactionSegments: 100, flushRetryMs: 1 }

export const shardStarts = [firstTime, firstTime + nsPerWeek] as const
const [early, late] = shardStarts
const [a, b] = buckets

interface Frame {
  readonly bucket: string
  readonly lines: readonly string[]
}

/** In segments, by flush. */
const flushes: readonly (readonly Frame[])[] = [
  [
    { bucket: a, lines: [`m,s=1 f=1,g=1i ${early}`, `m,s=2 f=2,h="x" ${early + 1n}`] },
    { bucket: a, lines: [`m,s=1 f=3 ${late}`, `n,s=1 f=4,k=true ${late + 5n}`] },
    { bucket: b, lines: [`m,s=1 f=5 ${early}`, `m,s=3 f=6 ${late}`] },
  ],
  [{ bucket: a, lines: [`m,s=1 f=7 ${early}`, `m,s=4 f=8 ${early + 2n}`] }],
]

/** In the log, one frame each. The first names a series, the second overwrites, the third is elsewhere. */
export const frames: readonly Frame[] = [
  { bucket: a, lines: [`m,s=5 f=9 ${early + 3n}`] },
  { bucket: a, lines: [`m,s=1 f=10 ${early}`, `n,s=1 f=11 ${late + 5n}`] },
  { bucket: b, lines: [`m,s=1 f=12 ${early}`] },
]

export interface Folder {
  readonly disk: SimulatedDisk
  readonly walPath: string
  /** Where the log's frame about the chain ends. */
  readonly logStart: number
  /** Where each frame of the log ends. */
  readonly frameEnds: readonly number[]
}

export async function makeFolder(): Promise<Folder> {
  const disk = new SimulatedDisk()
  const { engine } = await open(disk, quiet)
  const writer = new LineWriter()
  for (const flush of flushes) {
    for (const { bucket, lines } of flush) await writer.write(engine, bucket, lines.join('\n'))
    await engine.flush()
  }
  const logStart = await metric(engine, 'store_wal_bytes')
  const frameEnds: number[] = []
  for (const { bucket, lines } of frames) {
    await writer.write(engine, bucket, lines.join('\n'))
    frameEnds.push(await metric(engine, 'store_wal_bytes'))
  }
  const left = disk.clone()
  await engine.close()
  const names = await everyName(left, folder)
  const wal = names.findLast((name) => name.endsWith('.wal'))
  return { disk: left, walPath: `${folder}/${wal}`, logStart, frameEnds }
}

export async function filesOf(disk: Disk): Promise<string[]> {
  const names = await everyName(disk, folder)
  return names.filter((name) => /\.|MANIFEST/.test(name)).map((name) => `${folder}/${name}`)
}

export async function sizeOf(disk: Disk, path: string): Promise<number> {
  const file = await disk.open(path, 'read')
  const size = file.size()
  await file.close()
  return size
}

export interface Place {
  readonly bucket: string
  readonly measurement: string
  readonly start: bigint
}

export const places: readonly Place[] = buckets.flatMap((bucket) =>
  ['m', 'n'].flatMap((measurement) => shardStarts.map((start) => ({ bucket, measurement, start }))),
)

/** The lines of a place with these frames of the log, as the store prints them. */
export function expectedLines(place: Place, kept: readonly Frame[]): string[] {
  const written = [...flushes.flat(), ...kept].filter(({ bucket }) => bucket === place.bucket)
  const cells = cellsOf(written.flatMap(({ lines }) => lines))
  const points = new Map<string, string[]>()
  for (const [cell, value] of cells) {
    const [series, field, time] = cell.split(' ')
    const moment = BigInt(time)
    if (!series.startsWith(`${place.measurement},`)) continue
    if (moment < place.start || moment >= place.start + nsPerWeek) continue
    const fields = points.get(`${series} ${time}`) ?? []
    points.set(`${series} ${time}`, [...fields, `${field}=${value}`])
  }
  return Array.from(points, ([point, fields]) => {
    const [series, time] = point.split(' ')
    return `${series} ${fields.sort().join(',')} ${time}`
  }).sort()
}

/** What a read of a place gives: its lines, or the damage that it met. */
export async function readPlace(
  engine: Engine,
  { bucket, measurement, start }: Place,
): Promise<string[] | CorruptionError> {
  try {
    const stop = start + nsPerWeek
    return (await linesOf(engine, bucket, { measurement, start, stop })).sort()
  } catch (error) {
    if (error instanceof CorruptionError) return error
    throw error
  }
}

/** Opens a damaged folder; the error where it refuses to open at all. */
export async function openDamaged(disk: SimulatedDisk): Promise<OpenedEngine | CorruptionError> {
  try {
    return await open(disk, quiet)
  } catch (error) {
    if (error instanceof CorruptionError) return error
    throw error
  }
}
