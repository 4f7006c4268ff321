// The form that an answer is asked for in, as plain data, and the encoder of each: a query that runs on another thread
// is printed there, by the same words.

import { BusyError, OverloadError, UserError } from '../errors.js'
import { type PullStream, streamOf } from '../platform/pull-stream.js'
import type { ResultBatch, ResultPiece, TablePiece } from '../query/language.js'
import { type CsvDialect, encodeTables } from './annotated-csv.js'
import { encodeArrowStream } from './arrow-stream.js'
import type { FailureText, ResultFormat } from './format.js'
import { encodeParquet } from './parquet-results.js'
import { encodeResults } from './results.js'
import { tableBatches } from './table-batches.js'
import { encodeV3, type V3Format } from './v3-results.js'

/** Of answers that are results with batches of rows. */
export type ResultsForm =
  | {
      readonly kind: 'v1'
      readonly format: ResultFormat
      /** As the cluster does; elsewhere its statement fails. */
      readonly refusesMissingDatabase: boolean
    }
  | {
      readonly kind: 'v3'
      readonly format: V3Format
      /** Name and tags of each table are columns of the answer. */
      readonly isGrouped: boolean
    }

/** Of answers that are tables with group keys (Flux). */
export type TablesForm =
  | { readonly kind: 'annotated csv'; readonly dialect: CsvDialect }
  /** Both have one list of columns, so that an answer whose tables differ fails; Arrow may have a stream for each. */
  | { readonly kind: 'arrow'; readonly values: 'rows' | 'runs'; readonly shapes: 'one' | 'many' }
  | { readonly kind: 'parquet' }

export type AnswerForm = ResultsForm | TablesForm

/** An encoder's chunks, each valid until the next one is asked for. */
export interface Chunks extends PullStream<Uint8Array> {
  /** Nothing comes behind the chunk given last, and closing need not be waited for. Absent: only asking tells. */
  readonly isLast?: boolean
}

/** A query's answer before it is encoded. */
export interface ResultSource {
  readonly pieces: PullStream<ResultPiece>
  /** See `Prepared.describe`. */
  describe(): Promise<ResultBatch | undefined>
}

export function encodeResultsAs(
  form: ResultsForm,
  source: ResultSource,
  failureText: FailureText,
): Chunks {
  if (form.kind === 'v3') {
    return streamOf(encodeV3(withColumns(source), form.format, form.isGrouped))
  }
  const { format, refusesMissingDatabase } = form
  return encodeResults(source.pieces, format, {
    failureText,
    refusal: (error) => refusalOf(error, refusesMissingDatabase),
  })
}

export function encodeTablesAs(
  form: TablesForm,
  pieces: PullStream<TablePiece>,
  failureText: FailureText,
): Chunks {
  switch (form.kind) {
    case 'annotated csv':
      return streamOf(encodeTables(pieces, form.dialect, failureText))
    case 'arrow':
      return streamOf(encodeArrowStream(tableBatches(pieces), form.values, form.shapes))
    case 'parquet':
      return streamOf(encodeParquet(tableBatches(pieces), 'rows'))
  }
}

/** Callers that want columns also where there is no row get them as a batch without rows. */
export async function* withColumns(source: ResultSource): AsyncGenerator<ResultPiece, void, void> {
  let hasColumns = false
  for await (const piece of source.pieces) {
    hasColumns ||= piece.kind !== 'start'
    yield piece
  }
  const columns = hasColumns ? undefined : await source.describe()
  if (columns !== undefined) yield columns
}

/** What refuses a request of v1 as a whole; what else fails stands in its result. */
function refusalOf(error: Error, refusesMissingDatabase: boolean): Error | undefined {
  if (error instanceof OverloadError || error instanceof BusyError) return error
  if (!(error instanceof UserError)) return undefined
  if (error.code === 'unauthorized' || error.code === 'forbidden') return error
  if (!refusesMissingDatabase) return undefined
  if (error.message === 'database name required') return databaseNotNamed()
  const isMissing = error.code === 'not found' && error.message.startsWith('database not found')
  return isMissing ? error : undefined
}

/** In the words of the cluster, which alone refuses the request for it. */
function databaseNotNamed(): UserError {
  const rule = "must specify a 'db' parameter, or provide the database in the InfluxQL query"
  return new UserError('invalid', rule)
}
