// What the service and an SQL engine, a process with DuckDB in it, say to each other. Both are of one build, so that
// there is one version. Numbers are little endian.
//
// Two channels. CONTROL goes both ways: requests, one at a time, and replies. INPUT takes the rows of sources to the
// engine; it is read only when DuckDB asks for rows, so that a statement that has enough stops its readers. Both
// carry frames:
//
//     0         4         8
//     | size    | kind    | payload (size bytes) ...
//
//   request      payload                     replies, the last one ending it
//   parse        text of a query             text (its tree as JSON)
//   print        tree as JSON                text
//   run          SQL                         done
//   source       SourceText as JSON          done
//   describe     SQL                         columns, rows (a batch without rows), end
//   query        SQL                         columns, rows ..., end
//   reset                                    idle (bytes resident, u64): tables, sources and rows on INPUT are gone
//   more         bytes read of rows, u32     -   (an engine sends some and waits)
//   interrupt                                -   (what runs fails)
//
// Any request may be replied to with failed (FailureText as JSON) instead. An engine says ready (bytes resident) once,
// when it has started. Answers are batches as `batch-bytes.ts` draws them; rows of sources are drawn here. Each source
// that is fed ends with end or, where its rows do not come to an end, with stopped:
//
//     0          4            8
//     | rowCount | extraCount | extras ... | images ...
//
//     extra, filled up to a multiple of 8:
//     0      4        8     12      16       20
//     | kind | column | row | count | length | zero | bytes
//       holes: a bit for each row, 0 where it has no value
//       text:  the value of `count` rows from `row` on, too long for the image
//       whole: the value of all rows; the column has no image then
//     image, of each column in turn: rowCount values as DuckDB has them in a vector, filled up to a multiple of 8 bytes

export const requests = {
  parse: 1,
  print: 2,
  run: 3,
  source: 4,
  describe: 5,
  query: 6,
  reset: 7,
  more: 8,
  interrupt: 9,
} as const

export const replies = {
  ready: 1,
  done: 2,
  text: 3,
  columns: 4,
  rows: 5,
  end: 6,
  failed: 7,
  idle: 8,
} as const

export const inputs = { rows: 1, end: 2, stopped: 3 } as const

export const extras = { holes: 0, text: 1, whole: 2 } as const

export type Request = (typeof requests)[keyof typeof requests]
export type Reply = (typeof replies)[keyof typeof replies]
export type Input = (typeof inputs)[keyof typeof inputs]

export const frameHeadBytes = 8
export const rowsHeadBytes = 8
export const extraHeadBytes = 24

/** Rows of a source come in pieces as large as DuckDB's vectors. */
export const sourceRowsMax = 2048

/** DuckDB's struct of a text, which holds short ones itself. */
export const textStructBytes = 16
export const inlineTextBytesMax = 12

/** Rows of an answer that are sent and not yet read. One batch goes in any case. */
export const unreadBytesMax = 1024 * 1024

/** What `mr_source(number)` is a table of. */
export interface SourceText {
  /** Sources are numbered from 0, in the order in which they are fed. */
  readonly number: number
  readonly columns: readonly SourceColumn[]
}

export interface SourceColumn {
  readonly name: string
  /** DuckDB's; of a list of texts, `ENUM`. */
  readonly type: string
  readonly values?: readonly string[] | undefined
  /** Bytes of a value in its image. */
  readonly width: number
}

export interface FailureText {
  readonly message: string
  /** In our words already. */
  readonly isOurs: boolean
}

export function padded(byteCount: number): number {
  return (byteCount + 7) & ~7
}

export function frameHead(kind: number, size: number): Buffer {
  const head = Buffer.allocUnsafe(frameHeadBytes)
  head.writeUInt32LE(size, 0)
  head.writeUInt32LE(kind, 4)
  return head
}

export interface Frame {
  readonly kind: number
  /** Of its own: begins at a multiple of 8 of its buffer. */
  readonly payload: Uint8Array<ArrayBuffer>
}

/** Puts frames together from pieces of a stream. */
export class FrameReader {
  readonly #take: (frame: Frame) => void
  readonly #head = Buffer.alloc(frameHeadBytes)
  #headFilled = 0
  #payload: Uint8Array<ArrayBuffer> | undefined
  #payloadFilled = 0

  constructor(take: (frame: Frame) => void) {
    this.#take = take
  }

  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; ) {
      if (this.#payload === undefined) {
        const rest = piece.subarray(at, at + frameHeadBytes - this.#headFilled)
        this.#head.set(rest, this.#headFilled)
        this.#headFilled += rest.length
        at += rest.length
        if (this.#headFilled < frameHeadBytes) return
        this.#payload = new Uint8Array(this.#head.readUInt32LE(0))
        this.#payloadFilled = 0
      }
      const rest = piece.subarray(at, at + this.#payload.length - this.#payloadFilled)
      this.#payload.set(rest, this.#payloadFilled)
      this.#payloadFilled += rest.length
      at += rest.length
      if (this.#payloadFilled < this.#payload.length) return
      const frame = { kind: this.#head.readUInt32LE(4), payload: this.#payload }
      this.#payload = undefined
      this.#headFilled = 0
      this.#take(frame)
    }
  }
}
