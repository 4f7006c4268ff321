// The side that parses: takes bodies in the order in which they come, one at a time, and answers each with its columns
// or with why there are none. Its parsers keep what they learnt from body to body, as those of the serving thread do.

import type { SeriesKeys } from '../../column/series.js'
import { assert } from '../../errors.js'
import type { WriteRest } from '../../line-protocol/parser.js'
import { SeriesTable } from '../../line-protocol/series-table.js'
import { Garbage, wideBytesMin } from '../../platform/garbage.js'
import { describeFailure } from '../../platform/thread-failure.js'
import type { PackedPiece, ParseBody, ParseReply, ParseRequest, ToldKeys } from './messages.js'
import { packWrite } from './packed-write.js'
import { ParserRegistry } from './parsers.js'
import { WriteSlabs } from './write-slabs.js'

/** A body of which there is more. */
interface OpenBody {
  readonly body: ParseBody
  readonly rest: WriteRest
}

export class ParseServer {
  readonly #send: (reply: ParseReply) => void
  readonly #slabs = new WriteSlabs()
  readonly #open = new Map<number, OpenBody>()
  readonly #keyIds = new WeakMap<SeriesKeys, number>()
  readonly #garbage = new Garbage()
  #parsers: ParserRegistry | undefined
  #nextKeyId = 1

  constructor(send: (reply: ParseReply) => void) {
    this.#send = send
  }

  handle(request: ParseRequest): void {
    switch (request.kind) {
      case 'parse-begin':
        this.#parsers = new ParserRegistry(request.limits, true)
        return this.#send({ kind: 'parse-begun' })
      case 'parse-body':
        return this.#answer(request.id, request, undefined)
      case 'parse-more': {
        this.#give(request.slab)
        const { body, rest } = this.#open.get(request.id) as OpenBody
        this.#garbage.collect(wideBytesMin)
        const { tableBytesMax } = request
        return this.#answer(request.id, { ...body, tableBytesMax }, rest)
      }
      case 'parse-end':
        this.#give(request.slab)
        this.#open.delete(request.id)
    }
  }

  #give(slab: number | undefined): void {
    if (slab !== undefined) this.#slabs.give(slab)
  }

  #answer(id: number, body: ParseBody, from: WriteRest | undefined): void {
    try {
      this.#send({ kind: 'parse-piece', id, piece: this.#parse(id, body, from) })
    } catch (error) {
      this.#send({ kind: 'parse-failed', id, failure: describeFailure(error as Error) })
    }
  }

  #parse(id: number, body: ParseBody, from: WriteRest | undefined): PackedPiece {
    assert(this.#parsers !== undefined, 'begin comes first')
    const { precision, now, tableBytesMax } = body
    const parser = this.#parsers.of(body.bucketId)
    const parsed = parser.parse(body.bytes, { precision, now, from, tableBytesMax })
    const { batch, errors, errorCount, rest } = parsed
    try {
      if (rest === undefined) this.#open.delete(id)
      else this.#open.set(id, { body, rest })
      const { columnCount = 0, measurements } = rest ?? {}
      return {
        batch: packWrite(batch, this.#slabs),
        keys: this.#tell(batch.tables[0]?.keys),
        errors,
        errorCount,
        rest: measurements && { columnCount, measurementCount: measurements.size },
      }
    } finally {
      parser.release(batch)
    }
  }

  #tell(keys: SeriesKeys | undefined): ToldKeys | undefined {
    if (!(keys instanceof SeriesTable)) return undefined
    let id = this.#keyIds.get(keys)
    if (id === undefined) {
      id = this.#nextKeyId++
      this.#keyIds.set(keys, id)
    }
    return { id, view: keys.shareable() }
  }
}
