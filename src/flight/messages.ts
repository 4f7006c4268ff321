// The messages of Arrow Flight (arrow.flight.protocol) that this server reads and writes, by the field
// numbers of the protocol's definition.

import type { ArrowBatch } from '../result/arrow-batch.js'
import {
  bytesField,
  MessageWriter,
  numberField,
  readFields,
  textField,
  varint,
} from './protobuf.js'

export interface FlightDescriptor {
  /** 1: a path, 2: a command. */
  readonly type: number
  readonly command: Uint8Array
  readonly bytes: Uint8Array
}

export function readDescriptor(bytes: Uint8Array): FlightDescriptor {
  const fields = readFields(bytes)
  return { type: Number(numberField(fields, 1)), command: bytesField(fields, 2), bytes }
}

export const descriptorTypes = { path: 1, command: 2 } as const

export function readTicket(bytes: Uint8Array): Uint8Array {
  return bytesField(readFields(bytes), 1)
}

export interface Action {
  readonly type: string
  readonly body: Uint8Array
}

export function readAction(bytes: Uint8Array): Action {
  const fields = readFields(bytes)
  return { type: textField(fields, 1), body: bytesField(fields, 2) }
}

export interface FlightData {
  /** Of the first message of a stream; empty in the others. */
  readonly descriptor: Uint8Array
  readonly header: Uint8Array
  readonly body: Uint8Array
}

export function readFlightData(bytes: Uint8Array): FlightData {
  const fields = readFields(bytes)
  return {
    descriptor: bytesField(fields, 1),
    header: bytesField(fields, 2),
    body: bytesField(fields, 1000),
  }
}

/** One endpoint without a place of its own: the answer is fetched where it was asked for. */
export function flightInfo(
  schema: Uint8Array,
  descriptor: FlightDescriptor,
  ticket: Uint8Array,
): Buffer {
  const endpoint = new MessageWriter().message(1, new MessageWriter().bytes(1, ticket).finish())
  return new MessageWriter()
    .bytes(1, schema)
    .message(2, descriptor.bytes)
    .message(3, endpoint.finish())
    .number(4, -1n)
    .number(5, -1n)
    .finish()
}

/** FlightData that has nothing but a header: the schema. */
export function headerData(header: Uint8Array): Buffer {
  return new MessageWriter().bytes(2, header).finish()
}

const headerKey = varint(2 * 8 + 2)
const bodyKey = varint(1000 * 8 + 2)

/** What of a batch is sent: encoded elsewhere, there is no more of it here. */
export type SentBatch = Pick<ArrowBatch, 'header' | 'bodyBytes' | 'writeBody'>

/**
 * FlightData of a record batch, written into memory that is used again and again: a message is about a megabyte, and
 * fresh memory of that size costs more than what is written to it.
 */
export class BatchMessage {
  #bytes = Buffer.alloc(0)

  /** Valid until the next call. */
  write(batch: SentBatch): Buffer {
    const head = [headerKey, varint(batch.header.length), batch.header]
    if (batch.bodyBytes > 0) head.push(bodyKey, varint(batch.bodyBytes))
    const headBytes = head.reduce((bytes, part) => bytes + part.length, 0)
    const bytes = headBytes + batch.bodyBytes
    if (this.#bytes.length < bytes) this.#bytes = Buffer.allocUnsafe(Math.ceil(bytes * 1.25))
    let at = 0
    for (const part of head) {
      this.#bytes.set(part, at)
      at += part.length
    }
    batch.writeBody(this.#bytes, at)
    return this.#bytes.subarray(0, bytes)
  }
}

/** A PutResult, a Result of an action and a SchemaResult are one field of bytes each. */
export function bytesMessage(bytes: Uint8Array): Buffer {
  return new MessageWriter().bytes(1, bytes).finish()
}
