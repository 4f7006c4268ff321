// DELETE, DROP SERIES, DROP MEASUREMENT: points of a database, in all of its policies unless DELETE names
// one. Conditions select series by their tags and may give a range of time; what they say about fields is refused.

import type { TagPredicate } from '../../column/predicate.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { BucketId } from '../../store/store.js'
import { splitCondition } from '../plan/condition.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { Binary, DeleteStatement, Expression } from '../syntax/ast.js'
import { allBuckets, databaseOf, nameFilter, rangeOf, SchemaReader } from './schema-sources.js'
import { listShards } from './shards.js'
import {
  hasTime,
  indexRules,
  pruned,
  requireTagOperators,
  selectedSeries,
} from './tag-condition.js'

type DeleteSeries = Extract<DeleteStatement, { kind: 'delete-series' | 'drop-series' }>

export async function dropMeasurement(name: string, scope: InfluxqlScope): Promise<void> {
  const { buckets } = await writable(scope)
  for (const bucket of buckets) {
    await scope.store.delete({ bucket, range: allTime, measurement: name })
  }
}

export async function deleteSeries(statement: DeleteSeries, scope: InfluxqlScope): Promise<void> {
  const { database, buckets } = await writable(scope, policyOf(statement))
  if (statement.kind === 'drop-series' && hasTime(statement.condition)) {
    throw new UserError('invalid', "DROP SERIES doesn't support time in WHERE clause")
  }
  const { bounds, condition } = splitCondition(statement.condition, scope.clock.now(), undefined)
  const range = rangeOf(bounds)
  if (range === undefined) return
  const accepts = nameFilter(statement.sources)
  const reader = new SchemaReader(scope)
  // Everything is judged before anything goes.
  const deletes: Delete[] = []
  for (const bucket of buckets) {
    if (condition === undefined && statement.sources.length === 0) {
      deletes.push({ bucket, range })
      continue
    }
    for (const measurement of (await reader.measurements(bucket)).filter(accepts)) {
      const predicate = selectedSeries(condition, measurement, indexRules)
      // What selects nothing is not looked at any further.
      if ((await reader.cardinality(bucket, measurement, predicate)) === 0) continue
      if (condition !== undefined && (await asksForField(reader, bucket, measurement, condition))) {
        throw await fieldsRefused(scope, database)
      }
      requireTagOperators(condition)
      deletes.push({
        bucket,
        range,
        measurement,
        ...(predicate === undefined ? {} : { predicate }),
      })
    }
  }
  for (const one of deletes) await scope.store.delete(one)
}

interface Delete {
  readonly bucket: BucketId
  readonly range: TimeRange
  readonly measurement?: string
  readonly predicate?: TagPredicate
}

async function writable(
  scope: InfluxqlScope,
  policy?: string,
): Promise<{ database: string; buckets: BucketId[] }> {
  const database = databaseOf(scope, undefined)
  if (database === undefined) throw new UserError('not found', 'database not found: ')
  if (policy === undefined)
    return { database, buckets: await allBuckets(scope, database, 'delete') }
  return { database, buckets: [await scope.databases.bucket(database, policy, 'delete')] }
}

/** The policy of FROM, which is the same for all sources. */
function policyOf({ sources }: DeleteSeries): string | undefined {
  const [policy, ...others] = sources.map((source) =>
    source.kind === 'measurement' ? source.policy : undefined,
  )
  const other = others.findIndex((one) => one !== policy)
  if (other < 0) return policy
  const pair = `wanted "${policy ?? ''}" got "${others[other] ?? ''}"`
  throw new UserError('invalid', `mixed retention policies not supported, ${pair}`)
}

/** Whether the condition compares something that is no tag. */
async function asksForField(
  reader: SchemaReader,
  bucket: BucketId,
  measurement: string,
  condition: Expression,
): Promise<boolean> {
  const fields = await reader.fields(bucket, measurement)
  const names = new Set(fields.map((field) => field.name))
  return pruned(condition, (comparison) => isOfField(comparison, names)) !== undefined
}

function isOfField({ left, right }: Binary, fields: ReadonlySet<string>): boolean {
  const [key, value] = left.kind === 'reference' ? [left, right] : [right, left]
  if (key.kind !== 'reference') return true
  if (key.name === '_name') return false
  if (key.type === undefined ? fields.has(key.name) : key.type !== 'tag') return true
  return value.kind !== 'string' && value.kind !== 'regex' && value.kind !== 'reference'
}

/** InfluxDB says which shard refused first. */
async function fieldsRefused(scope: InfluxqlScope, database: string): Promise<UserError> {
  const [shard] = await listShards(scope, database)
  const text = 'fields not supported in WHERE clause during deletion'
  return new UserError('invalid', `shard ${shard?.id ?? 0}: ${text}`)
}
