// Files that nobody can place, or that are damaged, are kept: they move into the folder `set-aside`, under a name with
// a number of its own, and a text beside each says where it lay and why it went. Nothing here is ever read again or
// removed by the engine.

import { type Disk, writeFileAtomically } from '../../../platform/disk.js'
import type { StoreLog } from '../../store-log.js'
import { setAsideFolder, setAsidePath } from '../files/filenames.js'
import type { Structure } from './structure.js'

export class SetAside {
  readonly #disk: Disk
  readonly #root: string
  readonly #structure: Structure
  readonly #log: StoreLog
  #hasFolder = false

  constructor(disk: Disk, root: string, structure: Structure, log: StoreLog) {
    this.#disk = disk
    this.#root = root
    this.#structure = structure
    this.#log = log
  }

  /** A file or folder, by its path below the root. */
  async take(name: string, reason: string): Promise<void> {
    await this.#makeFolder()
    const to = setAsidePath(this.#root, this.#structure.takeNumber(), name)
    await this.#disk.rename(`${this.#root}/${name}`, to)
    await this.#disk.syncDir(setAsideFolder(this.#root))
    this.#log('warn', `set aside: ${reason}`, { file: `${this.#root}/${name}`, to })
    await this.#explain(to, name, reason)
  }

  async #makeFolder(): Promise<void> {
    if (this.#hasFolder) return
    await this.#disk.makeDir(setAsideFolder(this.#root))
    await this.#disk.syncDir(this.#root)
    // No manifest may know the numbers that were given here last.
    for (const name of await this.#disk.list(setAsideFolder(this.#root))) {
      this.#structure.noteNumber(Number.parseInt(name, 10) || 0)
    }
    this.#hasFolder = true
  }

  /** The text is a help: on a full disk the file must go without it. */
  async #explain(path: string, name: string, reason: string): Promise<void> {
    const folder = setAsideFolder(this.#root)
    const text = Buffer.from(`${JSON.stringify({ file: name, reason })}\n`)
    const target = `${path.slice(folder.length + 1)}.reason`
    await writeFileAtomically(this.#disk, folder, target, text).catch(() => undefined)
  }
}
