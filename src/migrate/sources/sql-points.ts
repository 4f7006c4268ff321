// How the points of tables of 3.x travel: as JSON lines over HTTP, which every proxy lets through. Integers are asked
// for as text, which keeps all 64 bits. Flight is the other way: flight-points.ts.

import type { TimeRange } from '../../column/time.js'
import type { BatchBuilder } from '../../tsm/shard/batch-builder.js'
import { jsonLines } from '../connection/json-lines.js'
import { momentText } from '../connection/moments.js'
import type { V1Client } from '../connection/v1-client.js'
import { addSeries, type ReadField } from './query-rows.js'
import type { SqlTable } from './sql-table.js'

/** Some rows of a table, in any order. */
export interface TableRows {
  /** `fields`: what the table's fields become, in its order. */
  addTo(builder: BatchBuilder, fields: readonly ReadField[]): void
}

export interface SqlPoints {
  /** Told with the plan; undefined: nothing to tell. */
  readonly note: string | undefined
  read(database: string, table: SqlTable, window: TimeRange): AsyncIterable<TableRows>
  /** Where they do not come over the client. */
  receivedBytes?(): number
  close(): void
}

export type Row = Readonly<Record<string, unknown>>

const rowsMax = 10_000

export function whereTime({ start, stop }: TimeRange): string {
  return `WHERE time >= '${momentText(start)}' AND time < '${momentText(stop)}'`
}

export function queryLines(
  client: V1Client,
  db: string,
  q: string,
  signal: AbortSignal | null = null,
): AsyncGenerator<Row> {
  const bytes = client.bytes('api/v3/query_sql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/jsonl' },
    body: JSON.stringify({ db, q, format: 'jsonl' }),
    signal,
  })
  return jsonLines(bytes)
}

export class LinePoints implements SqlPoints {
  readonly #client: V1Client
  readonly note: string | undefined

  constructor(client: V1Client, note: string | undefined) {
    this.#client = client
    this.note = note
  }

  async *read(database: string, table: SqlTable, window: TimeRange): AsyncGenerator<TableRows> {
    const text = `${table.selectTexts} ${whereTime(window)}`
    let rows: Row[] = []
    for await (const row of queryLines(this.#client, database, text)) {
      rows.push(row)
      if (rows.length < rowsMax) continue
      yield rowsOf(table, rows)
      rows = []
    }
    if (rows.length > 0) yield rowsOf(table, rows)
  }

  close(): void {}
}

function rowsOf(table: SqlTable, rows: readonly Row[]): TableRows {
  return {
    addTo: (builder, fields) => {
      for (const series of table.seriesOf(rows)) addSeries(builder, series, fields)
    },
  }
}
