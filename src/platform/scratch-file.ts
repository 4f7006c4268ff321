// A file that is needed for a while and means nothing afterwards: gone when it is removed, and what a process that was
// killed left behind is swept away by the next one.

import { mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { DiskError } from '../errors.js'

export class ScratchFile {
  /** Absolute. */
  readonly path: string
  readonly #folder: string
  readonly #file: Awaited<ReturnType<typeof open>>

  private constructor(folder: string, path: string, file: Awaited<ReturnType<typeof open>>) {
    this.#folder = folder
    this.path = path
    this.#file = file
  }

  /** In a folder below `parent`; absent: where the system has such files. */
  static async create(parent: string | undefined): Promise<ScratchFile> {
    try {
      if (parent !== undefined) await mkdir(parent, { recursive: true })
      const folder = await mkdtemp(`${resolve(parent ?? tmpdir())}/millrace-`)
      const path = `${folder}/file`
      return new ScratchFile(folder, path, await open(path, 'wx', 0o600))
    } catch (error) {
      throw failure(parent ?? tmpdir(), error)
    }
  }

  async append(bytes: Uint8Array): Promise<void> {
    try {
      await this.#file.appendFile(bytes)
    } catch (error) {
      throw failure(this.path, error)
    }
  }

  async remove(): Promise<void> {
    await this.#file.close().catch(() => undefined)
    await rm(this.#folder, { recursive: true, force: true }).catch(() => undefined)
  }
}

/** What others left there who are no more. */
export async function sweepScratch(parent: string): Promise<void> {
  await rm(parent, { recursive: true, force: true }).catch(() => undefined)
}

function failure(path: string, error: unknown): DiskError {
  const reason = error instanceof Error ? error.message : String(error)
  return new DiskError(path, `cannot write: ${reason}`, error)
}
