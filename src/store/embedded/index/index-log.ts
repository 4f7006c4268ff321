// The index log of a bucket: frames (see frames.ts), one per flush that brought new series or
// fields:
//
//   varint number of series; per series: blob key
//   varint number of fields; per field: varint measurement, text name, u8 type
//
// Appended and synced before the manifest that counts it; bytes behind what the manifest counts are
// cut off.

import { type FieldType, fieldTypes } from '../../../column/column.js'
import { CorruptionError } from '../../../errors.js'
import { type Disk, type DiskFile, readFile } from '../../../platform/disk.js'
import { ByteReader } from '../encoding/byte-reader.js'
import { ByteWriter } from '../encoding/byte-writer.js'
import { bucketFolder, indexPath } from '../files/filenames.js'
import { checkFileHeader, fileHeader, fileHeaderBytes, frame, scanFrames } from '../files/frames.js'
import type { SeriesIndex } from './series-index.js'

export const indexMagic = 0x0078646e692d726dn
export const indexVersion = 1

export class IndexLog {
  readonly #disk: Disk
  readonly #root: string
  readonly #bucket: string
  #file: DiskFile | undefined
  #end: number
  #frameNumber: number
  /** How much of the index is in the log. */
  #seriesCount: number
  #fieldCount: number

  private constructor(
    disk: Disk,
    root: string,
    bucket: string,
    end: number,
    frameNumber: number,
    index: SeriesIndex,
  ) {
    this.#disk = disk
    this.#root = root
    this.#bucket = bucket
    this.#end = end
    this.#frameNumber = frameNumber
    this.#seriesCount = index.count
    this.#fieldCount = index.fieldLog.length
  }

  static empty(disk: Disk, root: string, bucket: string, index: SeriesIndex): IndexLog {
    return new IndexLog(disk, root, bucket, 0, 0, index)
  }

  /** Reads the first `byteLength` bytes of the log into the index. */
  static async open(
    disk: Disk,
    root: string,
    bucket: string,
    byteLength: number,
    index: SeriesIndex,
  ): Promise<IndexLog> {
    if (byteLength === 0) return IndexLog.empty(disk, root, bucket, index)
    const path = indexPath(root, bucket)
    if (!(await disk.exists(path))) throw new CorruptionError(path, 0, 'index log is missing')
    const file = await readFile(disk, path)
    if (file.length < byteLength)
      throw new CorruptionError(path, file.length, 'index log is cut off')
    const bytes = file.subarray(0, byteLength)
    checkFileHeader(new ByteReader(bytes, path), indexMagic, indexVersion)
    const scan = scanFrames(bytes, path, fileHeaderBytes)
    const bad = scan.damage[0]
    if (bad !== undefined) throw new CorruptionError(path, bad.offset, bad.reason)
    if (scan.torn) throw new CorruptionError(path, scan.end, 'wrong checksum of a frame')
    for (const payload of scan.payloads) replay(payload, index)
    return new IndexLog(disk, root, bucket, byteLength, scan.nextNumber, index)
  }

  get byteLength(): number {
    return this.#end
  }

  /** Appends what the index has and the log has not, and makes it durable. */
  async append(index: SeriesIndex): Promise<void> {
    const seriesCount = index.count
    const fieldCount = index.fieldLog.length
    if (seriesCount === this.#seriesCount && fieldCount === this.#fieldCount) return
    const payload = new ByteWriter(1 << 16)
    payload.varint(seriesCount - this.#seriesCount)
    for (let id = this.#seriesCount; id < seriesCount; id++) payload.blob(index.key(id))
    payload.varint(fieldCount - this.#fieldCount)
    for (const field of index.fieldLog.slice(this.#fieldCount, fieldCount)) {
      payload.varint(field.measurementId)
      payload.text(field.name)
      payload.u8(fieldTypes.indexOf(field.type))
    }
    const parts = frame(this.#frameNumber, [payload.written()])
    if (this.#end === 0) parts.unshift(fileHeader(indexMagic, indexVersion))
    const file = await this.#open()
    // What a failed attempt left behind must not stand behind a shorter good one.
    await file.truncate(this.#end)
    await file.write(parts, this.#end)
    await file.sync()
    for (const part of parts) this.#end += part.length
    this.#frameNumber++
    this.#seriesCount = seriesCount
    this.#fieldCount = fieldCount
  }

  async #open(): Promise<DiskFile> {
    if (this.#file !== undefined) return this.#file
    const path = indexPath(this.#root, this.#bucket)
    const folder = bucketFolder(this.#root, this.#bucket)
    if (this.#end > 0) this.#file = await this.#disk.open(path, 'write')
    else {
      await this.#disk.makeDir(folder)
      await this.#disk.syncDir(this.#root)
      this.#file = await this.#disk.open(path, 'create')
      await this.#disk.syncDir(folder)
    }
    return this.#file
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}

function replay(payload: ByteReader, index: SeriesIndex): void {
  const seriesCount = payload.varint()
  for (let i = 0; i < seriesCount; i++) index.intern(payload.blob())
  const fieldCount = payload.varint()
  for (let i = 0; i < fieldCount; i++) {
    const measurementId = payload.varint()
    const name = payload.text()
    const type: FieldType | undefined = fieldTypes[payload.u8()]
    if (type === undefined) payload.fail('unknown field type')
    if (index.measurements[measurementId] === undefined) payload.fail('field of no measurement')
    index.addField({ measurementId, name, type })
  }
}
