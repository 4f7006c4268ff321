// Tags that are dropped, or get another name, on the way: the keys of a batch's series are written anew, its columns
// stay. Series that differ only in a dropped tag become one, and of their points at one moment the last is kept.

import { KeyTable } from '../../column/key-table.js'
import { parseSeriesKey, type SeriesKeys, seriesKey } from '../../column/series.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'

export class TagChanges {
  readonly #drops: ReadonlySet<string>
  readonly #renames: ReadonlyMap<string, string>

  constructor(drops: ReadonlySet<string>, renames: ReadonlyMap<string, string>) {
    this.#drops = drops
    this.#renames = renames
  }

  /** For a journal. */
  toJSON(): unknown {
    return [[...this.#drops], [...this.#renames]]
  }

  /** Throws UserError where a series has a tag of the new name already. */
  applyTo(batch: WriteBatch): WriteBatch {
    const known = new Map<SeriesKeys, { readonly keys: KeyTable; readonly ids: Uint32Array }>()
    const tables = batch.tables.map((table) => {
      const changed = known.get(table.keys) ?? this.#changed(table.keys)
      known.set(table.keys, changed)
      const { keys, ids } = changed
      // Arrays may be longer than there are rows.
      const series = table.series.subarray(0, table.rowCount).map((id) => ids[id])
      return { ...table, keys, series }
    })
    return { ...batch, tables }
  }

  /** The keys anew, and which of them each was. */
  #changed(from: SeriesKeys) {
    const keys = new KeyTable()
    const ids = new Uint32Array(from.count)
    for (let id = 0; id < from.count; id++) ids[id] = keys.intern(this.#key(from.key(id)))
    return { keys, ids }
  }

  #key(key: Uint8Array): Uint8Array {
    const { measurement, tags } = parseSeriesKey(key)
    const kept = tags
      .filter(({ key: name }) => !this.#drops.has(name))
      .map(({ key: name, value }) => ({ key: this.#renames.get(name) ?? name, value }))
    const names = new Set(kept.map(({ key: name }) => name))
    if (names.size < kept.length) {
      const series = Buffer.from(key).toString()
      throw new UserError(
        'conflict',
        `a tag of "${series}" would get the name of another of its tags`,
      )
    }
    return Buffer.from(seriesKey({ measurement, tags: kept }))
  }
}
