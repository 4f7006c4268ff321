// Buffers that the cursors of one merge lend each other. A cursor keeps what it decoded last, in arrays for each field:
// eight segments with a thousand sparse fields each were 190 MB of arrays for 2 MB of files. In a merge a piece is
// copied before the next is loaded, so that one cursor's arrays are enough for all.

import { ColumnBuffer } from '../encoding/column-block.js'

/** Who has buffers and can do without what is in them. */
export interface BufferHolder {
  giveBack(): void
}

export class LentBuffers {
  readonly #spare: ColumnBuffer[] = []
  #holder: BufferHolder | undefined

  take(): ColumnBuffer {
    return this.#spare.pop() ?? new ColumnBuffer()
  }

  give(buffer: ColumnBuffer): void {
    this.#spare.push(buffer)
  }

  /** Whoever loaded a piece before lets go of it. `holder` undefined: what is loaded now stays. */
  pass(holder: BufferHolder | undefined): void {
    if (this.#holder !== holder) this.#holder?.giveBack()
    this.#holder = holder
  }
}
