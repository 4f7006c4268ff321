// A Flight client of its own, for conversations as drivers and dashboards hold them: messages are put
// together here from the public protocol definition, not with the code that is tested, and Arrow's library
// reads what comes back.

import {
  Client,
  type ClientReadableStream,
  credentials,
  Metadata,
  type ServiceError,
  type status,
} from '@grpc/grpc-js'
import { type Table, tableFromIPC } from 'apache-arrow'
import { onTestFinished } from 'vitest'

type Bytes = Uint8Array

const same = (bytes: Buffer) => bytes

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** A field of bytes, of a text, or of a message. */
export function field(number: number, content: string | Bytes): Buffer {
  const bytes = Buffer.from(content as string)
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes])
}

export function numberField(number: number, value: number): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)])
}

export function message(...fields: Buffer[]): Buffer {
  return Buffer.concat(fields)
}

/** The fields of bytes in a message, by number; numbers are skipped. */
export function fieldsOf(bytes: Bytes): Map<number, Buffer[]> {
  const fields = new Map<number, Buffer[]>()
  let at = 0
  const next = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]
      value += (byte % 128) * scale
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const key = next()
    if (key % 8 === 0) {
      next()
      continue
    }
    const length = next()
    const number = Math.floor(key / 8)
    const list = fields.get(number) ?? []
    fields.set(number, [...list, Buffer.from(bytes.subarray(at, at + length))])
    at += length
  }
  return fields
}

export function first(bytes: Bytes, number: number): Buffer {
  return fieldsOf(bytes).get(number)?.[0] ?? Buffer.alloc(0)
}

/** A Flight SQL command in its Any. */
export function command(name: string, ...fields: Buffer[]): Buffer {
  const type = `type.googleapis.com/arrow.flight.protocol.sql.${name}`
  return message(field(1, type), field(2, message(...fields)))
}

export function descriptor(commandBytes: Bytes): Buffer {
  return message(numberField(1, 2), field(2, commandBytes))
}

export function jsonTicket(content: unknown): Buffer {
  return field(1, JSON.stringify(content))
}

/** One message of Arrow's streaming format. */
function framed(header: Bytes, body: Bytes): Buffer {
  const prefix = Buffer.alloc(8)
  prefix.writeUInt32LE(0xffffffff, 0)
  prefix.writeUInt32LE(header.length, 4)
  return Buffer.concat([prefix, header, body])
}

export interface Refusal {
  readonly code: status
  readonly details: string
}

/** Several values: the header is sent as often. */
type Headers = Readonly<Record<string, string | readonly string[]>>

export class FlightClient {
  readonly #client: Client
  readonly headers: Headers

  constructor(url: string, headers: Headers, tls?: { readonly certificate: Buffer }) {
    const { host } = new URL(url)
    const channel =
      tls === undefined ? credentials.createInsecure() : credentials.createSsl(tls.certificate)
    this.#client = new Client(host, channel)
    this.headers = headers
    onTestFinished(() => this.#client.close())
  }

  #metadata(): Metadata {
    const metadata = new Metadata()
    for (const [name, given] of Object.entries(this.headers)) {
      for (const value of [given].flat()) metadata.add(name, value)
    }
    return metadata
  }

  unary(method: string, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const done = (error: ServiceError | null, bytes?: Buffer) => {
        if (error === null && bytes !== undefined) resolve(bytes)
        else reject(error)
      }
      this.#client.makeUnaryRequest(path(method), same, same, request, this.#metadata(), done)
    })
  }

  stream(method: string, request: Buffer): ClientReadableStream<Buffer> {
    return this.#client.makeServerStreamRequest(path(method), same, same, request, this.#metadata())
  }

  async all(method: string, request: Buffer): Promise<Buffer[]> {
    const messages: Buffer[] = []
    for await (const bytes of this.stream(method, request)) messages.push(bytes as Buffer)
    return messages
  }

  /** What the server answers to these messages, and the headers that it answers with. */
  async both(
    method: string,
    requests: readonly Buffer[],
  ): Promise<{ messages: Buffer[]; metadata: Metadata }> {
    const call = this.#client.makeBidiStreamRequest(path(method), same, same, this.#metadata())
    const answered = new Promise<Metadata>((resolve) => {
      call.once('metadata', resolve)
    })
    for (const request of requests) call.write(request)
    call.end()
    const messages: Buffer[] = []
    for await (const bytes of call) messages.push(bytes as Buffer)
    return { messages, metadata: await answered }
  }

  async doGet(ticket: Buffer): Promise<Table> {
    const parts: Buffer[] = []
    for (const bytes of await this.all('DoGet', ticket)) {
      parts.push(framed(first(bytes, 2), first(bytes, 1000)))
    }
    return tableFromIPC(Buffer.concat(parts))
  }

  /** As Flight SQL clients do it: ask where the answer is, then fetch it. */
  async ask(commandBytes: Buffer): Promise<Table> {
    const info = await this.unary('GetFlightInfo', descriptor(commandBytes))
    const endpoints = fieldsOf(info).get(3) ?? []
    if (endpoints.length !== 1) throw new Error(`${endpoints.length} endpoints`)
    return this.doGet(first(endpoints[0], 1))
  }

  /** How a call is refused. */
  async refusal(method: string, request: Buffer): Promise<Refusal> {
    try {
      await this.all(method, request)
    } catch (error) {
      const { code, details } = error as Refusal
      return { code, details }
    }
    throw new Error('the call was not refused')
  }
}

function path(method: string): string {
  return `/arrow.flight.protocol.FlightService/${method}`
}

/** Rows as plain objects. */
export function rowsOf(table: Table): Record<string, unknown>[] {
  const rows: Record<string, unknown>[] = []
  for (let i = 0; i < table.numRows; i++) {
    const cells = table.schema.fields.map(({ name }, column) => {
      return [name, table.getChildAt(column)?.get(i)] as const
    })
    rows.push(Object.fromEntries(cells))
  }
  return rows
}
