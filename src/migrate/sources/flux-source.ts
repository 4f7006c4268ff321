// A running server of 2.x read by Flux, with whatever token there is: what it holds is asked of its interface for
// resources, points come week by week as annotated CSV, which names the type of every value.

import { type TimeRange, timeMax, timeMin } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { UserError } from '../../errors.js'
import { momentText } from '../connection/moments.js'
import { ServerRefusal, type V1Client } from '../connection/v1-client.js'
import { readV2Resources } from '../connection/v2-resources.js'
import { addWeight, type FieldWeights } from '../plan/field-weights.js'
import type {
  CountUnit,
  MigrationSource,
  SourceDescription,
  SourcePolicy,
  SourceUnit,
  UnitRequest,
} from '../plan/source.js'
import { type FluxTable, fluxTables } from './flux-tables.js'
import { QueryRows } from './query-rows.js'
import { chosenOrganization, describeV2, type PlacedBucket } from './v2-description.js'
import { weekUnits } from './week-units.js'
import { Windows } from './windows.js'

const everything = { start: timeMin, stop: timeMax }

export class FluxSource implements MigrationSource {
  readonly title: string
  readonly #client: V1Client
  readonly #organization: string | undefined
  readonly #now: () => bigint
  readonly #windows: Windows
  #orgId = ''
  /** Ids of buckets by database and policy, and what they have. */
  readonly #buckets = new Map<string, string>()
  readonly #fields = new Map<string, FieldWeights>()

  constructor(client: V1Client, organization: string | undefined, now: () => bigint) {
    this.#client = client
    this.#organization = organization
    this.#now = now
    this.#windows = new Windows(now)
    this.title = `InfluxDB 2.x at ${client.url}`
  }

  async describe(): Promise<SourceDescription> {
    const { metadata, notes } = await readV2Resources(this.#client, this.#organization)
    const organization = chosenOrganization(metadata, this.#organization)
    this.#orgId = organization.id
    const description = await describeV2(metadata, organization, async (placed) => {
      return { units: await this.#units(placed) }
    })
    return { ...description, notes: [...description.notes, ...notes] }
  }

  async #units({ bucket, database, policy }: PlacedBucket): Promise<readonly SourceUnit[]> {
    const place = placeOf(database, policy)
    this.#buckets.set(place, bucket.id)
    const first = await this.#edge(bucket.id, 'first', 'min')
    const last = await this.#edge(bucket.id, 'last', 'max')
    if (first === undefined || last === undefined) return []
    return weekUnits(`${bucket.id}/flux`, { start: first, stop: last }, this.#now())
  }

  async #edge(bucket: string, each: string, all: string): Promise<bigint | undefined> {
    const script = `${from(bucket, everything)}
      |> ${each}() |> keep(columns: ["_time"]) |> ${all}(column: "_time")`
    let found: bigint | undefined
    for await (const { rows } of this.#tables(script)) found = rows[0]?.time ?? found
    return found
  }

  async fields(database: string, { name }: SourcePolicy): Promise<FieldWeights> {
    const place = placeOf(database, name)
    const weights: FieldWeights = new Map()
    const script = `${from(this.#buckets.get(place) ?? '', everything)} |> first()`
    for await (const { measurement, field, type } of this.#tables(script)) {
      addWeight(weights, measurement, field, type, 1)
    }
    this.#fields.set(place, weights)
    return weights
  }

  async *read(request: UnitRequest): AsyncGenerator<WriteBatch> {
    const { database, policy, unit, range, onBytes } = request
    const place = placeOf(database, policy)
    const known = [...(this.#fields.get(place)?.keys() ?? [])]
    const wanted = known.filter((name) => request.wantsMeasurement(name))
    if (wanted.length === 0) return
    const chosen = wanted.length === known.length ? '' : ` |> filter(fn: (r) => ${oneOf(wanted)})`
    const rows = new QueryRows()
    const read = (window: TimeRange) =>
      this.#tables(`${from(this.#buckets.get(place) ?? '', window)}${chosen}`)
    const span = {
      start: range.start > unit.range.start ? range.start : unit.range.start,
      stop: range.stop < unit.range.stop ? range.stop : unit.range.stop,
    }
    for await (const table of this.#windows.read(span, read, isTooMuch)) {
      const { measurement, field, type, tags } = table
      const target = request.fieldTarget(measurement, field, type)
      const values = table.rows.map(({ time, value }) => [time, value])
      rows.add({ name: measurement, tags, columns: [], values }, [{ ...target, expression: '' }])
      onBytes(0)
      const batch = rows.take(false)
      if (batch !== undefined) yield batch
    }
    const rest = rows.take(true)
    if (rest !== undefined) yield rest
  }

  readonly countUnit: CountUnit = async ({ database, policy }, range, measurements, signal) => {
    const bucket = this.#buckets.get(placeOf(database, policy)) ?? ''
    const names = measurements === undefined ? '' : oneOf([...measurements])
    const chosen = names === '' ? '' : ` |> filter(fn: (r) => ${names})`
    // A time of its own: every table that is read here has one.
    const script = `${from(bucket, range)}${chosen} |> count() |> group() |> sum()
      |> map(fn: (r) => ({_time: 1970-01-01T00:00:00Z, _value: r._value}))`
    let count = 0
    for await (const { rows } of this.#tables(script, signal)) {
      for (const { value } of rows) count += Number(value)
    }
    return count
  }

  receivedBytes(): number {
    return this.#client.receivedBytes
  }

  #tables(query: string, signal: AbortSignal | null = null): AsyncGenerator<FluxTable> {
    const dialect = { annotations: ['datatype', 'group', 'default'], dateTimeFormat: 'RFC3339Nano' }
    const parameters = new URLSearchParams({ orgID: this.#orgId })
    const bytes = this.#client.bytes(`api/v2/query?${parameters}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/csv' },
      body: JSON.stringify({ query, type: 'flux', dialect }),
      signal,
    })
    return fluxTables(bytes)
  }

  async close(): Promise<void> {}
}

function placeOf(database: string, policy: string): string {
  return JSON.stringify([database, policy])
}

function from(bucket: string, { start, stop }: TimeRange): string {
  const range = `start: ${momentText(start)}, stop: ${momentText(stop)}`
  return `from(bucketID: ${text(bucket)}) |> range(${range})`
}

function oneOf(measurements: readonly string[]): string {
  return measurements.map((name) => `r._measurement == ${text(name)}`).join(' or ')
}

/** Flux knows `${` within texts. */
function text(value: string): string {
  return JSON.stringify(value).replaceAll('${', '\\${')
}

/** A timeout or a limit of the server; what it does not understand it never will. */
function isTooMuch(error: unknown): boolean {
  if (error instanceof ServerRefusal) return error.answerStatus >= 500 || error.answerStatus === 408
  return !(error instanceof UserError) || /timeout|deadline|memory|limit/i.test(error.message)
}
