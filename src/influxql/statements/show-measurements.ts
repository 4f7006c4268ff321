// SHOW MEASUREMENTS. Its condition is about measurements, not about series: `host != 'a'` asks for
// those that know the tag and have no series with this value; AND and OR join lists of names.

import type { TagPredicate } from '../../column/predicate.js'
import { type ErrorCode, UserError } from '../../errors.js'
import type { ResultBatch } from '../../query/language.js'
import type { BucketId } from '../../store/store.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { Binary, Expression, MeasurementFilter, ShowStatement } from '../syntax/ast.js'
import { allBuckets, type NameFilter, requireDatabase, SchemaReader } from './schema-sources.js'
import { sortedNames } from './series-order.js'
import { measurementColumns } from './show-columns.js'
import { notAComparison } from './show-schema.js'
import { cut, tablePieces } from './table.js'
import { hasTag, hasTime, isSystemName, isTagOperator, nameMatches } from './tag-condition.js'

type ShowMeasurements = Extract<ShowStatement, { kind: 'show-measurements' }>

export async function* showMeasurements(
  statement: ShowMeasurements,
  scope: InfluxqlScope,
  result: number,
): AsyncGenerator<ResultBatch, void, void> {
  const { condition, with: filter, limit, offset } = statement
  if (hasTime(condition)) {
    throw new UserError('invalid', "SHOW MEASUREMENTS doesn't support time in WHERE clause")
  }
  const places = await placesOf(statement, scope)
  const accepts = filter === undefined ? () => true : filterOf(filter)
  const rows: string[][] = []
  for (const { buckets, where } of places) {
    const names = new Names(new SchemaReader(scope), buckets)
    const all = (await names.all()).filter(accepts)
    const matching = condition === undefined ? undefined : await names.matching(condition)
    const found = matching === undefined ? all : all.filter((name) => matching.has(name))
    for (const name of sortedNames(found)) rows.push([name, ...where])
  }
  const shape = { name: 'measurements', columns: measurementColumns(statement) }
  yield* tablePieces(result, shape, cut(rows, limit, offset))
}

const refusals: readonly ErrorCode[] = ['forbidden', 'unauthorized']

/** What is listed by itself: a database, or each of the policies that are asked for. */
interface Place {
  readonly buckets: readonly BucketId[]
  /** What stands beside each name. */
  readonly where: readonly string[]
}

async function placesOf(statement: ShowMeasurements, scope: InfluxqlScope): Promise<Place[]> {
  const { policy, allDatabases = false, allPolicies = false } = statement
  if (allDatabases && !allPolicies) {
    const asked = policy === undefined ? 'ON *' : 'ON *.rp'
    const advice = "use 'ON *.*' or specify a database"
    throw new UserError('invalid', `query 'SHOW MEASUREMENTS ${asked}' not supported. ${advice}`)
  }
  const { databases } = scope
  if (allDatabases) {
    const places: Place[] = []
    // Databases that the caller may only write are listed, too: they are passed over.
    for (const name of await databases.list()) {
      places.push(...((await unless(policyPlaces(scope, name), refusals)) ?? []))
    }
    return places
  }
  const database = requireDatabase(scope, statement.database)
  if (allPolicies) return (await unlessMissing(policyPlaces(scope, database))) ?? []
  if (policy !== undefined) {
    const bucket = await unlessMissing(bucketOf(scope, database, policy))
    return bucket === undefined ? [] : [{ buckets: [bucket], where: [database, policy] }]
  }
  const buckets = await bucketsIfAny(scope, database)
  return buckets === undefined ? [] : [{ buckets, where: [] }]
}

async function policyPlaces(scope: InfluxqlScope, database: string): Promise<Place[]> {
  const places: Place[] = []
  for (const { name } of await scope.databases.policies(database)) {
    const bucket = await bucketOf(scope, database, name)
    places.push({ buckets: [bucket], where: [database, name] })
  }
  return places
}

async function bucketOf(scope: InfluxqlScope, database: string, policy: string): Promise<BucketId> {
  return scope.databases.bucket(database, policy, 'read')
}

export function bucketsIfAny(
  scope: InfluxqlScope,
  database: string,
): Promise<BucketId[] | undefined> {
  return unlessMissing(allBuckets(scope, database))
}

/** A database or policy that is not there has no measurements, which is no error. */
function unlessMissing<Found>(found: Promise<Found>): Promise<Found | undefined> {
  return unless(found, ['not found'])
}

async function unless<Found>(
  found: Promise<Found>,
  codes: readonly ErrorCode[],
): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof UserError && codes.includes(error.code)) return undefined
    throw error
  }
}

function filterOf(filter: MeasurementFilter): NameFilter {
  if ('regex' in filter) return (name) => nameMatches(filter.op, filter.regex, name)
  return (name) => (name === filter.name) === (filter.op === '=')
}

/** Lists of the measurements of some buckets. */
class Names {
  readonly #reader: SchemaReader
  readonly #buckets: readonly BucketId[]

  constructor(reader: SchemaReader, buckets: readonly BucketId[]) {
    this.#reader = reader
    this.#buckets = buckets
  }

  async all(predicate?: TagPredicate): Promise<readonly string[]> {
    const names: string[] = []
    for (const bucket of this.#buckets) {
      names.push(...(await this.#reader.measurements(bucket, predicate)))
    }
    return sortedNames(names)
  }

  async matching(condition: Expression): Promise<ReadonlySet<string>> {
    if (condition.kind === 'paren') return this.matching(condition.inner)
    if (condition.kind !== 'binary') throw notAComparison(condition)
    const { op, left, right } = condition
    if (op !== 'AND' && op !== 'OR') return this.#compared(condition)
    const a = await this.matching(left)
    const b = await this.matching(right)
    return op === 'OR' ? new Set([...a, ...b]) : new Set([...a].filter((name) => b.has(name)))
  }

  async #compared({ op, left, right }: Binary): Promise<ReadonlySet<string>> {
    if (!isTagOperator(op)) throw new UserError('invalid', 'invalid tag comparison operator')
    if (left.kind !== 'reference') {
      throw new UserError('invalid', `left side of '${op}' must be a tag key`)
    }
    const isPattern = op === '=~' || op === '!~'
    if (right.kind !== (isPattern ? 'regex' : 'string')) {
      const wanted = isPattern ? 'a regular expression' : 'a tag value string'
      throw new UserError('invalid', `right side of '${op}' must be ${wanted}`)
    }
    if (left.name === '_name') {
      return new Set((await this.all()).filter((name) => nameMatches(op, right, name)))
    }
    if (isSystemName(left.name)) return new Set()
    const tag = left.name
    const matches: TagPredicate =
      right.kind === 'regex'
        ? { kind: 'tag-regex', tag, pattern: right.pattern, negated: false }
        : { kind: 'tag', tag, op: '=', value: right.kind === 'string' ? right.value : '' }
    const having = new Set(await this.all({ kind: 'and', parts: [hasTag(tag), matches] }))
    if (op === '=' || op === '=~') return having
    return new Set((await this.all(hasTag(tag))).filter((name) => !having.has(name)))
  }
}
