// What `failing-answers.test.ts` asks with: every language in every format that it has, and how each of them tells that
// an answer failed. Answers are looked at as readers see them: status, whether they came to their end, what is in them.

import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { FlightClient, jsonTicket } from '../flight/flight-client.js'

export interface Target {
  readonly url: string
  readonly token: string
}

/**
 * `refused`: an error is all there is. `told`: rows, and then the error where the format has a place for it. `broken`:
 * rows, and then nothing, not even an end. `complete`: nobody would think that something is missing.
 */
export type Outcome = 'refused' | 'told' | 'broken' | 'complete'

export interface Seen {
  readonly outcome: Outcome
  /** Bytes of the body, or of messages. */
  readonly bytes: number
}

export interface Question {
  readonly bucket: string
  /** Default: all rows of `m`; in Flux those of `a` before. */
  readonly text?: string
  /** Called when the first bytes of the answer have come. */
  readonly onBytes?: () => void
}

export interface Format {
  readonly name: string
  readonly language: 'influxql' | 'flux' | 'sql'
  /** How it tells of a failure behind rows that have left. */
  readonly late: Outcome
  /** InfluxQL holds the rows of a measurement, up to 64 MB, before it gives out the first: nothing has left then. */
  readonly isHeld?: boolean
  /** Whether its rows leave many at a time. */
  readonly isBatched?: boolean
  ask(target: Target, question: Question): Promise<Seen>
}

interface Asked {
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Whether a body that came to its end tells of an error. */
  tells(body: Buffer): boolean
}

const sql = 'SELECT * FROM m'
/** Row groups of Parquet are large. */
const sqlOfLongRows = 'SELECT *, repeat(s, 40) AS r FROM m'
const influxql = 'SELECT * FROM m'
const flux = (bucket: string) => `from(bucket: "${bucket}") |> range(start: 0)`

const v1 = (more: string) => (bucket: string) =>
  `/query?db=${bucket}&q=${encodeURIComponent(influxql)}${more}`

const jsonTells = (body: Buffer) => {
  const documents = body.toString().trimEnd().split('\n')
  return documents.some((text) => hasError(JSON.parse(text) as V1Document))
}

interface V1Document {
  readonly error?: string
  readonly results?: readonly { readonly error?: string }[]
}

function hasError({ error, results = [] }: V1Document): boolean {
  return [error, ...results.map((result) => result.error)].some((text) => (text ?? '') !== '')
}

const csvTells = (body: Buffer) => /(^|\n)error\n.+\n$/.test(body.toString())
/** A string of 5 bytes, and then one that is not empty. */
const msgpackTells = (body: Buffer) => /\xa5error[\xa1-\xbf\xd9-\xdb]/.test(body.toString('latin1'))
const fluxTells = (body: Buffer) => /\r\n,error,reference\r\n,.+,\r\n$/.test(body.toString())
const never = () => false

function overHttp(
  name: string,
  language: Format['language'],
  late: Outcome,
  asked: (bucket: string, text?: string) => Asked,
): Format[] {
  const ask = (gzip: boolean) => (target: Target, question: Question) =>
    exchange(target, asked(question.bucket, question.text), gzip, question.onBytes)
  const isHeld = language === 'influxql' && late !== 'told'
  const isBatched = ['v3 parquet of sql', 'v3 arrow of sql'].includes(name)
  const plain = { name, language, late, isHeld, isBatched, ask: ask(false) }
  // Packed, answers of one kind go one way: one format of each is enough.
  const isPacked = ['v1 JSON', 'annotated CSV', 'v3 json of sql'].includes(name)
  return isPacked ? [plain, { ...plain, name: `${name}, gzip`, ask: ask(true) }] : [plain]
}

function v3(language: 'influxql' | 'sql'): Format[] {
  const formats = ['json', 'jsonl', 'csv', 'parquet', 'arrow', 'pretty']
  const sqlOf = (format: string) =>
    format === 'parquet' || format === 'arrow' ? sqlOfLongRows : sql
  return formats.flatMap((format) =>
    overHttp(
      `v3 ${format} of ${language}`,
      language,
      // A table that is drawn as wide as its widest row leaves only when it is whole.
      format === 'pretty' ? 'refused' : 'broken',
      (db, q = language === 'sql' ? sqlOf(format) : influxql) => ({
        path: `/api/v3/query_${language}`,
        body: { db, q, format },
        tells: never,
      }),
    ),
  )
}

function v1Format(
  name: string,
  more: string,
  accept: string,
  tells: (body: Buffer) => boolean,
): Format[] {
  return overHttp(name, 'influxql', 'told', (bucket) => {
    return { path: v1(more)(bucket), method: 'GET', headers: { accept }, tells }
  })
}

export const formats: readonly Format[] = [
  ...v1Format('v1 JSON', '', 'application/json', jsonTells),
  ...v1Format('v1 JSON in chunks', '&chunked=true', 'application/json', jsonTells),
  ...v1Format('v1 CSV', '', 'application/csv', csvTells),
  ...v1Format('v1 CSV in chunks', '&chunked=true', 'application/csv', csvTells),
  ...v1Format('v1 msgpack', '', 'application/x-msgpack', msgpackTells),
  ...v1Format('v1 msgpack in chunks', '&chunked=true', 'application/x-msgpack', msgpackTells),
  ...overHttp('annotated CSV', 'flux', 'told', (bucket) => ({
    path: '/api/v2/query?org=o',
    body: { query: flux(bucket) },
    tells: fluxTells,
  })),
  ...overHttp('annotated CSV without annotations and header', 'flux', 'told', (bucket) => ({
    path: '/api/v2/query?org=o',
    body: { query: flux(bucket), dialect: { annotations: [], header: false } },
    tells: fluxTells,
  })),
  ...overHttp('nothing but a failure', 'flux', 'told', (bucket) => ({
    path: '/api/v2/query?org=o',
    headers: { prefer: 'return-no-content-with-error' },
    body: { query: flux(bucket) },
    tells: (body) => /,error,reference\r\n,.+,\r\n$/.test(body.toString()),
  })),
  ...overHttp('no content', 'flux', 'refused', (bucket) => ({
    path: '/api/v2/query?org=o',
    headers: { prefer: 'return-no-content' },
    body: { query: flux(bucket) },
    tells: never,
  })),
  ...v3('influxql'),
  ...v3('sql'),
  flight('influxql'),
  flight('sql'),
]

function exchange(
  { url, token }: Target,
  { path, method = 'POST', headers = {}, body, tells }: Asked,
  gzip: boolean,
  onBytes: () => void = () => {},
): Promise<Seen> {
  const encoding = gzip ? { 'accept-encoding': 'gzip' } : {}
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { authorization: `Token ${token}`, ...encoding, ...type, ...headers }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers: all })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.once('data', onBytes)
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      // A body that breaks off is an error, and then closed like any other.
      response.on('error', () => undefined)
      response.on('close', () => {
        const packed = Buffer.concat(chunks)
        const bytes = packed.length
        if (!response.complete) return resolve({ outcome: 'broken', bytes })
        if (response.statusCode! >= 400) return resolve({ outcome: 'refused', bytes })
        const isPacked = response.headers['content-encoding'] === 'gzip'
        const whole = isPacked ? gunzipSync(packed) : packed
        resolve({ outcome: tells(whole) ? 'told' : 'complete', bytes })
      })
    })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

function flight(language: 'influxql' | 'sql'): Format {
  return {
    name: `Flight of ${language}`,
    language,
    late: 'told',
    isHeld: language === 'influxql',
    async ask({ url, token }, { bucket: database, text, onBytes = () => {} }) {
      const client = new FlightClient(url, { authorization: `Bearer ${token}` })
      const query = text ?? (language === 'sql' ? sql : influxql)
      const ticket = jsonTicket({ database, sql_query: query, query_type: language })
      let bytes = 0
      try {
        for await (const message of client.stream('DoGet', ticket)) {
          // The first one is the schema.
          if (bytes > 0) onBytes()
          bytes += (message as Buffer).length
        }
      } catch (error) {
        const { details } = error as { details: string }
        if (details === '') throw error
        return { outcome: bytes === 0 ? 'refused' : 'told', bytes }
      }
      return { outcome: 'complete', bytes }
    },
  }
}
