// A running server of v1, InfluxDB 1.x or another Millrace, read by InfluxQL: shard by shard, measurement by
// measurement, in chunks of msgpack. The server counts by itself for the comparison afterwards.

import type { FieldType } from '../../column/column.js'
import type { TimeRange } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import { parseMoment } from '../connection/moments.js'
import type { V1Client, V1Result, V1Series } from '../connection/v1-client.js'
import type { FieldPlan } from '../plan/field-plan.js'
import { addWeight, type FieldWeights } from '../plan/field-weights.js'
import type {
  CountUnit,
  MigrationSource,
  SourceDatabase,
  SourceDescription,
  SourcePolicy,
  SourceUnit,
  SourceUser,
  UnitRequest,
} from '../plan/source.js'
import { DayStatistics } from '../statistics/day-statistics.js'
import { type CountedField, countMeasurement, quoted } from '../statistics/query-statistics.js'
import { parseGoDuration } from './go-duration.js'
import { QueryRows, type ReadField } from './query-rows.js'
import { weekUnits } from './week-units.js'

const ownDatabases = new Set(['_internal', '_monitoring', '_tasks'])

/** Points may come late: a shard that ended less than an hour ago is looked at again. */
const settleNs = 3_600_000_000_000n

/** Of one statement. */
const fieldsMax = 200

/** A span that is not halved again. */
const shortestNs = 1_000_000_000n

export class QuerySource implements MigrationSource {
  readonly title: string
  readonly #client: V1Client
  readonly #now: () => bigint
  /** By database and policy. */
  readonly #fields = new Map<string, FieldWeights>()

  constructor(client: V1Client, now: () => bigint) {
    this.#client = client
    this.#now = now
    this.title = `the server at ${client.url}`
  }

  async describe(): Promise<SourceDescription> {
    const notes: string[] = []
    const [list] = await this.#client.query('SHOW DATABASES')
    const names = rowsOf(list).map((row) => String(row[0]))
    const shards = await this.#shards(notes)
    const queries = await this.#continuousQueries(notes)
    const databases: SourceDatabase[] = []
    for (const name of names) {
      if (ownDatabases.has(name)) continue
      const policies = await this.#policies(name, shards)
      databases.push({ name, policies, continuousQueries: queries.get(name) ?? [] })
    }
    return { databases, users: await this.#users(notes), notes }
  }

  async #policies(
    database: string,
    shards: ReadonlyMap<string, SourceUnit[]> | undefined,
  ): Promise<SourcePolicy[]> {
    const [result] = await this.#client.query(`SHOW RETENTION POLICIES ON ${quoted(database)}`)
    const { columns = [], values = [] } = result?.series?.[0] ?? {}
    const at = (name: string) => columns.indexOf(name)
    const policies: SourcePolicy[] = []
    for (const row of values) {
      const name = String(row[at('name')])
      policies.push({
        name,
        isDefault: row[at('default')] === true,
        durationNs: parseGoDuration(String(row[at('duration')])),
        shardDurationNs: parseGoDuration(String(row[at('shardGroupDuration')] ?? '0s')),
        units:
          shards === undefined
            ? await this.#weeks(database, name)
            : (shards.get(`${database}/${name}`) ?? []),
      })
    }
    return policies
  }

  /** In the place of shards that the server does not tell. */
  async #weeks(database: string, policy: string): Promise<SourceUnit[]> {
    const edge = async (order: string) => {
      const from = `${quoted(database)}.${quoted(policy)}./.*/`
      const [result] = await this.#client.query(
        `SELECT * FROM ${from} ORDER BY time ${order} LIMIT 1`,
        database,
      )
      return (result?.series ?? []).flatMap(({ values = [] }) => values.map(([time]) => time))
    }
    const [first] = ((await edge('ASC')) as bigint[]).sort(ascending)
    const last = ((await edge('DESC')) as bigint[]).sort(ascending).at(-1)
    if (first === undefined || last === undefined) return []
    return weekUnits(`${database}/${policy}`, { start: first, stop: last }, this.#now())
  }

  /** By database and policy; undefined where the server does not tell. */
  async #shards(notes: string[]): Promise<Map<string, SourceUnit[]> | undefined> {
    const results = await this.#optional('SHOW SHARDS', notes, 'weeks take their place')
    if (results === undefined) return undefined
    const sizes = await this.#shardBytes()
    const settled = this.#now() - settleNs
    const units = new Map<string, SourceUnit[]>()
    for (const { columns, values = [] } of results[0]?.series ?? []) {
      const at = (name: string) => columns.indexOf(name)
      for (const row of values) {
        const policy = `${row[at('database')]}/${row[at('retention_policy')]}`
        const range = {
          start: parseMoment(String(row[at('start_time')])),
          stop: parseMoment(String(row[at('end_time')])),
        }
        const isSettled = range.stop < settled
        const fingerprint = isSettled ? 'settled' : `open ${this.#now()}`
        const shard = String(row[at('id')])
        const bytes = sizes.get(shard) ?? 0
        const unit = { id: `${policy}/${shard}`, range, fingerprint, bytes }
        units.set(policy, [...(units.get(policy) ?? []), unit])
      }
    }
    for (const list of units.values()) list.sort((a, b) => (a.range.start < b.range.start ? -1 : 1))
    return units
  }

  /** By shard: what it takes there. Servers that do not say are read all the same. */
  async #shardBytes(): Promise<Map<string, number>> {
    const sizes = new Map<string, number>()
    const results = await this.#optional(`SHOW STATS FOR 'shard'`, [], '')
    for (const { tags, columns, values = [] } of results?.[0]?.series ?? []) {
      const bytes = values[0]?.[columns.indexOf('diskBytes')]
      const isCount = typeof bytes === 'number' || typeof bytes === 'bigint'
      if (tags?.id !== undefined && isCount) sizes.set(String(tags.id), Number(bytes))
    }
    return sizes
  }

  async #continuousQueries(notes: string[]) {
    const queries = new Map<string, { name: string; text: string }[]>()
    const results = await this.#optional('SHOW CONTINUOUS QUERIES', notes, 'they stay behind')
    for (const { name, values = [] } of results?.[0]?.series ?? []) {
      queries.set(
        name,
        values.map(([query, text]) => ({ name: String(query), text: String(text) })),
      )
    }
    return queries
  }

  async #users(notes: string[]): Promise<SourceUser[]> {
    const results = await this.#optional('SHOW USERS', notes, 'users stay behind')
    const users: SourceUser[] = []
    for (const [name, isAdmin] of rowsOf(results?.[0])) {
      const [result] = await this.#client.query(`SHOW GRANTS FOR ${quoted(String(name))}`)
      const grants = rowsOf(result)
        .map(([database, privilege]) => {
          return { database: String(database), privilege: String(privilege).split(' ')[0] }
        })
        .filter(({ privilege }) => privilege !== 'NO')
      users.push({ name: String(name), isAdmin: isAdmin === true, grants })
    }
    return users
  }

  /** What only some may ask. */
  async #optional(text: string, notes: string[], otherwise: string) {
    try {
      return await this.#client.query(text)
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      notes.push(`${text}: ${error.message}: ${otherwise}`)
      return undefined
    }
  }

  async fields(database: string, { name }: SourcePolicy): Promise<FieldWeights> {
    const weights: FieldWeights = new Map()
    const text = `SHOW FIELD KEYS ON ${quoted(database)} FROM ${quoted(name)}./.*/`
    const [result] = await this.#client.query(text, database)
    for (const { name: measurement, values = [] } of result?.series ?? []) {
      for (const [field, type] of values) {
        addWeight(weights, measurement, String(field), type as FieldType, 1)
      }
    }
    this.#fields.set(`${database}/${name}`, weights)
    return weights
  }

  async *read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    const { database, policy, unit, range, onBytes } = request
    const rows = new QueryRows()
    const from = later(range.start, unit.range.start)
    const to = range.stop < unit.range.stop ? range.stop : unit.range.stop
    for (const [measurement, fields] of this.#fields.get(`${database}/${policy}`) ?? []) {
      if (!request.wantsMeasurement(measurement)) continue
      const wanted = readFields(fields, (field, type) =>
        request.fieldTarget(measurement, field, type),
      )
      for (let at = 0; at < wanted.length; at += fieldsMax) {
        const some = wanted.slice(at, at + fieldsMax)
        const columns = some.map(({ expression }) => expression).join(', ')
        const place = `${quoted(database)}.${quoted(policy)}.${quoted(measurement)}`
        const text = `SELECT ${columns} FROM ${place}`
        for await (const series of this.#series(text, database, { start: from, stop: to })) {
          rows.add(series, some)
          onBytes(0)
          const batch = rows.take(false)
          if (batch !== undefined) yield batch
        }
      }
    }
    const rest = rows.take(true)
    if (rest !== undefined) yield rest
  }

  /** Where the span is too much for the server's limits, its halves, also where a part of it has come already. */
  async *#series(text: string, database: string, span: TimeRange): AsyncGenerator<V1Series> {
    const { start, stop } = span
    try {
      const where = `WHERE time >= ${start} AND time < ${stop}`
      yield* this.#client.series(`${text} ${where} GROUP BY *`, database)
    } catch (error) {
      if (!isTooMuch(error) || stop - start <= shortestNs) throw error
      const middle = (start + stop) / 2n
      yield* this.#series(text, database, { start, stop: middle })
      yield* this.#series(text, database, { start: middle, stop })
    }
  }

  readonly countUnit: CountUnit = async ({ database, policy }, range, measurements, signal) => {
    const place = `${quoted(database)}.${quoted(policy)}`
    const names = measurements === undefined ? ['/.*/'] : [...measurements].map(quoted)
    const from = names.map((name) => `${place}.${name}`).join(', ')
    const where = `WHERE time >= ${range.start} AND time < ${range.stop}`
    const text = `SELECT count(*) FROM ${from} ${where}`
    const [result] = await this.#client.query(text, database, signal)
    let count = 0
    for (const { values = [] } of result?.series ?? []) {
      for (const [, ...counts] of values) for (const one of counts) count += Number(one ?? 0)
    }
    return count
  }

  receivedBytes(): number {
    return this.#client.receivedBytes
  }

  readonly statistics = async (
    database: string,
    policy: string,
    plan: FieldPlan,
    range: TimeRange,
    selection: { readonly measurements?: ReadonlySet<string> | undefined },
  ): Promise<DayStatistics> => {
    const statistics = new DayStatistics()
    for (const [measurement, fields] of this.#fields.get(`${database}/${policy}`) ?? []) {
      if (selection.measurements?.has(measurement) === false) continue
      const counted: CountedField[] = readFields(fields, (field, type) =>
        plan.targetOf(measurement, field, type),
      ).map(({ name, expression, type }) => {
        return { name, expression, isInteger: type === 'integer' || type === 'unsigned' }
      })
      await countMeasurement(
        this.#client,
        statistics,
        { database, policy, measurement },
        counted,
        range,
      )
    }
    return statistics
  }

  async close(): Promise<void> {}
}

/** A field with one type is asked for as it is; of several types each that becomes a column of its own. */
function readFields(
  fields: ReadonlyMap<string, ReadonlyMap<FieldType, number>>,
  targetOf: (field: string, type: FieldType) => { readonly name: string; readonly type: FieldType },
): ReadField[] {
  const columns = new Map<string, ReadField>()
  for (const [field, types] of fields) {
    for (const type of types.keys()) {
      const { name, type: becomes } = targetOf(field, type)
      const kind = types.size === 1 ? 'field' : becomes
      const expression = `${quoted(field)}::${kind}`
      columns.set(`${becomes} ${name}`, { name, type: becomes, expression })
    }
  }
  return [...columns.values()]
}

function rowsOf(result: V1Result | undefined): readonly (readonly unknown[])[] {
  return result?.series?.[0]?.values ?? []
}

/** Limits that servers are set up with; shorter spans keep to them. */
function isTooMuch(error: unknown): boolean {
  return (
    error instanceof UserError &&
    /timeout|max-select-(point|series|buckets)|max-row-limit|memory/i.test(error.message)
  )
}

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : 1
}

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
