// A server of 3.x as a migration reads points from it: SQL over Arrow Flight, an answer as record batches. A server
// that is away for a moment is asked again; what it refuses is told as over HTTP, in its own words.

import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { type RecordBatch, RecordBatchReader } from 'apache-arrow'
import { bytesField } from '../../service/prometheus/protobuf-writer.js'
import { readMessage } from '../../tsm/metadata/protobuf-reader.js'
import { ServerRefusal } from './v1-client.js'

/** Of a message: servers of 3.x send some thousand rows in one. */
const messageBytesMax = 512 * 1024 * 1024

/** Whether somebody speaks Flight at all is known by then. */
const handshakeMs = 10_000

/** How often a request that found nobody is made again: about two minutes. */
const attemptsMax = 12
const waitMsMax = 15_000

/** What asking again will not change, as HTTP would say it. */
const lasting: Readonly<Partial<Record<status, number>>> = {
  [status.INVALID_ARGUMENT]: 400,
  [status.UNAUTHENTICATED]: 401,
  [status.PERMISSION_DENIED]: 403,
  [status.NOT_FOUND]: 404,
  [status.UNIMPLEMENTED]: 405,
}

const same = (bytes: Buffer) => bytes
const path = (method: string) => `/arrow.flight.protocol.FlightService/${method}`

export class FlightClient {
  /** Of answers, since it was made. */
  receivedBytes = 0
  readonly #url: string
  readonly #client: Client
  readonly #metadata = new Metadata()

  constructor(url: string, authorization: string | undefined) {
    const { protocol, hostname, port } = new URL(url)
    const isSecure = protocol === 'https:'
    const address = `${hostname}:${port || (isSecure ? 443 : 80)}`
    const channel = isSecure ? credentials.createSsl() : credentials.createInsecure()
    const options = {
      'grpc.max_receive_message_length': messageBytesMax,
      'grpc.enable_channelz': 0,
    }
    this.#url = url
    this.#client = new Client(address, channel, options)
    if (authorization !== undefined) this.#metadata.set('authorization', authorization)
  }

  /** Why nobody speaks Flight there; undefined: somebody does, whatever he thinks of the caller. */
  unreachable(): Promise<string | undefined> {
    return new Promise((resolve) => {
      const deadline = performance.timeOrigin + performance.now() + handshakeMs
      const call = this.#client.makeBidiStreamRequest(path('Handshake'), same, same, { deadline })
      call.on('error', () => {})
      call.on('data', () => {})
      call.on('status', ({ code, details }) => {
        const isThere = code === status.OK || lasting[code] === 401 || lasting[code] === 403
        resolve(isThere ? undefined : details)
      })
      call.end(Buffer.alloc(0))
    })
  }

  async *query(database: string, text: string): AsyncGenerator<RecordBatch> {
    for (let attempt = 1; ; attempt++) {
      let hasBegun = false
      try {
        for await (const batch of this.#batches(database, text)) {
          hasBegun = true
          yield batch
        }
        return
      } catch (error) {
        const isAway = (error as ServiceError).code === status.UNAVAILABLE
        if (hasBegun || !isAway || attempt === attemptsMax) throw this.#failure(error)
        await new Promise((resolve) => {
          setTimeout(resolve, Math.min(waitMsMax, 250 * 2 ** attempt))
        })
      }
    }
  }

  async *#batches(database: string, text: string): AsyncGenerator<RecordBatch> {
    const ticket = Buffer.from(
      JSON.stringify({ database, sql_query: text, query_type: 'sql', params: {} }),
    )
    const request = Buffer.from(bytesField(1, ticket))
    const call = this.#client.makeServerStreamRequest<Buffer, Buffer>(
      path('DoGet'),
      same,
      same,
      request,
      this.#metadata,
    )
    try {
      const stream = streamOf(call, (bytes) => {
        this.receivedBytes += bytes
      })
      yield* await RecordBatchReader.from(stream)
    } finally {
      call.cancel()
    }
  }

  #failure(error: unknown): unknown {
    const { code, details } = error as Partial<ServiceError>
    if (code === undefined) return error
    const message = `${this.#url} answered over Flight: ${details ?? ''}`
    const known = lasting[code]
    return known === undefined ? new Error(message) : new ServerRefusal(message, known, [])
  }

  close(): void {
    this.#client.close()
  }
}

/** The messages as Arrow's streaming format has them; those without a header only show that the server is alive. */
async function* streamOf(
  messages: AsyncIterable<Buffer>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const message of messages) {
    onBytes(message.length)
    let header = new Uint8Array(0)
    let body = new Uint8Array(0)
    for (const { number, bytes } of readMessage(message)) {
      if (number === 2) header = bytes as Uint8Array<ArrayBuffer>
      else if (number === 1000) body = bytes as Uint8Array<ArrayBuffer>
    }
    if (header.length === 0) continue
    const padding = -header.length & 7
    const framed = Buffer.alloc(8 + header.length + padding + body.length)
    framed.writeUInt32LE(0xffffffff, 0)
    framed.writeUInt32LE(header.length + padding, 4)
    framed.set(header, 8)
    framed.set(body, 8 + header.length + padding)
    yield framed
  }
}
