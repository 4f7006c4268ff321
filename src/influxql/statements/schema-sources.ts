// Where statements about series look: the buckets of a database, and which of their measurements.
// Measurements that were deleted as a whole do not show: everything is asked within a range of time,
// all of it where the statement gives none.

import type { TagPredicate } from '../../column/predicate.js'
import { compileRegex } from '../../column/regex.js'
import type { Series } from '../../column/series.js'
import { allTime, type TimeRange } from '../../column/time.js'
import { assert, UserError } from '../../errors.js'
import { collectPages } from '../../store/schema-pages.js'
import type { BucketId, FieldSchema, NamesRequest } from '../../store/store.js'
import type { TimeBounds } from '../plan/condition.js'
import type { BucketAction, InfluxqlScope } from '../scope/scope.js'
import type { MeasurementSource, Source } from '../syntax/ast.js'
import { sortedNames } from './series-order.js'

export type NameFilter = (name: string) => boolean

export interface SchemaSource {
  readonly bucket: BucketId
  readonly accepts: NameFilter
  /** All that it accepts, where that is known without asking; there may be no such measurements. */
  readonly names: readonly string[] | undefined
}

/** The database that a statement is about: its own, or the request's. */
export function requireDatabase(scope: InfluxqlScope, own: string | undefined): string {
  const database = databaseOf(scope, own)
  if (database === undefined) throw new UserError('invalid', 'database name required')
  return database
}

export function databaseOf(scope: InfluxqlScope, own: string | undefined): string | undefined {
  return own ?? (scope.database === '' ? undefined : scope.database)
}

/** Every bucket of a database that has one. */
export async function allBuckets(
  scope: InfluxqlScope,
  database: string,
  action: BucketAction = 'read',
): Promise<BucketId[]> {
  const { databases } = scope
  const buckets = new Set<BucketId>()
  for (const { name } of await databases.policies(database)) {
    buckets.add(await databases.bucket(database, name, action))
  }
  return [...buckets]
}

/**
 * The sources of FROM, each in its own database and policy; without FROM, every measurement of the
 * database. `policies` says what stands for a policy that nobody names: the default one, or all.
 */
export async function schemaSources(
  scope: InfluxqlScope,
  statement: { readonly database?: string; readonly sources: readonly Source[] },
  policies: 'default' | 'all',
): Promise<SchemaSource[]> {
  const { sources } = statement
  const found: SchemaSource[] = []
  for (const source of sources.length === 0 ? [everything] : sources) {
    assert(source.kind === 'measurement', 'statements about series have no subqueries')
    const database = requireDatabase(scope, source.database ?? statement.database)
    const policy = source.policy ?? scope.policy
    const buckets =
      policy === undefined && policies === 'all'
        ? await allBuckets(scope, database)
        : [await scope.databases.bucket(database, policy, 'read')]
    for (const bucket of buckets) found.push(sourceOf(bucket, [source]))
  }
  return found
}

const everything: MeasurementSource = { kind: 'measurement' }

/** Measurements of a bucket that FROM names. */
export function sourceOf(bucket: BucketId, sources: readonly Source[]): SchemaSource {
  const names = sources.map((source) => (source.kind === 'measurement' ? source.name : undefined))
  const isKnown = names.length > 0 && !names.includes(undefined)
  return {
    bucket,
    accepts: nameFilter(sources),
    names: isKnown ? (names as string[]) : undefined,
  }
}

/** Whether a measurement is one of those in FROM, whatever database and policy stand there. */
export function nameFilter(sources: readonly Source[]): NameFilter {
  if (sources.length === 0) return () => true
  const filters = sources.map((source): NameFilter => {
    if (source.kind !== 'measurement') return () => false
    if (source.regex !== undefined) {
      const regex = compileRegex(source.regex.pattern)
      return (name) => regex.test(name)
    }
    return source.name === undefined ? () => true : (name) => name === source.name
  })
  return filters.length === 1 ? filters[0] : (name) => filters.some((accepts) => accepts(name))
}

/** Undefined: nothing can lie between the bounds. */
export function rangeOf(bounds: TimeBounds): TimeRange | undefined {
  const { min = allTime.start, max = allTime.stop - 1n } = bounds
  const start = min < allTime.start ? allTime.start : min
  const stop = max >= allTime.stop ? allTime.stop : max + 1n
  return start < stop ? { start, stop } : undefined
}

/** What the buckets of some sources hold between them. */
export class SchemaReader {
  readonly #scope: InfluxqlScope
  readonly #range: TimeRange

  constructor(scope: InfluxqlScope, range: TimeRange = allTime) {
    this.#scope = scope
    this.#range = range
  }

  /** With a predicate: those that have a series of this kind. */
  async measurements(bucket: BucketId, predicate?: TagPredicate): Promise<readonly string[]> {
    return this.#names({ bucket, predicate, kind: 'measurements' })
  }

  /** Names of all sources, sorted. Those that were written out may not be there. */
  async measurementsOf(sources: readonly SchemaSource[]): Promise<readonly string[]> {
    const names: string[] = []
    for (const { bucket, accepts, names: known } of sources) {
      for (const name of known ?? (await this.measurements(bucket))) {
        if (known !== undefined || accepts(name)) names.push(name)
      }
    }
    return sortedNames(names)
  }

  async tagKeys(bucket: BucketId, measurement: string, predicate: TagPredicate | undefined) {
    return this.#names({ bucket, measurement, predicate, kind: 'tag-keys' })
  }

  async tagValues(
    bucket: BucketId,
    measurement: string,
    tag: string,
    predicate: TagPredicate | undefined,
  ) {
    return this.#names({ bucket, measurement, predicate, kind: 'tag-values', tag })
  }

  fields(bucket: BucketId, measurement: string): Promise<readonly FieldSchema[]> {
    return collectPages(this.#scope.store.fields({ bucket, measurement, range: this.#range }))
  }

  series(
    bucket: BucketId,
    measurement: string,
    predicate: TagPredicate | undefined,
  ): Promise<readonly Series[]> {
    const request = { bucket, measurement, predicate, range: this.#range }
    return collectPages(this.#scope.store.series(request))
  }

  /** Page by page, in the store's order. */
  seriesPages(bucket: BucketId, measurement: string, predicate: TagPredicate | undefined) {
    return this.#scope.store.series({ bucket, measurement, predicate, range: this.#range })
  }

  /** Page by page, sorted. */
  valuePages(
    bucket: BucketId,
    measurement: string,
    tag: string,
    predicate: TagPredicate | undefined,
  ) {
    const request = { bucket, measurement, predicate, kind: 'tag-values', tag } as const
    return this.#scope.store.names({ ...request, range: this.#range })
  }

  cardinality(
    bucket: BucketId,
    measurement: string | undefined,
    predicate: TagPredicate | undefined,
  ): Promise<number> {
    const of = measurement === undefined ? { bucket } : { bucket, measurement }
    return this.#scope.store.cardinality({ ...of, predicate, range: this.#range })
  }

  #names(request: NamesRequest): Promise<readonly string[]> {
    return collectPages(this.#scope.store.names({ ...request, range: this.#range }))
  }
}
