// The stream of a DoGet: the schema, then record batches, one being sent while the next is made. Waits for
// its reader: at most two messages of about a megabyte are held for a client that reads slowly. Ends early
// when the client goes.
//
// While rows are waited for, a batch without rows is sent every few seconds, as the v3 products do it: what
// stands between server and client closes streams on which nothing comes. Batches can only follow the
// schema, so that it is asked for by itself when the first rows are late.

import type { ServerWritableStream } from '@grpc/grpc-js'
import { assert } from '../errors.js'
import { emptyArrowBatch } from '../result/arrow-results.js'
import { type ArrowSchema, schemaMessage } from '../result/arrow-schema.js'
import { BatchMessage, headerData, type SentBatch } from './messages.js'

export type FlightPart =
  | { readonly kind: 'schema'; readonly schema: ArrowSchema }
  /** As it is sent, from where the answer was encoded. */
  | { readonly kind: 'schema message'; readonly message: Uint8Array }
  /** Its body must be written before the next part is asked for. */
  | { readonly kind: 'batch'; readonly batch: SentBatch }

export type AnswerCall = ServerWritableStream<Buffer, Buffer>

/** The client is not there any more: nobody has to be told. */
export class CallCancelled extends Error {}

const keepAliveMs = 5000

export interface SendOptions {
  readonly onSent?: (bytes: number) => void
  /** The schema before there are rows; undefined: it comes with them. */
  readonly schema?: () => Promise<ArrowSchema | undefined>
  readonly keepAliveMs?: number
}

/** Resolves when all was handed to the connection. */
export async function sendParts(
  call: AnswerCall,
  parts: AsyncIterable<FlightPart>,
  options: SendOptions = {},
): Promise<void> {
  const answer = new AnswerStream(call, options)
  const iterator = parts[Symbol.asyncIterator]()
  try {
    for (;;) {
      const coming = iterator.next()
      await answer.keepAlive(coming)
      const { value, done } = await coming
      if (done === true) break
      await answer.send(value)
    }
  } finally {
    await iterator.return?.()
  }
  await answer.finish()
}

class AnswerStream {
  readonly #sender: Sender
  readonly #options: SendOptions
  // What is being sent must not be written again: two messages take turns.
  readonly #messages = [new BatchMessage(), new BatchMessage()]
  #turn = 0
  /** The one that was sent, where it was not only told as a message. */
  #schema: ArrowSchema | undefined
  #schemaMessage: Uint8Array | undefined
  /** Rows are waited for, so that a schema by itself is of use. */
  #isWaiting = false
  #isAsked = false
  #early: Promise<void> = Promise.resolve()

  constructor(call: AnswerCall, options: SendOptions) {
    this.#sender = new Sender(call)
    this.#options = options
  }

  async send(part: FlightPart): Promise<void> {
    if (part.kind === 'schema') await this.#sendSchema(part.schema)
    else if (part.kind === 'schema message') await this.#sendSchemaMessage(part.message)
    else await this.#sendBytes(this.#messages[this.#turn++ & 1].write(part.batch))
  }

  async #sendSchema(schema: ArrowSchema): Promise<void> {
    this.#schema ??= schema
    await this.#sendSchemaMessage(schemaMessage(schema))
  }

  async #sendSchemaMessage(message: Uint8Array): Promise<void> {
    if (this.#schemaMessage !== undefined) {
      const isSame = Buffer.compare(this.#schemaMessage, message) === 0
      assert(isSame, 'the columns of an answer are those that were told before')
      return
    }
    this.#schemaMessage = message
    await this.#sendBytes(headerData(message))
  }

  async #sendBytes(bytes: Buffer): Promise<void> {
    await this.#sender.send(bytes)
    this.#options.onSent?.(bytes.length)
  }

  /** Resolves when the next part is there, or has failed. */
  async keepAlive(coming: Promise<unknown>): Promise<void> {
    const { keepAliveMs: pauseMs = keepAliveMs } = this.#options
    this.#isWaiting = true
    while (await isLate(coming, pauseMs)) {
      if (this.#schema === undefined) this.#askSchema()
      else await this.#sendBytes(new BatchMessage().write(emptyArrowBatch(this.#schema)))
    }
    this.#isWaiting = false
    await this.#early
  }

  /** Not waited for: it may take as long as the rows. What goes wrong with it goes wrong with them too. */
  #askSchema(): void {
    if (this.#isAsked) return
    this.#isAsked = true
    this.#options.schema?.().then(
      (schema) => {
        if (schema === undefined || !this.#isWaiting) return
        this.#early = this.#sendSchema(schema)
        this.#early.catch(() => undefined)
      },
      () => undefined,
    )
  }

  finish(): Promise<void> {
    return this.#sender.finish()
  }
}

async function isLate(coming: Promise<unknown>, pauseMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const pause = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), pauseMs)
  })
  const here = coming.then(
    () => false,
    () => false,
  )
  const late = await Promise.race([here, pause])
  clearTimeout(timer)
  return late
}

class Sender {
  readonly #call: AnswerCall
  readonly #cancelled: Promise<never>
  #underWay: Promise<void> = Promise.resolve()

  constructor(call: AnswerCall) {
    this.#call = call
    this.#cancelled = new Promise((_, reject) => {
      // A call that is cancelled never calls back those who write to it.
      call.once('cancelled', () => reject(new CallCancelled()))
    })
    this.#cancelled.catch(() => undefined)
  }

  /** Waits until the one before has left, and not for this one. */
  async send(bytes: Buffer): Promise<void> {
    await this.finish()
    this.#underWay = new Promise((resolve, reject) => {
      this.#call.write(bytes, (error: Error | null | undefined) => {
        if (error == null) resolve()
        else reject(error)
      })
    })
    this.#underWay.catch(() => undefined)
  }

  async finish(): Promise<void> {
    if (this.#call.cancelled) throw new CallCancelled()
    await Promise.race([this.#underWay, this.#cancelled])
  }
}
