// One line protocol parser per bucket, kept across requests: a parser learns which series and
// fields follow each other and is several times faster for it. Those unused for longest go when
// there are too many, or when together they keep too much.

import { fastLines } from '../../line-protocol/fast-lines.js'
import { LineProtocolParser } from '../../line-protocol/parser.js'

export interface ParserLimits {
  readonly parsersMax: number
  readonly parserBytesMax: number
  readonly parserSeriesBytes: number
  /** Of one write. */
  readonly measurementsMax: number
  readonly fieldsMax: number
}

export class ParserRegistry {
  readonly #limits: ParserLimits
  readonly #isShared: boolean
  /** By bucket, the one used last at the end. */
  readonly #parsers = new Map<string, LineProtocolParser>()

  /** `shared`: batches are for another thread. */
  constructor(limits: ParserLimits, shared = false) {
    this.#limits = limits
    this.#isShared = shared
  }

  of(bucketId: string): LineProtocolParser {
    const known = this.#parsers.get(bucketId)
    const { parserSeriesBytes: seriesBytesMax, measurementsMax, fieldsMax } = this.#limits
    const shared = this.#isShared
    const options = { seriesBytesMax, measurementsMax, fieldsMax, shared, fastLines }
    const parser = known ?? new LineProtocolParser(options)
    if (known !== undefined) this.#parsers.delete(bucketId)
    this.#parsers.set(bucketId, parser)
    this.#forgetOldest()
    return parser
  }

  #forgetOldest(): void {
    let bytes = 0
    for (const parser of this.#parsers.values()) bytes += parser.keptBytes
    for (const [bucketId, parser] of this.#parsers) {
      const isLast = this.#parsers.size === 1
      const fits = bytes <= this.#limits.parserBytesMax
      if (isLast || (fits && this.#parsers.size <= this.#limits.parsersMax)) return
      this.#parsers.delete(bucketId)
      bytes -= parser.keptBytes
    }
  }
}
