// Keys of series that a parser on another thread has numbered, as batches of that thread name them: the same memory,
// told anew with each batch, since it moves when it grows.

import type { ByteTableView } from '../../column/byte-table.js'
import type { ResolvedKeys, SeriesKeys } from '../../column/series.js'
import type { ToldKeys } from './messages.js'

export class SharedKeys implements SeriesKeys {
  resolved: ResolvedKeys | undefined = undefined
  readonly id: number
  #view: ByteTableView

  constructor({ id, view }: ToldKeys) {
    this.id = id
    this.#view = view
  }

  get count(): number {
    return this.#view.count
  }

  key(id: number): Uint8Array {
    const { arena, starts, lengths } = this.#view
    return arena.subarray(starts[id], starts[id] + lengths[id])
  }

  /** There are more of them. */
  grow(view: ByteTableView): void {
    this.#view = view
  }
}
