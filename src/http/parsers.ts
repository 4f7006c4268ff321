// One line protocol parser per bucket, kept across requests: a parser learns which series and
// fields follow each other and is several times faster for it. The one unused for longest goes when
// there are too many.

import { LineProtocolParser } from '../line-protocol/parser.js'

export class ParserRegistry {
  readonly #countMax: number
  readonly #seriesBytesMax: number
  /** By bucket, the one used last at the end. */
  readonly #parsers = new Map<string, LineProtocolParser>()

  constructor(countMax: number, seriesBytesMax: number) {
    this.#countMax = countMax
    this.#seriesBytesMax = seriesBytesMax
  }

  of(bucketId: string): LineProtocolParser {
    const known = this.#parsers.get(bucketId)
    const parser = known ?? new LineProtocolParser({ seriesBytesMax: this.#seriesBytesMax })
    if (known !== undefined) this.#parsers.delete(bucketId)
    this.#parsers.set(bucketId, parser)
    if (this.#parsers.size > this.#countMax) {
      const oldest = this.#parsers.keys().next().value
      if (oldest !== undefined) this.#parsers.delete(oldest)
    }
    return parser
  }
}
