// The disk as the engine sees it, and nothing more. `node-disk.ts` is the real one, `memory-disk.ts` one in memory;
// tests have one that can crash, fail and fill up. Paths are plain strings with `/`; a path's folder must exist.
//
// Durability: bytes are safe after `sync()` of their file, or when their write to a `log` has ended; names (create,
// rename, remove) after `syncDir()` of their folder. Until then a crash may keep any part of them. Failures throw
// DiskError.

export interface DiskFile {
  readonly path: string
  /** Fills `into` from `position` on; returns the number of bytes read, less only at the end of the file. */
  readSync(into: Uint8Array, position: number): number
  /** Writes the parts one after the other from `position` on. */
  write(parts: readonly Uint8Array[], position: number): Promise<void>
  sync(): Promise<void>
  truncate(size: number): Promise<void>
  size(): number
  close(): Promise<void>
}

/**
 * `create` makes a new empty file (an existing one is emptied); the others open an existing one. What is written to a
 * `log` is synced when the write resolves: that is one call of the system, where a write and a sync are two.
 */
export type OpenMode = 'read' | 'write' | 'create' | 'log'

export interface Disk {
  open(path: string, mode: OpenMode): Promise<DiskFile>
  exists(path: string): Promise<boolean>
  /** Names in the folder, sorted; empty where the folder does not exist. */
  list(folder: string): Promise<string[]>
  /** Makes missing parents too; no error where the folder exists. */
  makeDir(folder: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** The folder and everything in it; no error where it does not exist. */
  removeDir(folder: string): Promise<void>
  syncDir(folder: string): Promise<void>
  /** Bytes that the file system of a folder still takes; undefined: nobody knows. */
  freeBytes?(folder: string): Promise<number | undefined>
}

/** Reads a whole file. */
export async function readFile(disk: Disk, path: string): Promise<Uint8Array> {
  const file = await disk.open(path, 'read')
  try {
    const bytes = new Uint8Array(file.size())
    file.readSync(bytes, 0)
    return bytes
  } finally {
    await file.close()
  }
}

/** Puts a file in place as a whole: after a crash it is there with these bytes, or as it was before. */
export async function writeFileAtomically(
  disk: Disk,
  folder: string,
  name: string,
  bytes: Uint8Array,
): Promise<void> {
  const temporary = `${folder}/${name}.tmp`
  const file = await disk.open(temporary, 'create')
  try {
    await file.write([bytes], 0)
    await file.sync()
  } finally {
    await file.close()
  }
  await disk.rename(temporary, `${folder}/${name}`)
  await disk.syncDir(folder)
}
