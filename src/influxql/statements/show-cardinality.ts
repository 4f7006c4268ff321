// SHOW … CARDINALITY: how many series, measurements, tag keys, tag values and field keys there are.
// Without any clause the two of InfluxDB's estimates count the whole database, and are exact here;
// everything else counts within the default policy, per measurement and group.

import { compileRegex } from '../../column/regex.js'
import { compareUtf8, type Series, seriesKey, type Tag } from '../../column/series.js'
import { UserError } from '../../errors.js'
import type { ResultBatch } from '../../query/language.js'
import { splitCondition } from '../plan/condition.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { CardinalityStatement, Dimension, Expression } from '../syntax/ast.js'
import {
  rangeOf,
  requireDatabase,
  SchemaReader,
  type SchemaSource,
  schemaSources,
} from './schema-sources.js'
import { sortedNames } from './series-order.js'
import { bucketsIfAny } from './show-measurements.js'
import { tableOf } from './table.js'
import { countRules, hasTime, isNever, selectedSeries } from './tag-condition.js'
import { filterTagKeys, type TagKeyPredicate } from './tag-keys.js'

/** How InfluxDB calls the statement when it refuses a time. Counting tag values is not refused. */
const names: Readonly<Record<CardinalityStatement['of'], string | undefined>> = {
  series: 'SERIES EXACT',
  measurement: 'MEASUREMENT EXACT',
  'tag-key': 'TAG KEY EXACT',
  'field-key': 'FIELD KEY',
  'tag-values': undefined,
}

export async function* showCardinality(
  statement: CardinalityStatement,
  scope: InfluxqlScope,
  result: number,
): AsyncGenerator<ResultBatch, void, void> {
  if (isEstimate(statement)) {
    const count = await estimate(statement, scope)
    const columns = [[estimation, 'integer']] as const
    yield tableOf(result, { name: '', columns }, [[count]])
    return
  }
  const name = names[statement.of]
  if (name !== undefined && hasTime(statement.condition)) {
    const text = `SHOW ${name} CARDINALITY doesn't support time in WHERE clause`
    throw new UserError('invalid', text)
  }
  const sources = await schemaSources(scope, statement, 'default')
  const { bounds, condition } = splitCondition(statement.condition, scope.clock.now(), undefined)
  const range = rangeOf(bounds)
  // Each table has one row.
  if (range === undefined || statement.offset > 0) return
  const reader = new SchemaReader(scope, range)
  const counter = new Counter(statement, condition, reader, sources)
  const columns = [[isCalledEstimate(statement) ? estimation : 'count', 'integer']] as const
  for (const { name: measurement, tags, count } of await counter.groups()) {
    yield tableOf(result, { name: measurement, tags, columns }, [[count]])
  }
}

const estimation = 'cardinality estimation'

/** Newer than InfluxDB 1.6: series of chosen measurements are estimated there too, and counted here. */
function isCalledEstimate({ of, exact, dimensions, limit, offset }: CardinalityStatement): boolean {
  return of === 'series' && !exact && dimensions.length === 0 && limit === 0 && offset === 0
}

function isEstimate(statement: CardinalityStatement): boolean {
  const { of, exact, sources, condition, dimensions, limit, offset } = statement
  if (exact || (of !== 'series' && of !== 'measurement')) return false
  const hasClause = sources.length > 0 || condition !== undefined || dimensions.length > 0
  return !hasClause && limit === 0 && offset === 0
}

async function estimate(statement: CardinalityStatement, scope: InfluxqlScope): Promise<number> {
  const database = requireDatabase(scope, statement.database)
  const buckets = (await bucketsIfAny(scope, database)) ?? []
  const reader = new SchemaReader(scope)
  if (statement.of === 'series' && buckets.length === 1) {
    return reader.cardinality(buckets[0], undefined, undefined)
  }
  // What several policies hold counts once.
  const found = new Set<string>()
  for (const bucket of buckets) {
    for (const name of await reader.measurements(bucket)) {
      if (statement.of === 'measurement') found.add(name)
      else {
        for await (const page of reader.seriesPages(bucket, name, undefined)) {
          for (const series of page) found.add(seriesKey(series))
        }
      }
    }
  }
  return found.size
}

interface Group {
  readonly name: string
  readonly tags: readonly Tag[]
  /** What is counted, each once. */
  readonly members: Set<string>
  /** What was counted without being looked at. */
  counted: number
}

interface GroupCount {
  readonly name: string
  readonly tags: readonly Tag[]
  readonly count: number
}

class Counter {
  readonly #statement: CardinalityStatement
  readonly #condition: Expression | undefined
  readonly #reader: SchemaReader
  readonly #sources: readonly SchemaSource[]
  readonly #groups = new Map<string, Group>()
  readonly #isWanted: TagKeyPredicate

  constructor(
    statement: CardinalityStatement,
    condition: Expression | undefined,
    reader: SchemaReader,
    sources: readonly SchemaSource[],
  ) {
    this.#statement = statement
    this.#condition = condition
    this.#reader = reader
    this.#sources = sources
    const { withKey } = statement
    this.#isWanted = withKey === undefined ? () => true : filterTagKeys(undefined, withKey)
  }

  /** In the order of their names and tags; those that count nothing are left out. */
  async groups(): Promise<GroupCount[]> {
    const measurements = await this.#reader.measurementsOf(this.#sources)
    const dimensions = await this.#dimensions(measurements)
    for (const measurement of measurements) {
      const accepting = this.#sources.filter(({ accepts }) => accepts(measurement))
      for (const { bucket } of accepting) {
        if (dimensions.length > 0) await this.#countGroups(bucket, measurement, dimensions)
        else await this.#countWhole(bucket, measurement, accepting.length === 1)
      }
    }
    const found = [...this.#groups.values()].filter((group) => countOf(group) > 0)
    return found.sort(compareGroups).map((group) => {
      return { name: group.name, tags: group.tags, count: countOf(group) }
    })
  }

  #predicate(measurement: string) {
    const isOfValues = this.#statement.of === 'tag-values'
    // Values are looked for series by series: one without the tag satisfies nothing about it.
    const rules = isOfValues ? { ...countRules, absentIsEmpty: false } : countRules
    return selectedSeries(this.#condition, measurement, rules)
  }

  /** Without groups the index answers for all series of a measurement at once. */
  async #countWhole(bucket: string, measurement: string, isOnlySource: boolean): Promise<void> {
    const reader = this.#reader
    const predicate = this.#predicate(measurement)
    if (isNever(predicate)) return
    const group = this.#group(measurement, [])
    const { members } = group
    switch (this.#statement.of) {
      case 'series':
        if (isOnlySource) group.counted += await reader.cardinality(bucket, measurement, predicate)
        else await this.#collectSeries(bucket, measurement, members)
        return
      case 'tag-key':
        for (const key of await reader.tagKeys(bucket, measurement, predicate)) members.add(key)
        return
      case 'tag-values':
        await this.#countValues(bucket, measurement, isOnlySource)
        return
      case 'field-key':
      case 'measurement':
        if ((await reader.cardinality(bucket, measurement, predicate)) === 0) return
        for (const member of await this.#shared(bucket, measurement)) members.add(member)
    }
  }

  async #collectSeries(bucket: string, measurement: string, members: Set<string>): Promise<void> {
    const predicate = this.#predicate(measurement)
    for await (const page of this.#reader.seriesPages(bucket, measurement, predicate)) {
      for (const series of page) members.add(seriesKey(series))
    }
  }

  /** Values of one tag are counted by the store; those of several may be the same. */
  async #countValues(bucket: string, measurement: string, isOnlySource: boolean): Promise<void> {
    const reader = this.#reader
    const group = this.#group(measurement, [])
    const predicate = this.#predicate(measurement)
    const keys = (await reader.tagKeys(bucket, measurement, predicate)).filter(this.#isWanted)
    for (const key of keys) {
      const pages = reader.valuePages(bucket, measurement, key, predicate)
      const first = await pages.take()
      if (isOnlySource && keys.length === 1 && pages.count !== undefined) {
        group.counted += pages.count
        await pages.close()
        return
      }
      for (const value of first ?? []) group.members.add(value)
      for await (const page of pages) for (const value of page) group.members.add(value)
    }
  }

  async #countGroups(
    bucket: string,
    measurement: string,
    dimensions: readonly string[],
  ): Promise<void> {
    const predicate = this.#predicate(measurement)
    if (isNever(predicate)) return
    const shared = await this.#shared(bucket, measurement)
    for await (const page of this.#reader.seriesPages(bucket, measurement, predicate)) {
      for (const series of page) {
        const { members } = this.#group(measurement, tagsOf(series, dimensions))
        for (const member of this.#members(series, shared)) members.add(member)
      }
    }
  }

  /** What every series of a measurement brings with it. */
  async #shared(bucket: string, measurement: string): Promise<readonly string[]> {
    const { of } = this.#statement
    if (of === 'measurement') return [measurement]
    if (of !== 'field-key') return []
    return (await this.#reader.fields(bucket, measurement)).map((field) => field.name)
  }

  #members(series: Series, shared: readonly string[]): readonly string[] {
    switch (this.#statement.of) {
      case 'series':
        return [seriesKey(series)]
      case 'tag-key':
        return series.tags.map(({ key }) => key)
      case 'tag-values':
        return series.tags.filter(({ key }) => this.#isWanted(key)).map(({ value }) => value)
      case 'field-key':
      case 'measurement':
        return shared
    }
  }

  #group(measurement: string, tags: readonly Tag[]): Group {
    // Measurements are counted across all of them.
    const name = this.#statement.of === 'measurement' ? '' : measurement
    const key = JSON.stringify([name, ...tags.map(({ value }) => value)])
    let group = this.#groups.get(key)
    if (group === undefined) {
      group = { name, tags, members: new Set(), counted: 0 }
      this.#groups.set(key, group)
    }
    return group
  }

  /** Names of the tags of GROUP BY, sorted. */
  async #dimensions(measurements: readonly string[]): Promise<readonly string[]> {
    const found: string[] = []
    for (const dimension of this.#statement.dimensions) {
      const isWanted = dimensionFilter(dimension)
      if (typeof isWanted === 'string') found.push(isWanted)
      else found.push(...(await this.#tagKeys(measurements)).filter(isWanted))
    }
    return sortedNames(found)
  }

  async #tagKeys(measurements: readonly string[]): Promise<string[]> {
    const keys: string[] = []
    for (const { bucket, accepts } of this.#sources) {
      for (const name of measurements.filter(accepts)) {
        keys.push(...(await this.#reader.tagKeys(bucket, name, undefined)))
      }
    }
    return keys
  }
}

function tagsOf(series: Series, dimensions: readonly string[]): Tag[] {
  return dimensions.map((key) => {
    return { key, value: series.tags.find((tag) => tag.key === key)?.value ?? '' }
  })
}

function dimensionFilter({ expression }: Dimension): string | TagKeyPredicate {
  switch (expression.kind) {
    case 'reference':
      return expression.name
    case 'wildcard':
      return () => true
    case 'regex': {
      const regex = compileRegex(expression.pattern)
      return (key) => regex.test(key)
    }
    case 'call':
      // Series are not counted over time.
      throw new UserError('invalid', 'cardinalities cannot be grouped by time')
    default:
      throw new UserError('invalid', 'only time and tag dimensions allowed')
  }
}

function countOf({ members, counted }: Group): number {
  return members.size + counted
}

function compareGroups(a: Group, b: Group): number {
  const byName = compareUtf8(a.name, b.name)
  if (byName !== 0) return byName
  for (let i = 0; i < a.tags.length; i++) {
    const byValue = compareUtf8(a.tags[i].value, b.tags[i].value)
    if (byValue !== 0) return byValue
  }
  return 0
}
