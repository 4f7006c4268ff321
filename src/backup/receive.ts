// Takes a backup from a stream, as a server sends it, and puts it into a folder of backups. What a broken stream
// brought of the large files stays for the next attempt; the backup itself is there as a whole or not at all.

import { UserError } from '../errors.js'
import { readTar, type TarFile } from '../platform/tar.js'
import {
  type BackedUpFile,
  type BackupRecord,
  checkName,
  parseRecord,
  recordName,
  segmentPrefix,
} from '../service/backup/backup-record.js'
import { type BackupFolder, isMark } from './backup-folder.js'
import { hashOf, type Written } from './copy-file.js'

/** A hundred thousand files. */
const recordBytesMax = 64 << 20

export interface Received {
  readonly name: string
  readonly record: BackupRecord
  /** Files and bytes that came; the others were there. */
  readonly newFiles: number
  readonly newBytes: number
}

export interface ReceiveOptions {
  /** Tells this attempt from others. */
  readonly id: string
  readonly onBytes?: (count: number) => void
}

export async function receiveBackup(
  folder: BackupFolder,
  stream: AsyncIterable<Uint8Array>,
  { id, onBytes = () => undefined }: ReceiveOptions,
): Promise<Received> {
  const unfinished = await folder.begin(id)
  const written = new Map<string, Written>()
  let record: BackupRecord | undefined
  let newBytes = 0
  for await (const file of readTar(counted(stream, onBytes))) {
    if (file.name === recordName) record = parseRecord(await bytesOf(file))
    else {
      const one = await receiveFile(folder, unfinished, file)
      written.set(file.name, one)
      newBytes += one.byteLength
    }
  }
  if (record === undefined) throw new UserError('invalid', 'the backup was broken off')
  const settled = { ...record, files: await withChecksums(folder, record, written) }
  const name = await folder.finish(unfinished, settled)
  return { name, record: settled, newFiles: written.size, newBytes }
}

async function* counted(
  stream: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    onBytes(chunk.length)
    yield chunk
  }
}

async function bytesOf(file: TarFile): Promise<Uint8Array> {
  if (file.byteLength > recordBytesMax) throw new UserError('invalid', 'the record is too large')
  const parts: Uint8Array[] = []
  for await (const part of file.bytes) parts.push(part.slice())
  return Buffer.concat(parts)
}

async function receiveFile(
  folder: BackupFolder,
  unfinished: string,
  file: TarFile,
): Promise<Written> {
  const { place } = folder
  if (file.name.startsWith(segmentPrefix)) {
    const mark = file.name.slice(segmentPrefix.length)
    if (!isMark(mark)) throw new UserError('invalid', `a backup has no file "${file.name}"`)
    return place.write(folder.segmentPath(mark), file.bytes)
  }
  checkName(file.name)
  return place.write(`${unfinished}/${file.name}`, file.bytes)
}

/** Every file with its checksum: as the server told it, and as it lies here. */
async function withChecksums(
  folder: BackupFolder,
  record: BackupRecord,
  written: ReadonlyMap<string, Written>,
): Promise<BackedUpFile[]> {
  const known = new Map<string, string>()
  for (const { record: earlier } of await folder.list()) {
    for (const { mark, sha256 } of earlier.files) {
      if (mark !== undefined && sha256 !== undefined) known.set(mark, sha256)
    }
  }
  const files: BackedUpFile[] = []
  for (const file of record.files) {
    const { name, mark } = file
    const entry = mark === undefined ? name : `${segmentPrefix}${mark}`
    const came = written.get(entry)
    if (came !== undefined && came.sha256 !== file.sha256) {
      throw new UserError('invalid', `${name} did not arrive as it was sent`)
    }
    if (came !== undefined) files.push(file)
    else if (mark === undefined) throw new UserError('invalid', `${name} did not arrive`)
    else files.push({ ...file, sha256: known.get(mark) ?? (await segmentHash(folder, mark)) })
  }
  return files
}

async function segmentHash(folder: BackupFolder, mark: string): Promise<string> {
  return (await hashOf(folder.place.read(folder.segmentPath(mark)))).sha256
}
