// Files that are no longer what was written: every single byte flipped, files cut off, zeroed and
// missing. Each time the answer must be right or an error that names file and offset; what the
// damage does not touch stays readable; and nothing that is damaged is thrown away.

import { beforeAll, describe, expect, it } from 'vitest'
import { CorruptionError } from '../../src/errors.js'
import { readFile } from '../../src/platform/disk.js'
import { loadManifest } from '../../src/store/embedded/files/manifest.js'
import { collectPages } from '../../src/store/schema-pages.js'
import type { SimulatedDisk } from '../platform/simulated-disk.js'
import { abandon, everyName, folder, LineWriter, type LogEntry, linesOf, open } from './contents.js'
import {
  expectedLines,
  type Folder,
  filesOf,
  frames,
  makeFolder,
  openDamaged,
  type Place,
  places,
  quiet,
  readPlace,
  shardStarts,
  sizeOf,
} from './damage.js'
import { buckets } from './workload.js'

let whole: Folder
beforeAll(async () => {
  whole = await makeFolder()
})

const [bucketA, bucketB] = buckets

const filesNamed = async (pattern: RegExp) => {
  const paths = (await filesOf(whole.disk)).filter((path) => pattern.test(path))
  // Of the manifests only the newest counts.
  return pattern.source === 'MANIFEST' ? paths.slice(-1) : paths
}

/** Which frames of the log may be missing: [those that must be there, those that may be]. */
interface LogVerdict {
  readonly kept: (frame: number) => 'yes' | 'no' | 'maybe'
}

const everything: LogVerdict = { kept: () => 'yes' }

function allowedLines(place: Place, { kept }: LogVerdict): string[][] {
  let subsets: (typeof frames)[] = [[]]
  frames.forEach((frame, i) => {
    const verdict = kept(i)
    const withIt = subsets.map((subset) => [...subset, frame])
    subsets = verdict === 'yes' ? withIt : verdict === 'no' ? subsets : [...subsets, ...withIt]
  })
  return subsets.map((subset) => expectedLines(place, subset))
}

/** Whether a place may be unreadable because this file is damaged. */
function isTouched(place: Place, path: string): boolean {
  if (!path.startsWith(`${folder}/${place.bucket}/`)) return false
  return path.endsWith('index.log') || path.includes(`/${place.start}/`)
}

async function expectRight(disk: SimulatedDisk, path: string, log: LogVerdict) {
  const opened = await openDamaged(disk)
  if (opened instanceof CorruptionError) {
    expect(opened.file).toBe(path)
    expect(path).toContain('MANIFEST')
    return { reports: [], errors: [opened] }
  }
  const errors: CorruptionError[] = []
  for (const place of places) {
    const found = await readPlace(opened.engine, place)
    if (found instanceof CorruptionError) {
      expect(found.file).toBe(path)
      expect(found.offset).toBeTypeOf('number')
      expect(isTouched(place, path)).toBe(true)
      errors.push(found)
    } else expect(allowedLines(place, log)).toContainEqual(found)
  }
  const reports = opened.log.filter(({ fields }) => fields.file === path)
  await abandon(opened, disk)
  return { reports, errors }
}

/** What a flipped byte of the log may cost: its frame, told as damage, or as torn if it is the last. */
function logVerdict(offset: number): LogVerdict {
  const damaged = whole.frameEnds.findIndex((end) => offset < end)
  const namesSeries = damaged === 0
  return {
    kept: (frame) => {
      if (offset < 16 || frame < damaged) return 'yes'
      // Padding belongs to no checksum: a frame may survive its own damage.
      if (frame === damaged) return 'maybe'
      // Later records of the bucket count on series that the damaged one named.
      return namesSeries && frames[frame].bucket === frames[damaged].bucket ? 'maybe' : 'yes'
    },
  }
}

function hasLost(reports: readonly LogEntry[], offset: number): void {
  const damaged = whole.frameEnds.findIndex((end) => offset < end)
  const isLast = damaged === frames.length - 1
  for (const { level, fields } of reports) {
    if (level === 'warn')
      expect(isLast && fields.offset === whole.frameEnds[damaged - 1]).toBe(true)
  }
}

describe('any single byte flipped', () => {
  it.each(['manifest', 'index log', 'segment', 'log'])('of a %s', async (kind) => {
    const pattern = { manifest: /MANIFEST/, 'index log': /index\.log$/, segment: /\.seg$/ }[kind]
    const paths = await filesNamed(pattern ?? /\.wal$/)
    expect(paths.length).toBeGreaterThan(0)
    const unnoticed: string[] = []
    for (const path of paths) {
      const size = await sizeOf(whole.disk, path)
      const padding = kind === 'index log' ? await paddingOf(path) : []
      for (let offset = 0; offset < size; offset++) {
        const disk = whole.disk.clone()
        disk.corrupt(path, offset, 1 << (offset % 8))
        const log = path === whole.walPath ? logVerdict(offset) : everything
        const { reports, errors } = await expectRight(disk, path, log)
        if (path === whole.walPath) hasLost(reports, offset)
        // Rows that are missing without a word would have failed above only if the log is whole.
        const isLost = path === whole.walPath && offset >= 16 && !isPadding(offset)
        if (isLost || kind === 'manifest') expect(reports.length + errors.length).toBeGreaterThan(0)
        if (padding.includes(offset)) continue
        if (reports.length + errors.length === 0) unnoticed.push(`${size} ${offset}`)
      }
    }
    expect(unnoticed.filter((place) => !isReserved(kind, place))).toEqual([])
  })
})

/** Bytes that mean nothing and are not checked: the word behind a version, the padding of a frame. */
function isReserved(kind: string, place: string): boolean {
  const [size, offset] = place.split(' ').map(Number)
  if (offset >= 12 && offset < 16) return true
  if (kind === 'segment') return offset >= size - 12 && offset < size - 8
  return kind !== 'index log' && isPadding(offset)
}

/** Offsets of the bytes between the end of a frame's payload and the next frame. */
async function paddingOf(path: string): Promise<number[]> {
  const bytes = Buffer.from(await readFile(whole.disk, path))
  const padding: number[] = []
  for (let at = 16; at < bytes.length; ) {
    const end = at + 16 + bytes.readUInt32LE(at)
    at = (end + 3) & ~3
    for (let offset = end; offset < at; offset++) padding.push(offset)
  }
  return padding
}

/** The last bytes of a frame may be padding up to a multiple of four. */
function isPadding(offset: number): boolean {
  return whole.frameEnds.some((end) => offset >= end - 3 && offset < end)
}

async function cut(disk: SimulatedDisk, path: string, size: number): Promise<void> {
  const file = await disk.open(path, 'write')
  await file.truncate(size)
  await file.close()
}

async function zero(disk: SimulatedDisk, path: string, start: number, end: number): Promise<void> {
  const file = await disk.open(path, 'write')
  await file.write([new Uint8Array(end - start)], start)
  await file.close()
}

it.each(['MANIFEST', 'index\\.log$', '\\.seg$'])('a cut off %s is told', async (pattern) => {
  for (const path of await filesNamed(new RegExp(pattern))) {
    const size = await sizeOf(whole.disk, path)
    for (const left of [0, 1, 15, 16, 20, size >> 1, size - 1].filter((n) => n < size)) {
      const disk = whole.disk.clone()
      await cut(disk, path, left)
      const { reports, errors } = await expectRight(disk, path, everything)
      expect(reports.length + errors.length).toBeGreaterThan(0)
    }
  }
})

it('a log that is cut off keeps the frames before the cut, and says so', async () => {
  const { walPath, frameEnds } = whole
  for (let left = 0; left < frameEnds.at(-1)!; left++) {
    const disk = whole.disk.clone()
    await cut(disk, walPath, left)
    const kept = (frame: number) => (frameEnds[frame] <= left ? 'yes' : 'maybe')
    const { reports } = await expectRight(disk, walPath, { kept })
    // A cut between two frames cannot be seen: it looks like a log that ends there. An empty one can: the manifest
    // names it, and it was begun before.
    const isBetween = left === whole.logStart || frameEnds.includes(left)
    if (!isBetween && !isPadding(left)) expect(reports.length).toBeGreaterThan(0)
  }
})

it('a log whose first sector is zero is damaged, not empty', async () => {
  const disk = whole.disk.clone()
  await zero(disk, whole.walPath, 0, whole.frameEnds[0])
  const kept = (frame: number) => (frame === 0 ? 'no' : frame === 1 ? 'maybe' : 'yes')
  const { reports } = await expectRight(disk, whole.walPath, { kept })
  expect(reports.some(({ level }) => level === 'error')).toBe(true)
})

it('zeroed stretches of a segment are told', async () => {
  for (const path of await filesNamed(/\.seg$/)) {
    const size = await sizeOf(whole.disk, path)
    for (const [start, end] of [
      [0, 16],
      [16, size - 32],
      [size - 32, size],
      [0, size],
    ]) {
      const disk = whole.disk.clone()
      await zero(disk, path, start, end)
      const { reports, errors } = await expectRight(disk, path, everything)
      expect(reports.length + errors.length).toBeGreaterThan(0)
    }
  }
})

it.each(['MANIFEST', 'index\\.log$', '\\.seg$'])('a missing %s is told', async (pattern) => {
  for (const path of await filesNamed(new RegExp(pattern))) {
    const disk = whole.disk.clone()
    await disk.remove(path)
    const { reports, errors } = await expectRight(disk, path, everything)
    expect(reports.length + errors.length).toBeGreaterThan(0)
  }
})

it('keeps naming a segment that it cannot open, over flushes, merges and restarts', async () => {
  const [path] = await filesNamed(new RegExp(`${bucketA}/${shardStarts[0]}/.*seg$`))
  const disk = whole.disk.clone()
  disk.corrupt(path, 0)
  const number = Number(/(\d+)\.seg$/.exec(path)?.[1])
  const writer = new LineWriter()
  for (let start = 0; start < 3; start++) {
    const { engine, errors } = await open(disk, { ...quiet, compactionSegments: 2 })
    expect(errors().map(({ fields }) => fields.file)).toContain(path)
    for (let flush = 0; flush < 3; flush++) {
      await writer.write(engine, bucketA, `m,s=1 f=${flush} ${shardStarts[0] + 9n}`)
      await writer.write(engine, bucketB, `m,s=1 f=${flush} ${shardStarts[0] + 9n}`)
      await engine.flush()
    }
    await engine.compact()
    const found = await readPlace(engine, places[0])
    expect(found).toBeInstanceOf(CorruptionError)
    expect(await linesOf(engine, bucketB)).toContain(`m,s=1 f=2 ${shardStarts[0] + 9n}`)
    await engine.close()
    const manifest = await loadManifest(disk, folder)
    const numbers = manifest?.buckets.flatMap(({ shards }) =>
      shards.flatMap(({ segments }) => segments.map((segment) => segment.number)),
    )
    expect(numbers).toContain(number)
    expect(await disk.exists(path)).toBe(true)
  }
})

it('merges around a segment with a damaged block, and tells every read that meets it', async () => {
  const [path] = await filesNamed(new RegExp(`${bucketA}/${shardStarts[0]}/.*seg$`))
  const disk = whole.disk.clone()
  disk.corrupt(path, 17)
  const { engine } = await open(disk, { ...quiet, compactionSegments: 2 })
  await engine.compact()
  await engine.compact()
  expect(await disk.exists(path)).toBe(true)
  expect(await readPlace(engine, places[0])).toBeInstanceOf(CorruptionError)
  expect(await readPlace(engine, places[1])).toEqual(expectedLines(places[1], frames))
  await engine.close()
})

it.each(['before it is flushed', 'after a crash'])('sets a damaged log aside, %s', async (when) => {
  let disk = whole.disk.clone()
  disk.corrupt(whole.walPath, whole.frameEnds[0] + 20)
  const opened = await open(disk, quiet)
  if (when === 'after a crash') {
    // The manifest no longer counts the log, and then the power goes, before anything is renamed.
    disk.inject({ operation: 'rename', path: /set-aside/, error: 'EIO' })
    await opened.engine.flush()
    disk = disk.clone()
    await (await open(disk, quiet)).engine.close()
  } else await opened.engine.close()
  const names = await everyName(disk, folder)
  expect(names.filter((name) => /^set-aside\/.*\.wal$/.test(name))).toHaveLength(1)
  const { engine, errors } = await open(disk, quiet)
  expect(errors()).toEqual([])
  expect(await readPlace(engine, places[0])).toEqual(expectedLines(places[0], [frames[0]]))
  await engine.close()
})

it('refuses everything asked of a bucket whose index is damaged, except to drop it', async () => {
  const [path] = await filesNamed(new RegExp(`${bucketA}/index\\.log$`))
  const disk = whole.disk.clone()
  disk.corrupt(path, 40)
  const { engine } = await open(disk, quiet)
  const writer = new LineWriter()
  await engine.setBucket(bucketA, { retentionNs: 0n })
  const range = { start: 0n, stop: 1n }
  const refused = [
    writer.write(engine, bucketA, 'm f=1 1'),
    collectPages(engine.names({ kind: 'measurements', bucket: bucketA })),
    engine.delete({ bucket: bucketA, range }),
  ]
  for (const answer of refused) await expect(answer).rejects.toMatchObject({ file: path })
  await writer.write(engine, bucketB, 'm f=1 1')
  await engine.flush()
  expect((await loadManifest(disk, folder))?.buckets.map(({ id }) => id).sort()).toEqual(buckets)
  await engine.dropBucket(bucketA)
  await writer.write(engine, bucketA, 'm f=1 1')
  expect(await linesOf(engine, bucketA)).toEqual(['m f=1 1'])
  await engine.close()
  const again = await open(disk, quiet)
  expect(again.errors()).toEqual([])
  expect(await linesOf(again.engine, bucketA)).toEqual(['m f=1 1'])
  await again.engine.close()
})
