// What is said between the thread that serves and the threads that parse large bodies. A body lies in memory that both
// see; its columns come back in such memory too, in pieces where they would take much. The memory of a piece is the
// serving thread's until it asks for the next piece, or says that it is done with the body.

import type { ByteTableView } from '../../column/byte-table.js'
import type { LineError, Precision } from '../../line-protocol/parser.js'
import type { ThreadFailure } from '../../platform/thread-failure.js'
import type { PackedWrite } from './packed-write.js'
import type { ParserLimits } from './parsers.js'

export type ParseRequest =
  /** Comes first, once. */
  | { readonly kind: 'parse-begin'; readonly limits: ParserLimits }
  | ({ readonly kind: 'parse-body'; readonly id: number } & ParseBody)
  /** The next piece of a body. */
  | {
      readonly kind: 'parse-more'
      readonly id: number
      /** Of the piece before, which nobody looks at any more. */
      readonly slab: number | undefined
      readonly tableBytesMax: number
    }
  /** Nothing of the body is wanted any more. */
  | { readonly kind: 'parse-end'; readonly id: number; readonly slab: number | undefined }

export interface ParseBody {
  readonly bucketId: string
  /** In shared memory. */
  readonly bytes: Uint8Array
  readonly precision: Precision
  readonly now: bigint
  readonly tableBytesMax: number
}

export type ParseReply =
  /** It has loaded what it needs, and takes bodies. */
  | { readonly kind: 'parse-begun' }
  | { readonly kind: 'parse-piece'; readonly id: number; readonly piece: PackedPiece }
  | { readonly kind: 'parse-failed'; readonly id: number; readonly failure: ThreadFailure }

/** See `ParseResult`. */
export interface PackedPiece {
  readonly batch: PackedWrite
  readonly keys: ToldKeys | undefined
  readonly errors: readonly LineError[]
  readonly errorCount: number
  readonly rest: PieceRest | undefined
}

/** The keys that series of a batch have there: shared memory, which is only ever added to. */
export interface ToldKeys {
  /** Another one where the parser began anew: its numbers mean other series then. */
  readonly id: number
  readonly view: ByteTableView
}

/** There is more of the body. How wide it has been so far: see `WriteRest`. */
export interface PieceRest {
  readonly columnCount: number
  readonly measurementCount: number
}

/** Where bodies are parsed: another thread, or this one behind the same words. */
export interface ParsePort {
  post(request: ParseRequest): void
  close(): Promise<void>
}

export interface ParseListener {
  reply(reply: ParseReply): void
  /** The thread has died, with all it knew and all that was handed to it. */
  failed(error: Error): void
  /** The thread was idle for long and has ended. */
  ended(): void
}
