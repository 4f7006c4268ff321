// `sql.to`: tables are written into a table of a database as they pass, in one transaction. It is made where there is
// none, and takes everything or nothing: also what nobody behind asks for is written before it is committed.

import type { SqlConnection, SqlParameter, SqlTarget } from '../../../platform/sql-connection.js'
import { type Chunk, cellAt, type TableColumn } from '../../../query/table.js'
import type { FluxContext } from '../../context/context.js'
import type { Call } from '../../package/define.js'
import type { Table, TableStream } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import type { FluxValue } from '../../value/value.js'
import { targetOf } from './data-source.js'
import { createTableText, type Dialect, dialectOf, insertText, parameterOf } from './dialect.js'

/** Parameters of one statement, unless the call says how many. */
const defaultBatchSize = 10_000n

export function to(call: Call): FluxValue {
  const driver = named(call, 'driverName', 'driver name')
  const source = named(call, 'dataSourceName', 'data source name')
  const table = named(call, 'table', 'table name')
  const given = call.int('batchSize', defaultBatchSize)
  const batchSize = given <= 0n ? defaultBatchSize : given
  return call.node([call.stream('tables')], ([input], context) => {
    if (driver === 'awsathena') throw new FluxError(`writing is not supported for ${driver}`)
    const target = targetOf(driver, source, 'write')
    return written(input, target, table, batchSize, context)
  })
}

function named(call: Call, argument: string, what: string): string {
  const text = call.string(argument)
  if (text === '') throw new FluxError(`invalid ${what}`)
  return text
}

async function* written(
  input: TableStream,
  target: SqlTarget,
  name: string,
  batchSize: bigint,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const connection = await context.scope.databasesOutside.connect(target, context.signal)
  const writer = new TableWriter(connection, dialectOf(target), name, batchSize)
  const tables = new WrittenTables(input, writer, context)
  let isFailed = false
  try {
    for (let table = await tables.next(); table !== undefined; table = await tables.next()) {
      yield table
    }
  } catch (error) {
    isFailed = true
    throw error
  } finally {
    // A reader that has seen enough does not stop the writing.
    try {
      if (!isFailed) {
        while ((await tables.next()) !== undefined);
        await writer.commit()
      }
    } finally {
      // Without a commit the database forgets what was written.
      await connection.close()
    }
  }
}

/** The tables of a stream, each written to its end before the next is asked for. */
class WrittenTables {
  readonly #tables: AsyncIterator<Table>
  readonly #writer: TableWriter
  readonly #context: FluxContext
  #chunks: AsyncIterator<Chunk> | undefined
  #failure: { readonly error: unknown } | undefined

  constructor(input: TableStream, writer: TableWriter, context: FluxContext) {
    this.#tables = input[Symbol.asyncIterator]()
    this.#writer = writer
    this.#context = context
  }

  async next(): Promise<Table | undefined> {
    if (this.#chunks !== undefined) while ((await this.#chunks.next()).done !== true);
    // It came to the reader of the chunks, who may only have turned away.
    if (this.#failure !== undefined) throw this.#failure.error
    const { done, value: table } = await this.#tables.next()
    if (done === true) return undefined
    const chunks = this.#written(table)
    this.#chunks = chunks
    return { key: table.key, columns: table.columns, chunks: () => sharedChunks(chunks) }
  }

  async *#written(table: Table): AsyncGenerator<Chunk, void, void> {
    try {
      for await (const chunk of table.chunks()) {
        this.#context.signal.throwIfAborted()
        if (chunk.rowCount > 0) await this.#writer.write(table.columns, chunk)
        yield chunk
      }
    } catch (error) {
      this.#failure = { error }
      throw error
    }
  }
}

async function* sharedChunks(chunks: AsyncIterator<Chunk>): AsyncGenerator<Chunk, void, void> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done === true) return
    yield value
  }
}

class TableWriter {
  readonly #connection: SqlConnection
  readonly #dialect: Dialect
  readonly #table: string
  readonly #parametersMax: number
  #isBegun = false

  constructor(connection: SqlConnection, dialect: Dialect, table: string, batchSize: bigint) {
    this.#connection = connection
    this.#dialect = dialect
    this.#table = table
    const { parametersMax } = dialect
    this.#parametersMax = batchSize < BigInt(parametersMax) ? Number(batchSize) : parametersMax
  }

  async write(columns: readonly TableColumn[], chunk: Chunk): Promise<void> {
    const making = createTableText(this.#dialect, this.#table, columns)
    if (!this.#isBegun) await this.#begin(making)
    // A row goes as a whole, however wide it is.
    const rowsMax = Math.max(1, Math.floor(this.#parametersMax / columns.length))
    for (let start = 0; start < chunk.rowCount; start += rowsMax) {
      const stop = Math.min(start + rowsMax, chunk.rowCount)
      const insert = insertText(this.#dialect, this.#table, columns, stop - start)
      await this.#connection.execute(insert, this.#parameters(columns, chunk, start, stop))
    }
  }

  /** The table is there from the first rows on: whatever the next ones are like, it stays as it is. */
  async #begin(making: string): Promise<void> {
    this.#isBegun = true
    const { doesMakingCommit } = this.#dialect
    if (doesMakingCommit) await this.#connection.execute(making)
    await this.#connection.execute('BEGIN')
    if (!doesMakingCommit) await this.#connection.execute(making)
  }

  async commit(): Promise<void> {
    if (this.#isBegun) await this.#connection.execute('COMMIT')
  }

  #parameters(
    columns: readonly TableColumn[],
    chunk: Chunk,
    start: number,
    stop: number,
  ): readonly SqlParameter[] {
    const parameters: SqlParameter[] = []
    for (let row = start; row < stop; row++) {
      for (let i = 0; i < columns.length; i++) {
        const cell = cellAt(chunk.columns[i], row)
        parameters.push(parameterOf(this.#dialect, columns[i].type, cell))
      }
    }
    return parameters
  }
}
