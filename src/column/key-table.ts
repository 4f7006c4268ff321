// Series keys numbered as they come, for whoever makes batches of rows out of something else than line protocol: files
// of other servers, archived logs.

import { ByteTable } from './byte-table.js'
import type { ResolvedKeys, SeriesKeys } from './series.js'

export class KeyTable implements SeriesKeys {
  resolved: ResolvedKeys | undefined = undefined
  readonly #table = new ByteTable()

  get count(): number {
    return this.#table.count
  }

  key(id: number): Uint8Array {
    return this.#table.get(id)
  }

  intern(key: Uint8Array): number {
    return this.#table.intern(key, 0, key.length)
  }
}
