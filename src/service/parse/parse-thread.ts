// One thread that parses, as the serving thread sees it: what was handed to it and not answered yet, in its order, and
// the memory and the keys that it told of. With the thread all of that is gone, and the next one begins anew; batches
// that were handed out keep what they lie in.

import type { SeriesKeys } from '../../column/series.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { assert } from '../../errors.js'
import type { LineError } from '../../line-protocol/parser.js'
import { reviveFailure } from '../../platform/thread-failure.js'
import type {
  PackedPiece,
  ParseBody,
  ParseListener,
  ParsePort,
  ParseReply,
  ParseRequest,
  PieceRest,
} from './messages.js'
import { unpackWrite } from './packed-write.js'
import type { ParserLimits } from './parsers.js'
import { SharedKeys } from './shared-keys.js'

/** A part of a body as columns: see `ParseResult`. */
export interface ParsedPiece {
  readonly batch: WriteBatch
  readonly errors: readonly LineError[]
  readonly errorCount: number
  readonly rest: PieceRest | undefined
}

/** Bodies that a thread is given at a time: the next one lies there when it is done with one. */
const bodiesAhead = 2

export interface ParseThreadOptions {
  readonly limits: ParserLimits
  makePort(listener: ParseListener): ParsePort
  /** It has room for another body, or it is gone. */
  changed(): void
}

/** Who waits for the columns of a body. */
interface Asked {
  readonly body: ThreadBody
  resolve(piece: ParsedPiece | undefined): void
  reject(error: Error): void
}

/** `broken`: it did not come to its beginning, and would not the next time. */
type State = 'none' | 'beginning' | 'ready' | 'broken'

export class ParseThread {
  readonly #options: ParseThreadOptions
  readonly #port: ParsePort
  #state: State = 'none'
  /** In the order in which they are answered. */
  #asked: Asked[] = []
  /** Bodies that have a place and are not among those yet. */
  #opened = 0
  /** By number. */
  #slabs: ArrayBufferLike[] = []
  /** By bucket, the ones used last at the end. */
  #keys = new Map<string, SharedKeys>()
  #nextId = 1
  /** Which of the threads that there were one after the other. */
  #life = 0

  constructor(options: ParseThreadOptions) {
    this.#options = options
    this.#port = options.makePort({
      reply: (reply) => this.#take(reply),
      failed: (error) => this.#lose(error),
      ended: () => this.#lose(new Error('the thread has ended')),
    })
  }

  get state(): State {
    return this.#state
  }

  get hasRoom(): boolean {
    return this.#state === 'ready' && this.#asked.length + this.#opened < bodiesAhead
  }

  begin(): void {
    assert(this.#state === 'none', 'one thread at a time')
    this.#state = 'beginning'
    this.#port.post({ kind: 'parse-begin', limits: this.#options.limits })
  }

  /** A body that will be parsed here; it must be ended. */
  open(): ThreadBody {
    this.#opened++
    return new ThreadBody(this, this.#nextId++, this.#life)
  }

  async close(error: Error): Promise<void> {
    await this.#port.close()
    this.#lose(error)
  }

  /** For its bodies: the first piece. Undefined: the thread has died before it came to it. */
  async askFirst(body: ThreadBody, request: ParseRequest): Promise<ParsedPiece | undefined> {
    if (!this.isAlive(body.life)) return undefined
    this.#opened--
    return this.ask(body, request)
  }

  ask(body: ThreadBody, request: ParseRequest): Promise<ParsedPiece | undefined> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ body, resolve, reject })
      this.#port.post(request)
    })
  }

  tell(request: ParseRequest): void {
    this.#port.post(request)
  }

  isAlive(life: number): boolean {
    return this.#life === life && this.#state === 'ready'
  }

  #take(reply: ParseReply): void {
    if (reply.kind === 'parse-begun') this.#state = 'ready'
    else {
      const { body, resolve, reject } = this.#asked.shift() as Asked
      assert(body.id === reply.id, 'bodies are answered in their order')
      if (reply.kind === 'parse-failed') reject(reviveFailure(reply.failure))
      else resolve(this.#unpack(reply.piece, body))
    }
    this.#options.changed()
  }

  #unpack({ batch, keys, errors, errorCount, rest }: PackedPiece, body: ThreadBody): ParsedPiece {
    const { slab, memory } = batch
    if (slab !== undefined && memory !== undefined) this.#slabs[slab] = memory
    body.slab = slab
    if (rest !== undefined) body.write ??= {}
    const found = keys === undefined ? noKeys : this.#keysOf(body.bucketId, keys)
    const lies = memory ?? this.#slabs[slab as number]
    const unpacked = unpackWrite(batch, lies, found, body.write)
    return { batch: unpacked, errors, errorCount, rest }
  }

  #keysOf(bucketId: string, told: NonNullable<PackedPiece['keys']>): SharedKeys {
    let keys = this.#keys.get(bucketId)
    if (keys?.id === told.id) keys.grow(told.view)
    else keys = new SharedKeys(told)
    this.#keys.delete(bucketId)
    this.#keys.set(bucketId, keys)
    for (const [oldest] of this.#keys) {
      if (this.#keys.size <= this.#options.limits.parsersMax) break
      this.#keys.delete(oldest)
    }
    return keys
  }

  /** The body that it was at may be why: nobody tries that one again. The others have not been looked at. */
  #lose(error: Error): void {
    const [at, ...others] = this.#asked
    this.#state = this.#state === 'beginning' ? 'broken' : 'none'
    this.#opened = 0
    this.#life++
    this.#asked = []
    this.#slabs = []
    this.#keys = new Map()
    at?.reject(error)
    for (const { body, resolve, reject } of others) {
      if (body.isBegun) reject(error)
      else resolve(undefined)
    }
    this.#options.changed()
  }
}

/** Of a batch without rows. */
const noKeys: SeriesKeys = { count: 0, key: () => new Uint8Array(0) }

/** A body on a thread, piece by piece. */
export class ThreadBody {
  readonly id: number
  bucketId = ''
  /** The memory of the piece that was handed out last. */
  slab: number | undefined
  /** Tells the pieces of this write from those of others. */
  write: object | undefined
  /** A piece of it was handed out. */
  isBegun = false
  /** See `ParseThread`. */
  readonly life: number
  readonly #thread: ParseThread

  constructor(thread: ParseThread, id: number, life: number) {
    this.#thread = thread
    this.id = id
    this.life = life
  }

  /** Undefined: the thread has died before it came to it. */
  async first(body: ParseBody): Promise<ParsedPiece | undefined> {
    const { id } = this
    this.bucketId = body.bucketId
    const piece = await this.#thread.askFirst(this, { kind: 'parse-body', id, ...body })
    this.isBegun = piece !== undefined
    return piece
  }

  /** What the piece before lay in is written again. */
  async next(tableBytesMax: number): Promise<ParsedPiece> {
    if (!this.#thread.isAlive(this.life)) throw new Error('the thread that parses has died')
    const { id, slab } = this
    this.slab = undefined
    const request = { kind: 'parse-more', id, slab, tableBytesMax } as const
    return (await this.#thread.ask(this, request)) as ParsedPiece
  }

  end(): void {
    const { id, slab } = this
    if (this.#thread.isAlive(this.life)) this.#thread.tell({ kind: 'parse-end', id, slab })
  }
}
