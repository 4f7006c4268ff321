// `POST /api/v2/query`: Flux, answered as annotated CSV, or as Arrow or Parquet for whoever accepts that, and InfluxQL
// for whoever sends it here, answered as v1 answers it. Who may read what is asked of each bucket that a query names.

import type { Identity } from '../../access/authenticator.js'
import type { Organization } from '../../catalog/accounts/organizations.js'
import { UserError } from '../../errors.js'
import { streamOf } from '../../platform/pull-stream.js'
import type { TablePiece } from '../../query/language.js'
import { type CsvDialect, encodeFailure } from '../../result/annotated-csv.js'
import { encodeTablesAs, type TablesForm } from '../../result/answer-form.js'
import { arrowStreamType } from '../../result/arrow-stream.js'
import type { FluxQuestion } from '../../service/query/queries.js'
import { identify } from '../base/credentials.js'
import { v2Errors } from '../base/errors.js'
import { parameter } from '../base/parameters.js'
import type { Services } from '../base/services.js'
import { answerQuery, failureTextOf } from './answer.js'
import type { Exchange } from './exchange.js'
import { answerInfluxql } from './query-v1.js'
import { chunkRowsOf, encodingFor } from './query-v1-request.js'
import { type InfluxqlBody, readBody } from './query-v2-body.js'
import type { DataRoute } from './router.js'

export function v2QueryRoute({ clock, targets }: Services): DataRoute {
  return {
    methods: ['POST'],
    path: '/api/v2/query',
    errors: v2Errors,
    async handle(exchange) {
      const identity = await identify(exchange.services, exchange)
      const body = await readBody(exchange)
      const [org, orgID] = [parameter(exchange, 'org'), parameter(exchange, 'orgID')]
      const organization = await targets.organizationOfPoints(identity, { org, orgID })
      if (body.type === 'influxql') {
        return answerInfluxqlBody(exchange, identity, organization, body)
      }
      const { text, dialect, parameters, now = clock.now() } = body
      const question = { text, org: organization, now, parameters }
      await answerFlux(exchange, identity, question, dialect)
    },
  }
}

/** What of the answer a client wants: all, nothing, or nothing but a failure. */
type Preference = 'everything' | 'nothing' | 'failure'

/** What fails before anything was written is answered with its status; later failures are a table of the answer. */
export async function answerFlux(
  exchange: Exchange,
  identity: Identity,
  question: FluxQuestion,
  dialect: CsvDialect,
): Promise<void> {
  const run = await exchange.services.queries.flux(identity, {
    ...question,
    requestId: exchange.id,
  })
  const headers = ['trace-id', exchange.id]
  const preference = preferenceOf(exchange)
  if (preference === 'nothing') {
    try {
      await drain(run.pieces)
    } finally {
      run.end()
    }
    exchange.sendNothing(headers)
    return
  }
  const { accept } = exchange.headers
  const textOf = failureTextOf(exchange, run)
  if (preference === 'failure') {
    return answerQuery(exchange, run, () => ({
      chunks: streamOf(failureOnly(run.pieces, dialect, textOf)),
      contentType: csvType(accept),
      headers,
    }))
  }
  const { form, contentType } = columnarForm(accept) ?? csvForm(dialect, accept)
  await answerQuery(exchange, run, () => {
    return { chunks: encodeTablesAs(form, run.pieces, textOf), form, contentType, headers }
  })
}

interface TypedForm {
  readonly form: TablesForm
  readonly contentType: string
}

const parquetType = 'application/vnd.apache.parquet'

/**
 * Arrow for whoever adds `shapes=many` to
 * its type is a stream for each list of columns, one behind the other. Whoever adds `runs=encoded` gets what all rows
 * of a table share as runs: a million rows of one series are 16 MB and not 65.
 */
function columnarForm(accept = ''): TypedForm | undefined {
  if (accept.includes(arrowStreamType)) {
    const shapes = /;\s*shapes=many\b/.test(accept) ? 'many' : 'one'
    const values = /;\s*runs=encoded\b/.test(accept) ? 'runs' : 'rows'
    return { form: { kind: 'arrow', values, shapes }, contentType: arrowStreamType }
  }
  if (!accept.includes(parquetType)) return undefined
  return { form: { kind: 'parquet' }, contentType: parquetType }
}

function csvForm(dialect: CsvDialect, accept: string | undefined): TypedForm {
  return { form: { kind: 'annotated csv', dialect }, contentType: csvType(accept) }
}

function preferenceOf({ headers: { prefer } }: Exchange): Preference {
  if (prefer === 'return-no-content') return 'nothing'
  return prefer === 'return-no-content-with-error' ? 'failure' : 'everything'
}

async function drain(pieces: AsyncIterable<TablePiece>): Promise<void> {
  for await (const _ of pieces);
}

async function* failureOnly(
  pieces: AsyncIterable<TablePiece>,
  dialect: CsvDialect,
  textOf: (error: Error) => string,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    await drain(pieces)
  } catch (error) {
    yield encodeFailure(textOf(error as Error), dialect)
  }
}

/** `application/csv` for whoever names it and does not name the usual type before. */
function csvType(accept = ''): string {
  const [first] = /\b(?:text|application)\/csv\b/.exec(accept.toLowerCase()) ?? []
  return `${first ?? 'text/csv'}; charset=utf-8`
}

/** Of a bucket, or of a database and a policy; in the form that `Accept` asks for, in chunks as v1 gives them. */
export async function answerInfluxqlBody(
  exchange: Exchange,
  identity: Identity,
  org: Organization,
  { text, params, ...place }: Omit<InfluxqlBody, 'type'>,
): Promise<void> {
  const { bucket } = place
  const { database, policy } =
    bucket === undefined ? place : await databaseOf(exchange.services, org.id, bucket)
  const format = {
    encoding: encodingFor(exchange.headers.accept),
    isPretty: false,
    chunkRows: chunkRowsOf((name) => parameter(exchange, name)),
    time: undefined,
  }
  const parameters = params.size === 0 ? undefined : { values: params }
  const asked = { text, database, policy, parameters, format, isAsync: false }
  await answerInfluxql(exchange, { ...identity, orgId: org.id }, asked, false)
}

/** The first of the names by which v1 knows the bucket. Whether the caller may read it is checked later. */
async function databaseOf({ catalog, directories }: Services, orgId: string, nameOrId: string) {
  const bucket = await catalog.buckets.find(orgId, nameOrId)
  if (bucket === undefined) throw new UserError('not found', `bucket "${nameOrId}" not found`)
  const directory = await directories.of(orgId)
  for (const { name: database, policies } of directory.values()) {
    const policy = policies.find((entry) => entry.bucket.id === bucket.id)
    if (policy !== undefined) return { database, policy: policy.name }
  }
  throw new UserError('not found', `bucket "${nameOrId}" has no database`)
}
