// How many tables a database of the cluster variant may have, and how many columns each of them, where whoever runs it
// has set a limit: points that would go beyond are refused, the others go on. The words are those of the v3 clusters.

import type { DatabaseLimits } from '../../catalog/storage/databases.js'
import { parseSeriesKey } from '../../column/series.js'
import type { WriteBatch, WriteTable } from '../../column/write-batch.js'
import type { BucketId, MeasurementSchema, Store } from '../../store/store.js'
import { type CheckedBatch, Refusals, refuseRows } from './refused-rows.js'

type LimitedStore = Pick<Store, 'measurementSchema' | 'names'>

export class TableLimits {
  readonly #store: LimitedStore
  readonly #bucket: BucketId
  readonly #limits: DatabaseLimits

  constructor(store: LimitedStore, bucket: BucketId, limits: DatabaseLimits) {
    this.#store = store
    this.#bucket = bucket
    this.#limits = limits
  }

  async check(batch: WriteBatch): Promise<CheckedBatch> {
    const schemas = new Map<string, MeasurementSchema>()
    for (const { measurement } of batch.tables) {
      if (schemas.has(measurement)) continue
      schemas.set(measurement, await this.#store.measurementSchema(this.#bucket, measurement))
    }
    const tooMany = await this.#tablesBeyond(schemas)
    return refuseRows(batch, (table) => {
      const reason = tooMany.get(table.measurement)
      if (reason !== undefined) return refuseAll(table, reason)
      return this.#columnsBeyond(table, schemas.get(table.measurement))
    })
  }

  /** Reasons by the names of new tables that there is no room for. */
  async #tablesBeyond(
    schemas: ReadonlyMap<string, MeasurementSchema>,
  ): Promise<ReadonlyMap<string, string>> {
    const beyond = new Map<string, string>()
    const { maxTables } = this.#limits
    const fresh = [...schemas].flatMap(([name, { version }]) => (version === 0 ? [name] : []))
    if (maxTables === undefined || fresh.length === 0) return beyond
    const count = await this.#tableCount()
    const reason =
      `dml handler error: service limit reached: couldn't create new table; namespace contains ${count} existing ` +
      `tables, applying this write would result in ${count + fresh.length} tables, limit is ${maxTables}`
    for (const name of fresh.slice(Math.max(0, maxTables - count))) beyond.set(name, reason)
    return beyond
  }

  async #tableCount(): Promise<number> {
    let count = 0
    const request = { kind: 'measurements', bucket: this.#bucket } as const
    for await (const page of this.#store.names(request)) count += page.length
    return count
  }

  /** Rows with a column that is new, where there is no room for all that are. */
  #columnsBeyond(table: WriteTable, schema: MeasurementSchema | undefined): Refusals | undefined {
    const { maxColumnsPerTable } = this.#limits
    if (maxColumnsPerTable === undefined) return undefined
    const { fields = [], tagKeys = [] } = schema ?? {}
    const known = new Set(['time', ...tagKeys, ...fields.map(({ name }) => name)])
    const freshFields = table.fields.filter(({ name }) => !known.has(name))
    const freshTags = newTags(table, known)
    const all = new Set(freshFields.map(({ name }) => name))
    for (const tags of freshTags.values()) for (const tag of tags) all.add(tag)
    const columnCount = schema === undefined || schema.version === 0 ? 0 : known.size
    const merged = known.size + all.size
    if (all.size === 0 || merged <= maxColumnsPerTable) return undefined
    const reason =
      `dml handler error: service limit reached: couldn't create columns in table \`${table.measurement}\`; ` +
      `table contains ${columnCount} existing columns, applying this write would result in ${merged} columns, ` +
      `limit is ${maxColumnsPerTable}`
    const refusals = new Refusals(table)
    for (let row = 0; row < table.rowCount; row++) {
      const isNew =
        freshTags.has(table.series[row]) ||
        freshFields.some(
          ({ column: { validity } }) => validity === undefined || validity[row] !== 0,
        )
      if (isNew) refusals.add(row, reason)
    }
    return refusals
  }
}

/** By the number of a series: its tags that are not known. */
function newTags(
  { keys, series, rowCount }: WriteTable,
  known: ReadonlySet<string>,
): ReadonlyMap<number, readonly string[]> {
  const fresh = new Map<number, readonly string[]>()
  for (const id of new Set(series.subarray(0, rowCount))) {
    const tags = parseSeriesKey(keys.key(id)).tags.flatMap(({ key }) =>
      known.has(key) ? [] : [key],
    )
    if (tags.length > 0) fresh.set(id, tags)
  }
  return fresh
}

function refuseAll(table: WriteTable, reason: string): Refusals {
  const refusals = new Refusals(table)
  for (let row = 0; row < table.rowCount; row++) refusals.add(row, reason)
  return refusals
}
