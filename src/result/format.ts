// What the reader of an answer asked for, and what every encoder is to whoever drives it. Which of
// the encoders fits is told by `encoding`; `results.ts` drives them.

import type { ResultBatch, ResultFailure, ResultStart } from '../query/language.js'
import type { ByteWriter } from './byte-writer.js'
import type { EpochUnit } from './moment-text.js'

export interface ResultFormat {
  readonly encoding: 'json' | 'csv' | 'msgpack'
  /** Indented; JSON only. */
  readonly isPretty: boolean
  /** Each piece of a table with so many rows is a document of its own; undefined: one document in all. */
  readonly chunkRows: number | undefined
  /**
   * Moments as a number since 1970, as RFC3339, or as the encoding has them: RFC3339 in JSON, nanoseconds in CSV, a
   * type of its own in msgpack. As in InfluxDB the unit is for a result's first column only.
   */
  readonly time: EpochUnit | 'rfc3339' | undefined
}

/** Called in the order of the pieces. What it writes may leave whenever it has returned. */
export interface ResultEncoder {
  readonly out: ByteWriter
  /** Whether what `out` holds may be sent now, or still changes. */
  readonly maySend: boolean
  start(start: ResultStart): void
  /** Encodes rows from `row` on until the batch ends or `out` is full; returns the row to go on with. */
  rows(batch: ResultBatch, row: number): number
  failure(failure: ResultFailure): void
  /** After the last piece. */
  end(): void
}

/** How the error of a statement reads in its result. */
export type FailureText = (error: Error) => string
