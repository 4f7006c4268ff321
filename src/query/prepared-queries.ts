// The queries that are asked again and again, prepared once: dashboards and alerts send the same texts all
// day, with other times and other hosts in them. Whoever serves languages owns one of these; it is asked
// before a language is, and takes a text apart into its shape and its literals where the language can.

import { type CacheFigures, LruCache } from '../platform/lru-cache.js'
import type { PullStream } from '../platform/pull-stream.js'
import type { Language, Prepared, QueryParameters, ResultBatch, ResultPiece } from './language.js'

/** A tree, its plans and the texts in them, per character of the query. */
const bytesPerCharacter = 64
/** Plans and prepared reads are made when it runs, and are about as large for short texts as for long ones. */
const bytesAtLeast = 16 << 10

/** A prepared query and the literals that it runs with. */
export class PreparedQuery<Scope, Piece = ResultPiece> {
  readonly #prepared: Prepared<Scope, Piece>
  readonly #literals: readonly unknown[] | undefined

  constructor(prepared: Prepared<Scope, Piece>, literals?: readonly unknown[]) {
    this.#prepared = prepared
    this.#literals = literals
  }

  /** See `Prepared.onlyReads`. */
  get onlyReads(): boolean {
    return this.#prepared.onlyReads === true
  }

  run(scope: Scope, signal: AbortSignal): PullStream<Piece> {
    return this.#prepared.run(scope, signal, this.#literals)
  }

  /** Undefined: only the rows can tell. */
  async describe(scope: Scope, signal: AbortSignal): Promise<ResultBatch | undefined> {
    return this.#prepared.describe?.(scope, signal, this.#literals)
  }
}

export class PreparedQueries {
  readonly #cache: LruCache<string, Prepared<never, unknown>>
  readonly #bytesMax: number

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
    this.#cache = new LruCache({
      bytesMax,
      sizeOf: (_, key) => bytesAtLeast + bytesPerCharacter * key.length,
    })
  }

  /** `name` is the language's, and tells its texts from those of others. Throws what `prepare` throws. */
  prepare<Scope, Piece>(
    name: string,
    language: Language<Scope, Piece>,
    text: string,
    parameters?: QueryParameters,
  ): PreparedQuery<Scope, Piece> {
    // What could not be kept is not looked for either: its key would be one more copy of it.
    const isTooLong = text.length * bytesPerCharacter > this.#bytesMax
    if (parameters !== undefined || isTooLong) {
      return new PreparedQuery(language.prepare(text, parameters))
    }
    const shape = language.shape?.(text)
    // A shape and a text never have the same key: no text is prepared as what it only looks like.
    const key = shape === undefined ? `${name} text ${text}` : `${name} shape ${shape.key}`
    const cached = this.#cache.get(key) as Prepared<Scope, Piece> | undefined
    if (cached !== undefined) return new PreparedQuery(cached, shape?.literals)
    const prepared = language.prepare(text, undefined, shape)
    if (prepared.isCacheable) this.#cache.set(key, prepared as Prepared<never, unknown>)
    return new PreparedQuery(prepared, shape?.literals)
  }

  figures(): CacheFigures {
    return this.#cache.figures()
  }
}
