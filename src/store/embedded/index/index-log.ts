// The index log of a bucket: frames (see frames.ts). Version 2; each payload begins with its kind:
//
//   0 added   varint number of series; per series: blob key; numbers follow the last one
//             varint number of fields; per field: varint measurement, field (see field-record.ts)
//   1 kept    varint number of series; per series: varint number less that of the series before, blob key
//   2 names   varint next number of a series, of a measurement, of a field
//             varint number of measurements; per measurement: varint number, text name,
//               varint number of fields; per field, behind those that it has: field
//
// One frame of kind 0 is added by each flush that brought new series or fields. Frames of the other kinds are what a
// log begins with that was written anew because series had left: names first, so that series find their measurement,
// and once more at the end. Version 1, which is read and gone on with, has frames of kind 0 without the kind.
//
// Appended and synced before the manifest that counts it; bytes behind what the manifest counts are cut off. The
// manifest also names the file: one that was written anew is another file, and gets its name when a manifest names it.

import { CorruptionError } from '../../../errors.js'
import { type Disk, type DiskFile, readFile } from '../../../platform/disk.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { ByteWriter } from '../encoding/byte-writer.js'
import { bucketFolder, indexPath, unfinishedIndexPath } from '../files/filenames.js'
import { checkFileHeader, fileHeader, fileHeaderBytes, frame, scanFrames } from '../files/frames.js'
import { replayFrame, writeAdded } from './index-frames.js'
import type { SeriesIndex } from './series-index.js'

export const indexMagic = 0x0078646e692d726dn
export const indexVersion = 2
export const indexVersionMin = 1

export interface IndexLogPlace {
  readonly disk: Disk
  readonly root: string
  readonly bucket: string
  /** Of the file; 0: the one that a bucket begins with. */
  readonly number: number
}

export class IndexLog {
  readonly #place: IndexLogPlace
  #path: string
  #file: DiskFile | undefined
  readonly #version: number
  #end: number
  #frameNumber: number
  /** How much of the index is in the log. */
  #seriesEnd = 0
  #fieldsEnd = 0

  private constructor(
    place: IndexLogPlace,
    path: string,
    end: number,
    frameNumber: number,
    version: number,
  ) {
    this.#place = place
    this.#path = path
    this.#end = end
    this.#frameNumber = frameNumber
    this.#version = version
  }

  static empty(place: IndexLogPlace): IndexLog {
    const path = indexPath(place.root, place.bucket, place.number)
    return new IndexLog(place, path, 0, 0, indexVersion)
  }

  /** One that is written anew, under the name of an unfinished one. */
  static begin(place: IndexLogPlace): IndexLog {
    const path = unfinishedIndexPath(place.root, place.bucket, place.number)
    return new IndexLog(place, path, 0, 0, indexVersion)
  }

  /** Reads the first `byteLength` bytes of the log into the index. */
  static async open(
    place: IndexLogPlace,
    byteLength: number,
    index: SeriesIndex,
  ): Promise<IndexLog> {
    if (byteLength === 0) return IndexLog.empty(place)
    const { disk, root, bucket, number } = place
    const path = indexPath(root, bucket, number)
    // A crash may have come between the manifest and the file's name.
    const unfinished = unfinishedIndexPath(root, bucket, number)
    const isNamed = await disk.exists(path)
    const found = isNamed || !(await disk.exists(unfinished)) ? path : unfinished
    if (!isNamed && found === path) throw new CorruptionError(path, 0, 'index log is missing')
    const file = await readFile(disk, found)
    if (file.length < byteLength)
      throw new CorruptionError(path, file.length, 'index log is cut off')
    const bytes = file.subarray(0, byteLength)
    const version = checkFileHeader(
      new ByteReader(bytes, path),
      indexMagic,
      indexVersion,
      indexVersionMin,
    )
    const scan = scanFrames(bytes, path, fileHeaderBytes)
    const bad = scan.damage[0]
    if (bad !== undefined) throw new CorruptionError(path, bad.offset, bad.reason)
    if (scan.torn) throw new CorruptionError(path, scan.end, 'wrong checksum of a frame')
    for (const payload of scan.payloads) replayFrame(payload, index, version)
    const log = new IndexLog(place, found, byteLength, scan.nextNumber, version)
    log.#noteAll(index)
    if (found !== path) await log.giveName()
    return log
  }

  get number(): number {
    return this.#place.number
  }

  get path(): string {
    return this.#path
  }

  get byteLength(): number {
    return this.#end
  }

  /** A manifest names it. Where the disk refuses, it keeps the name it has until the next start. */
  async giveName(): Promise<void> {
    const { disk, root, bucket, number } = this.#place
    const path = indexPath(root, bucket, number)
    try {
      await disk.rename(this.#path, path)
      this.#path = path
    } catch {}
  }

  /** Appends what the index has and the log has not, and makes it durable. */
  async append(index: SeriesIndex): Promise<void> {
    const seriesEnd = index.next
    const fieldsEnd = index.fieldCount
    if (seriesEnd === this.#seriesEnd && fieldsEnd === this.#fieldsEnd) return
    const payload = new ByteWriter(1 << 16)
    writeAdded(payload, index, this.#seriesEnd, this.#fieldsEnd, this.#version)
    const end = await this.#write(payload.written())
    await this.#file!.sync()
    this.#end = end
    this.#frameNumber++
    this.#seriesEnd = seriesEnd
    this.#fieldsEnd = fieldsEnd
  }

  /** Of a log that is written anew: nothing of it counts before all of it is durable. */
  async add(payload: Uint8Array): Promise<void> {
    this.#end = await this.#write(payload)
    this.#frameNumber++
  }

  /** All of the index was added: durable when resolved. */
  async finish(index: SeriesIndex): Promise<void> {
    await this.#file!.sync()
    await this.#place.disk.syncDir(bucketFolder(this.#place.root, this.#place.bucket))
    this.#noteAll(index)
  }

  /** Of one that nothing needs any more. */
  async remove(): Promise<void> {
    await this.close()
    await this.#place.disk.remove(this.#path)
  }

  #noteAll(index: SeriesIndex): void {
    this.#seriesEnd = index.next
    this.#fieldsEnd = index.fieldCount
  }

  /** Where the frame ends. */
  async #write(payload: Uint8Array): Promise<number> {
    const parts = frame(this.#frameNumber, [payload])
    if (this.#end === 0) parts.unshift(fileHeader(indexMagic, this.#version))
    const file = await this.#open()
    // What a failed attempt left behind must not stand behind a shorter good one.
    await file.truncate(this.#end)
    await file.write(parts, this.#end)
    return parts.reduce((end, part) => end + part.length, this.#end)
  }

  async #open(): Promise<DiskFile> {
    if (this.#file !== undefined) return this.#file
    const { disk, root, bucket } = this.#place
    const folder = bucketFolder(root, bucket)
    if (this.#end > 0) this.#file = await disk.open(this.#path, 'write')
    else {
      await disk.makeDir(folder)
      await disk.syncDir(root)
      this.#file = await disk.open(this.#path, 'create')
      await disk.syncDir(folder)
    }
    return this.#file
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}
