// Points of tables of 3.x over Arrow Flight: columns as the server has them, without becoming text
// on the way.

import type { TimeRange } from '../../column/time.js'
import type { FlightClient } from '../connection/flight-client.js'
import { addRecordBatch } from './arrow-rows.js'
import { type SqlPoints, type TableRows, whereTime } from './sql-points.js'
import type { SqlTable } from './sql-table.js'

export class FlightPoints implements SqlPoints {
  readonly note = undefined
  readonly #client: FlightClient

  constructor(client: FlightClient) {
    this.#client = client
  }

  async *read(database: string, table: SqlTable, window: TimeRange): AsyncGenerator<TableRows> {
    const text = `${table.select} ${whereTime(window)}`
    for await (const batch of this.#client.query(database, text)) {
      if (batch.numRows === 0) continue
      yield { addTo: (builder, fields) => addRecordBatch(builder, table, batch, fields) }
    }
  }

  receivedBytes(): number {
    return this.#client.receivedBytes
  }

  close(): void {
    this.#client.close()
  }
}
