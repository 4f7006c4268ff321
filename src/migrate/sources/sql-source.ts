// A running server of 3.x read by SQL: databases and their tables by what the server lists over HTTP, points week by
// week over Flight or as JSON lines, as `SqlPoints` has it. A tag without a value is absent.

import type { TimeRange } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { BatchBuilder } from '../../tsm/shard/batch-builder.js'
import { parseMoment } from '../connection/moments.js'
import { ServerRefusal, type V1Client } from '../connection/v1-client.js'
import { addWeight, type FieldWeights } from '../plan/field-weights.js'
import type {
  CountUnit,
  MigrationSource,
  SourceDatabase,
  SourceDescription,
  SourcePolicy,
  SourceUnit,
  UnitRequest,
} from '../plan/source.js'
import { parseGoDuration } from './go-duration.js'
import { queryLines, type Row, type SqlPoints, whereTime } from './sql-points.js'
import { type SqlTable, tableColumns } from './sql-table.js'
import { weekUnits } from './week-units.js'
import { Windows } from './windows.js'

const ownDatabases = new Set(['_internal', '_monitoring', '_tasks'])

export class SqlSource implements MigrationSource {
  readonly title: string
  readonly #client: V1Client
  readonly #points: SqlPoints
  readonly #now: () => bigint
  readonly #windows: Windows
  /** By database. */
  readonly #tables = new Map<string, readonly SqlTable[]>()

  constructor(client: V1Client, points: SqlPoints, now: () => bigint) {
    this.#client = client
    this.#points = points
    this.#now = now
    this.#windows = new Windows(now)
    this.title = `InfluxDB 3.x at ${client.url}`
  }

  async describe(): Promise<SourceDescription> {
    const path = 'api/v3/configure/database?format=json'
    const list: Row[] = JSON.parse(await this.#client.text(path, { method: 'GET' }))
    const databases: SourceDatabase[] = []
    const { note } = this.#points
    const notes: string[] = note === undefined ? [] : [note]
    for (const row of list) {
      const name = String(row['iox::database'])
      if (ownDatabases.has(name) || row.deleted === true) continue
      const tables = await tableColumns((text) => this.#query(name, text))
      this.#tables.set(name, tables)
      databases.push(await this.#database(name, row.retention_period, tables, notes))
    }
    return { databases, users: [], notes }
  }

  async #database(
    name: string,
    retention: unknown,
    tables: readonly SqlTable[],
    notes: string[],
  ): Promise<SourceDatabase> {
    const spans: TimeRange[] = []
    for (const table of tables) spans.push(...(await this.#span(name, table, notes)))
    const units = spans.length === 0 ? [] : this.#units(name, spans)
    const policy: SourcePolicy = {
      name: 'autogen',
      isDefault: true,
      durationNs: retentionNs(retention),
      shardDurationNs: 0n,
      units,
      bucket: { name, isMapped: false },
    }
    return { name, policies: [policy], continuousQueries: [] }
  }

  #units(database: string, spans: readonly TimeRange[]): SourceUnit[] {
    const start = spans.reduce(
      (least, span) => (span.start < least ? span.start : least),
      spans[0].start,
    )
    const stop = spans.reduce((most, span) => (span.stop > most ? span.stop : most), spans[0].stop)
    return weekUnits(`${database}/sql`, { start, stop }, this.#now())
  }

  /** From the first to the last point. Core refuses to look through too many files, but lists them. */
  async #span(database: string, table: SqlTable, notes: string[]): Promise<TimeRange[]> {
    const limits = 'SELECT min(time) AS first, max(time) AS last'
    try {
      return await this.#limits(database, `${limits} FROM ${table.quoted}`)
    } catch (error) {
      if (!isTooMuch(error)) throw error
      const text =
        'SELECT min(min_time) AS first, max(max_time) AS last FROM system.parquet_files ' +
        `WHERE table_name = ${literal(table.name)}`
      notes.push(`${database}: "${table.name}" has many files: what is not in one yet comes last`)
      const [found] = await this.#limits(database, text)
      return found === undefined ? [] : [{ start: found.start, stop: this.#now() }]
    }
  }

  async #limits(database: string, text: string): Promise<TimeRange[]> {
    for await (const { first, last } of this.#query(database, text)) {
      if (first === undefined || first === null) continue
      return [{ start: momentOf(first), stop: momentOf(last) }]
    }
    return []
  }

  async fields(database: string): Promise<FieldWeights> {
    const weights: FieldWeights = new Map()
    for (const { name, fields } of this.#tables.get(database) ?? []) {
      for (const field of fields) addWeight(weights, name, field.name, field.type, 1)
    }
    return weights
  }

  async *read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    const { database, unit, range, onBytes } = request
    const span = {
      start: range.start > unit.range.start ? range.start : unit.range.start,
      stop: range.stop < unit.range.stop ? range.stop : unit.range.stop,
    }
    const builder = new BatchBuilder()
    for (const table of this.#tables.get(database) ?? []) {
      if (!request.wantsMeasurement(table.name)) continue
      const fields = table.fields.map(({ name, type }) => {
        return { ...request.fieldTarget(table.name, name, type), expression: '' }
      })
      const read = (window: TimeRange) => this.#points.read(database, table, window)
      for await (const rows of this.#windows.read(span, read, isTooMuch)) {
        rows.addTo(builder, fields)
        onBytes(0)
        const batch = builder.isFull ? builder.take() : undefined
        if (batch !== undefined) yield batch
      }
    }
    const rest = builder.take()
    if (rest !== undefined) yield rest
  }

  readonly countUnit: CountUnit = async ({ database }, range, measurements, signal) => {
    let count = 0
    for (const table of this.#tables.get(database) ?? []) {
      if (measurements?.has(table.name) === false || table.fields.length === 0) continue
      const text = `${table.selectCount} ${whereTime(range)}`
      for await (const { count: found } of this.#query(database, text, signal)) {
        count += Number(found ?? 0)
      }
    }
    return count
  }

  receivedBytes(): number {
    return this.#client.receivedBytes + (this.#points.receivedBytes?.() ?? 0)
  }

  #query(database: string, text: string, signal?: AbortSignal): AsyncGenerator<Row> {
    return queryLines(this.#client, database, text, signal)
  }

  async close(): Promise<void> {
    this.#points.close()
  }
}

function retentionNs(text: unknown): bigint {
  if (typeof text !== 'string' || /^(none|inf|infinite)$/i.test(text)) return 0n
  const inHours = text
    .replaceAll(/\s/g, '')
    .replaceAll(/(\d+)d(ays?)?/g, (_, days) => `${days * 24}h`)
  return parseGoDuration(inHours)
}

/** Numbers of nanoseconds are exact where they are texts; where they are not, near enough for a week. */
function momentOf(value: unknown): bigint {
  return typeof value === 'number' ? BigInt(value) : parseMoment(String(value))
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Shorter windows touch fewer files. */
function isTooMuch(error: unknown): boolean {
  if (!(error instanceof ServerRefusal)) return true
  return error.answerStatus >= 500 || /file limit|resources|memory|timeout/i.test(error.message)
}
