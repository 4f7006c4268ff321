// Objects of one bucket of S3, or of a server that speaks like it: put, got, listed and removed by signed requests.
// What fails in passing is tried again; what is refused is told with the server's word for it, and never with a secret.

import { setTimeout as pause } from 'node:timers/promises'
import { UserError } from '../errors.js'
import { type AwsCredentials, encodeSegment, signedHeaders } from '../platform/aws-signature.js'
import type { Clock } from '../platform/clock.js'

export interface S3Options {
  readonly bucket: string
  readonly region: string
  /** Of a server of one's own, whose buckets are the first part of a path; undefined: Amazon's. */
  readonly endpoint: string | undefined
  readonly credentials: AwsCredentials
  readonly clock: Clock
  /** Before the second try; doubled for each that follows. */
  readonly retryMs?: number
}

/** Of an object that is sent; it is held in memory, for trying again. 10,000 make an object: 156 GB. */
export const partBytes = 16 << 20
const triesMax = 6
/** Of an answer that is no object. */
const answerBytesMax = 64 << 20

interface Ask {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Absent: the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

export class S3Client {
  readonly #options: S3Options
  readonly #base: string

  constructor(options: S3Options) {
    this.#options = options
    const { endpoint, bucket, region } = options
    // A name with a dot in it fits no certificate of theirs.
    const own = `https://${bucket}.s3.${region}.amazonaws.com`
    const amazon = bucket.includes('.') ? `https://s3.${region}.amazonaws.com/${bucket}` : own
    const root = endpoint?.replace(/\/+$/, '')
    this.#base = root === undefined ? amazon : `${root}/${encodeSegment(bucket)}`
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    await this.#text({ method: 'PUT', key, body })
  }

  async exists(key: string): Promise<boolean> {
    const answer = await this.#send({ method: 'HEAD', key }, [404])
    await answer.body?.cancel()
    return answer.status !== 404
  }

  async remove(key: string): Promise<void> {
    await this.#text({ method: 'DELETE', key })
  }

  /** A connection that breaks off is taken up again where it was. */
  async *get(key: string): AsyncGenerator<Uint8Array> {
    let position = 0
    for (let attempt = 1; ; attempt++) {
      const headers: Record<string, string> = position === 0 ? {} : { range: `bytes=${position}-` }
      const answer = await this.#send({ method: 'GET', key, headers }, [416])
      if (answer.status === 416 || answer.body === null) return void (await answer.body?.cancel())
      if (position > 0 && answer.status !== 206) throw this.#failure('it knows no ranges')
      try {
        for await (const chunk of answer.body) {
          position += chunk.length
          yield chunk
        }
        return
      } catch (error) {
        if (attempt >= triesMax || !isNetworkFailure(error)) throw error
        await this.#pause(attempt)
      }
    }
  }

  /** Keys that begin with `prefix`; with a delimiter, what is alike up to it comes once, with it. */
  async list(prefix: string, delimiter?: string): Promise<string[]> {
    const found: string[] = []
    let next: string | undefined
    do {
      const query: Record<string, string> = { 'list-type': '2', prefix }
      if (delimiter !== undefined) query.delimiter = delimiter
      if (next !== undefined) query['continuation-token'] = next
      const text = await this.#text({ method: 'GET', query })
      for (const [, key] of text.matchAll(/<(?:Key|CommonPrefixes><Prefix)>([^<]*)</g)) {
        found.push(unescaped(key))
      }
      next = unescaped(/<NextContinuationToken>([^<]*)</.exec(text)?.[1] ?? '') || undefined
    } while (next !== undefined)
    return found
  }

  /** Parts of an object that is too large for one request; it is there when they are joined. */
  async beginParts(key: string): Promise<string> {
    const text = await this.#text({ method: 'POST', key, query: { uploads: '' } })
    const id = /<UploadId>([^<]+)</.exec(text)?.[1]
    if (id === undefined) throw this.#failure('it began no upload')
    return unescaped(id)
  }

  /** Answers with the mark that joining needs. */
  async putPart(key: string, uploadId: string, number: number, body: Uint8Array): Promise<string> {
    const query = { partNumber: String(number), uploadId }
    const answer = await this.#send({ method: 'PUT', key, query, body })
    await answer.body?.cancel()
    const mark = answer.headers.get('etag')
    if (mark === null) throw this.#failure('it gave no mark for a part')
    return mark
  }

  async joinParts(key: string, uploadId: string, marks: readonly string[]): Promise<void> {
    const parts = marks.map((mark, i) => {
      return `<Part><PartNumber>${i + 1}</PartNumber><ETag>${escaped(mark)}</ETag></Part>`
    })
    const text = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`
    const body = Buffer.from(text)
    const answer = await this.#text({ method: 'POST', key, query: { uploadId }, body })
    // It takes long, so the status is sent before it is known how it ends.
    if (answer.includes('<Error>')) throw this.#failure(refusal(answer, 200))
  }

  async dropParts(key: string, uploadId: string): Promise<void> {
    await this.#text({ method: 'DELETE', key, query: { uploadId } })
  }

  async #text(ask: Ask): Promise<string> {
    const answer = await this.#send(ask)
    return boundedText(answer)
  }

  /** Throws UserError for a refusal, but for statuses that are `known`. */
  async #send(ask: Ask, known: readonly number[] = []): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      let failure: Error
      try {
        const answer = await this.#once(ask)
        if (answer.ok || known.includes(answer.status)) return answer
        failure = this.#failure(refusal(await boundedText(answer), answer.status))
        if (answer.status < 500 && answer.status !== 429) throw failure
      } catch (error) {
        if (!isNetworkFailure(error)) throw error
        failure = this.#failure(causeOf(error))
      }
      if (attempt >= triesMax) throw failure
      await this.#pause(attempt)
    }
  }

  #once({ method, key, query = {}, headers = {}, body = new Uint8Array(0) }: Ask) {
    const { credentials, region, clock } = this.#options
    const path = key === undefined ? '/' : `/${key.split('/').map(encodeSegment).join('/')}`
    const url = new URL(`${this.#base}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    url.search = url.search.replaceAll('+', '%20')
    const moment = new Date(Number(clock.now() / 1_000_000n)).toISOString()
    const at = moment.replace(/[-:]|\.\d+/g, '')
    const place = { credentials, region, service: 's3' }
    const sent = signedHeaders({ method, url, headers, body }, place, at)
    const hasBody = method === 'PUT' || method === 'POST'
    return fetch(url, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(hasBody ? { body: body as Uint8Array<ArrayBuffer> } : {}),
    })
  }

  #pause(attempt: number): Promise<void> {
    return pause((this.#options.retryMs ?? 250) * 2 ** (attempt - 1))
  }

  #failure(message: string): UserError {
    return new UserError('unavailable', `s3://${this.#options.bucket}: ${message}`)
  }
}

/** The server's code and message: the rest of its answer may hold what was signed. */
function refusal(text: string, status: number): string {
  const code = /<Code>([^<]*)</.exec(text)?.[1]
  const message = /<Message>([^<]*)</.exec(text)?.[1]
  if (code === undefined) return `the server answered with ${status}`
  return `${unescaped(code)}${message === undefined ? '' : `: ${unescaped(message)}`}`
}

/** What `fetch` throws, and what it breaks a body off with. */
function isNetworkFailure(error: unknown): error is Error {
  return error instanceof TypeError
}

function causeOf({ message, cause }: Error): string {
  return cause instanceof Error ? `the server cannot be reached: ${cause.message}` : message
}

async function boundedText(answer: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let byteLength = 0
  for await (const part of answer.body ?? []) {
    byteLength += part.length
    if (byteLength > answerBytesMax) throw new UserError('invalid', 'an answer of S3 is too large')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

function unescaped(text: string): string {
  return text.replace(/&(#x[\da-f]+|#\d+|\w+);/gi, (whole, name: string) => {
    if (name.startsWith('#x')) return String.fromCodePoint(Number.parseInt(name.slice(2), 16))
    if (name.startsWith('#')) return String.fromCodePoint(Number(name.slice(1)))
    return entities[name] ?? whole
  })
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
}
