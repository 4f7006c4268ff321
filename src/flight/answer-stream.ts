// The stream of a DoGet: the schema, then record batches, one being sent while the next is made. Waits for
// its reader: at most two messages of about a megabyte are held for a client that reads slowly. Ends early
// when the client goes.

import type { ServerWritableStream } from '@grpc/grpc-js'
import type { ArrowPart } from '../result/arrow-results.js'
import { schemaMessage } from '../result/arrow-schema.js'
import { BatchMessage, headerData } from './messages.js'

export type AnswerCall = ServerWritableStream<Buffer, Buffer>

/** The client is not there any more: nobody has to be told. */
export class CallCancelled extends Error {}

/** Resolves when all was handed to the connection. */
export async function sendParts(
  call: AnswerCall,
  parts: AsyncIterable<ArrowPart>,
  onSent: (bytes: number) => void,
): Promise<void> {
  const sender = new Sender(call)
  // What is being sent must not be written again: two messages take turns.
  const messages = [new BatchMessage(), new BatchMessage()]
  let turn = 0
  for await (const part of parts) {
    const bytes =
      part.kind === 'schema'
        ? headerData(schemaMessage(part.schema))
        : messages[turn++ & 1].write(part.batch)
    await sender.send(bytes)
    onSent(bytes.length)
  }
  await sender.finish()
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
