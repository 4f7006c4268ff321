// Where backups are kept, as `backup-folder.ts` sees it: names with `/` in them below one place, each with bytes that
// are written as a whole or not at all. `folder-place.ts` is a folder, `s3-place.ts` a bucket of S3.

import type { Written } from './copy-file.js'

export interface BackupPlace {
  /** For messages. */
  readonly title: string
  /** What lies right below a folder, sorted; nothing where there is none. `''`: the place itself. */
  list(folder: string): Promise<string[]>
  exists(path: string): Promise<boolean>
  read(path: string): AsyncIterable<Uint8Array>
  write(path: string, bytes: AsyncIterable<Uint8Array>): Promise<Written>
  remove(path: string): Promise<void>
  /** With everything in it; no error where there is none. */
  removeFolder(folder: string): Promise<void>
  /** Makes what a backup needs, and answers where its own files go until it is published. */
  begin(id: string): Promise<string>
  /**
   * The backup has its name, and everything in it is durable, when this has returned; `record` gives its record, which
   * says in which folder its own `files` are where that is not the one of its name.
   */
  publish(
    unfinished: string,
    name: string,
    files: readonly string[],
    record: (folder: string | undefined) => Uint8Array,
  ): Promise<void>
}

/** Small ones only. */
export async function readWhole(place: BackupPlace, path: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of place.read(path)) parts.push(part)
  return Buffer.concat(parts)
}
