// The file of lines that a remote has refused for good, each with the reason: nothing is lost unseen, and it can be
// written again once its cause is gone. It is bounded: a full one makes room for the next and stays beside it.

import type { Disk } from '../../platform/disk.js'

const fileName = 'refused.lp'
const olderName = 'refused.older.lp'

export class RefusedLines {
  readonly #disk: Disk
  readonly #folder: string
  readonly #bytesMax: number

  /** `bytesMax`: of each of the two files. */
  constructor(disk: Disk, folder: string, bytesMax: number) {
    this.#disk = disk
    this.#folder = folder
    this.#bytesMax = bytesMax
  }

  get path(): string {
    return `${this.#folder}/${fileName}`
  }

  /** Durable when resolved. Lines of line protocol, each ended by a newline; the reason becomes a comment. */
  async add(lines: string, reason: string): Promise<void> {
    const bytes = Buffer.from(`# ${reason.replace(/\s+/g, ' ')}\n${lines}`)
    const isThere = await this.#disk.exists(this.path)
    let file = await this.#disk.open(this.path, isThere ? 'write' : 'create')
    try {
      const size = file.size()
      if (size > 0 && size + bytes.length > this.#bytesMax) {
        await file.close()
        await this.#disk.rename(this.path, `${this.#folder}/${olderName}`)
        file = await this.#disk.open(this.path, 'create')
      }
      await file.write([bytes], file.size())
      await file.sync()
      await this.#disk.syncDir(this.#folder)
    } finally {
      await file.close()
    }
  }
}
