// Backups in a bucket of S3. An object is there as a whole or not at all, and nothing can be renamed: a backup's own
// files stay where they were put, and the record, written last, names that place and makes it a backup.

import { createHash } from 'node:crypto'
import { UserError } from '../errors.js'
import type { Clock } from '../platform/clock.js'
import { recordName } from '../service/backup/backup-record.js'
import type { BackupPlace } from './backup-place.js'
import type { Written } from './copy-file.js'
import { partBytes, S3Client } from './s3-client.js'

export class S3Place implements BackupPlace {
  readonly title: string
  readonly #client: S3Client
  /** With a `/` at its end, or empty. */
  readonly #prefix: string

  constructor(client: S3Client, bucket: string, prefix: string) {
    this.#client = client
    this.#prefix = prefix === '' ? '' : `${prefix}/`
    this.title = `s3://${bucket}${prefix === '' ? '' : `/${prefix}`}`
  }

  async list(folder: string): Promise<string[]> {
    const prefix = `${this.#prefix}${folder === '' ? '' : `${folder}/`}`
    const keys = await this.#client.list(prefix, '/')
    const names = keys.map((key) => key.slice(prefix.length).replace(/\/$/, ''))
    return names.filter((name) => name !== '').sort()
  }

  exists(path: string): Promise<boolean> {
    return this.#client.exists(this.#prefix + path)
  }

  read(path: string): AsyncIterable<Uint8Array> {
    return this.#client.get(this.#prefix + path)
  }

  async write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Written> {
    const key = this.#prefix + path
    const hash = createHash('sha256')
    const upload = new Upload(this.#client, key)
    let byteLength = 0
    try {
      for await (const piece of bytes) {
        hash.update(piece)
        byteLength += piece.length
        await upload.add(piece)
      }
      await upload.finish()
    } catch (error) {
      await upload.drop()
      throw error
    }
    return { byteLength, sha256: hash.digest('hex') }
  }

  remove(path: string): Promise<void> {
    return this.#client.remove(this.#prefix + path)
  }

  async removeFolder(folder: string): Promise<void> {
    const keys = await this.#client.list(`${this.#prefix}${folder}/`)
    // Of a backup the record goes first: what is left is then no backup.
    keys.sort((a, b) => Number(b.endsWith(recordName)) - Number(a.endsWith(recordName)))
    for (const key of keys) await this.#client.remove(key)
  }

  async begin(id: string): Promise<string> {
    return `files-${id}`
  }

  async publish(
    unfinished: string,
    name: string,
    _files: readonly string[],
    record: (folder: string | undefined) => Uint8Array,
  ): Promise<void> {
    await this.#client.put(`${this.#prefix}${name}/${recordName}`, record(unfinished))
  }
}

/** One request where it is small, else parts. */
class Upload {
  readonly #client: S3Client
  readonly #key: string
  #part = Buffer.alloc(1 << 16)
  #length = 0
  #id: string | undefined
  readonly #marks: string[] = []

  constructor(client: S3Client, key: string) {
    this.#client = client
    this.#key = key
  }

  async add(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) {
      const count = Math.min(piece.length - at, partBytes - this.#length)
      this.#makeRoom(this.#length + count)
      this.#part.set(piece.subarray(at, at + count), this.#length)
      this.#length += count
      at += count
      if (this.#length === partBytes) await this.#flush()
    }
  }

  #makeRoom(length: number): void {
    if (length <= this.#part.length) return
    const larger = Buffer.alloc(Math.min(partBytes, Math.max(length, this.#part.length * 2)))
    larger.set(this.#part.subarray(0, this.#length))
    this.#part = larger
  }

  async #flush(): Promise<void> {
    this.#id ??= await this.#client.beginParts(this.#key)
    const number = this.#marks.length + 1
    const part = this.#part.subarray(0, this.#length)
    this.#marks.push(await this.#client.putPart(this.#key, this.#id, number, part))
    this.#length = 0
  }

  async finish(): Promise<void> {
    if (this.#id === undefined) {
      return this.#client.put(this.#key, this.#part.subarray(0, this.#length))
    }
    if (this.#length > 0) await this.#flush()
    await this.#client.joinParts(this.#key, this.#id, this.#marks)
  }

  /** What came so far would be kept, and paid for. */
  async drop(): Promise<void> {
    if (this.#id === undefined) return
    await this.#client.dropParts(this.#key, this.#id).catch(() => undefined)
  }
}

/** The variables that Amazon's own tools know. */
export type S3Variables = Readonly<Record<string, string | undefined>>

/** `s3://bucket/prefix`. Throws UserError where it is none, or no credentials are there. */
export function openS3Place(
  address: string,
  endpoint: string | undefined,
  variables: S3Variables,
  clock: Clock,
): S3Place {
  const [, bucket, path = ''] = /^s3:\/\/([a-z\d][a-z\d.-]{1,62})(?:\/(.*))?$/.exec(address) ?? []
  const prefix = path.replace(/\/+$/, '')
  const isPlain = prefix === '' || /^[^/\p{Cc}]+(\/[^/\p{Cc}]+)*$/u.test(prefix)
  if (bucket === undefined || !isPlain || /(^|\/)\.\.?(\/|$)/.test(prefix)) {
    throw new UserError('invalid', `"${address}" is no address such as s3://bucket/prefix`)
  }
  const url = endpoint ?? variables.AWS_ENDPOINT_URL_S3 ?? variables.AWS_ENDPOINT_URL
  if (url !== undefined && !(/^https?:\/\//.test(url) && URL.canParse(url))) {
    throw new UserError('invalid', `"${url}" is no address of a server such as https://host:9000`)
  }
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables
  if (!accessKeyId || !secretAccessKey) {
    throw new UserError(
      'invalid',
      'S3 needs the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
    )
  }
  const sessionToken = variables.AWS_SESSION_TOKEN || undefined
  const client = new S3Client({
    bucket,
    region: variables.AWS_REGION ?? variables.AWS_DEFAULT_REGION ?? 'us-east-1',
    endpoint: url,
    credentials: { accessKeyId, secretAccessKey, sessionToken },
    clock,
  })
  return new S3Place(client, bucket, prefix)
}
