// SHOW SERIES, TAG KEYS, TAG VALUES and FIELD KEYS: what the index of a database holds, with the
// tables, orders and limits of InfluxDB. LIMIT and OFFSET count within each table.

import { seriesKey } from '../../column/series.js'
import { UserError } from '../../errors.js'
import type { ResultBatch } from '../../query/language.js'
import { inPieces, SortedRuns } from '../../query/sorted-runs.js'
import { splitCondition } from '../plan/condition.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { Binary, Expression, ShowStatement, Source, TagKeyFilter } from '../syntax/ast.js'
import {
  allBuckets,
  rangeOf,
  requireDatabase,
  SchemaReader,
  type SchemaSource,
  schemaSources,
  sourceOf,
} from './schema-sources.js'
import { keyOfOrderText, orderText, sortedNames } from './series-order.js'
import { showColumns } from './show-columns.js'
import { cut, type TableShape, tablePieces } from './table.js'
import {
  hasTime,
  indexRules,
  isNever,
  isSystemName,
  isTagOperator,
  nameMatches,
  pruned,
  requireTagOperators,
  selectedSeries,
} from './tag-condition.js'
import { filterTagKeys, tagKeyCondition } from './tag-keys.js'

type Show<Kind extends ShowStatement['kind']> = Extract<ShowStatement, { kind: Kind }>
type Tables = AsyncGenerator<ResultBatch, void, void>

const keyShape: TableShape = { name: '', columns: showColumns['show-series'] }

export async function* showSeries(
  statement: Show<'show-series'>,
  scope: InfluxqlScope,
  result: number,
): Tables {
  // Series of a time are read from the points of the default policy, all others from the whole index.
  const policies = hasTime(statement.condition) ? 'default' : 'all'
  const sources = await schemaSources(scope, statement, policies)
  const { bounds, condition } = splitCondition(statement.condition, scope.clock.now(), undefined)
  requireTagOperators(condition)
  const range = rangeOf(bounds)
  if (range === undefined) return
  const reader = new SchemaReader(scope, range)
  // LIMIT and OFFSET count over all measurements, which come one after the other.
  let { offset } = statement
  let left = statement.limit === 0 ? Number.POSITIVE_INFINITY : statement.limit
  for (const name of await reader.measurementsOf(sources)) {
    const predicate = selectedSeries(condition, name, { ...indexRules, readsTypes: false })
    if (isNever(predicate)) continue
    const asked = sources.filter(({ accepts }) => accepts(name))
    const pages = asked.map(({ bucket }) => reader.seriesPages(bucket, name, predicate))
    for await (const keys of seriesKeys(pages, offset + left)) {
      const rows = keys.slice(offset, offset + left).map((key) => [key])
      offset = Math.max(0, offset - keys.length)
      left -= rows.length
      yield* tablePieces(result, keyShape, rows)
      if (left === 0) return
    }
  }
}

type SeriesPages = ReturnType<SchemaReader['seriesPages']>

/** In order, the first `wanted` at least. */
async function* seriesKeys(
  sources: readonly SeriesPages[],
  wanted: number,
): AsyncGenerator<string[], void, void> {
  // One policy has them in order already: the first rows are there before the last series was looked at.
  if (sources.length === 1) {
    for await (const page of sources[0]) yield page.map(seriesKey)
    return
  }
  // The same series may be in several policies.
  const runs = new SortedRuns(wanted)
  for (const pages of sources) {
    let taken = 0
    for await (const page of pages) {
      runs.add(page.map(orderText))
      taken += page.length
      if (taken >= wanted) break
    }
  }
  for await (const texts of inPieces(runs.texts())) yield texts.map(keyOfOrderText)
}

/** What SHOW TAG KEYS and SHOW TAG VALUES look at: all policies of a database, unless FROM names one for values. */
interface TagView {
  readonly reader: SchemaReader
  readonly sources: readonly SchemaSource[]
  readonly names: readonly string[]
  readonly condition: Expression | undefined
  /** The part of the condition that selects series. */
  readonly filter: Expression | undefined
}

async function tagView(
  statement: Show<'show-tag-keys' | 'show-tag-values'>,
  scope: InfluxqlScope,
): Promise<TagView> {
  const database = requireDatabase(scope, statement.database)
  const policy = statement.kind === 'show-tag-values' ? namedPolicy(statement.sources) : undefined
  const buckets =
    policy === undefined
      ? await allBuckets(scope, database)
      : [await scope.databases.bucket(database, policy, 'read')]
  const { bounds, condition } = splitCondition(statement.condition, scope.clock.now(), undefined)
  const range = rangeOf(bounds)
  const asked = range === undefined ? [] : buckets
  const sources = asked.map((bucket) => sourceOf(bucket, statement.sources))
  const reader = new SchemaReader(scope, range)
  const known = await reader.measurementsOf(sources)
  const byName = pruned(condition, (c) => !isTagOperator(c.op) || isAbout(c, '_name'))
  const names = byName === undefined ? known : known.filter((name) => isNamed(byName, name))
  return { reader, sources, names, condition, filter: pruned(condition, isAboutSeries) }
}

/** The policy that FROM names, which may be one only. */
function namedPolicy(sources: readonly Source[]): string | undefined {
  const named = sources.flatMap((source) =>
    source.kind === 'measurement' ? (source.policy ?? []) : [],
  )
  const other = named.find((policy) => policy !== named[0])
  if (other === undefined) return named[0]
  const both = `"${other}", "${named[0]}"`
  throw new UserError(
    'invalid',
    `only one retention policy allowed in SHOW TAG VALUES query: ${both}`,
  )
}

function isAbout({ left }: Binary, name: string): boolean {
  return left.kind === 'reference' && left.name === name
}

function isAboutSeries({ left }: Binary): boolean {
  return left.kind === 'reference' && !isSystemName(left.name)
}

function isNamed(condition: Expression, name: string): boolean {
  switch (condition.kind) {
    case 'paren':
      return isNamed(condition.inner, name)
    case 'binary': {
      const { op, left, right } = condition
      if (op === 'AND') return isNamed(left, name) && isNamed(right, name)
      if (op === 'OR') return isNamed(left, name) || isNamed(right, name)
      if (isTagOperator(op)) return nameMatches(op, right, name)
      throw new UserError('invalid', 'invalid tag comparison operator')
    }
    default:
      throw notAComparison(condition)
  }
}

/** InfluxDB prints its own object here. */
export function notAComparison(condition: Expression): UserError {
  const shown =
    condition.kind === 'boolean'
      ? `&influxql.BooleanLiteral{Val:${condition.value}}`
      : 'invalid condition expression'
  return new UserError('invalid', shown)
}

export async function* showTagKeys(
  statement: Show<'show-tag-keys'>,
  scope: InfluxqlScope,
  result: number,
): Tables {
  const { reader, sources, names, filter } = await tagView(statement, scope)
  const { withKey, limit, offset } = statement
  const isWanted = withKey === undefined ? () => true : tagKeyCondition(withKey)
  for (const name of names) {
    const predicate = selectedSeries(filter, name, indexRules)
    if (isNever(predicate)) continue
    const keys: string[] = []
    for (const { bucket } of sources) keys.push(...(await reader.tagKeys(bucket, name, predicate)))
    const rows = cut(sortedNames(keys.filter(isWanted)), limit, offset).map((key) => [key])
    yield* tablePieces(result, { name, columns: showColumns['show-tag-keys'] }, rows)
  }
}

export async function* showTagValues(
  statement: Show<'show-tag-values'>,
  scope: InfluxqlScope,
  result: number,
): Tables {
  const view = await tagView(statement, scope)
  const { limit, offset } = statement
  for (const name of view.names) {
    const shape = { name, columns: showColumns['show-tag-values'] }
    let skipped = offset
    let left = limit === 0 ? Number.POSITIVE_INFINITY : limit
    for await (const found of tagValueRows(view, name, statement.withKey, offset + left)) {
      const rows = found.slice(skipped, skipped + left)
      skipped = Math.max(0, skipped - found.length)
      left -= rows.length
      yield* tablePieces(result, shape, rows)
      if (left === 0) break
    }
  }
}

/** In SHOW TAG VALUES the name `value` stands for the values that are listed. */
function isAboutValue(comparison: Binary): boolean {
  return isAbout(comparison, 'value') && isTagOperator(comparison.op)
}

/** In pieces, of each tag the first `wanted` at most. */
async function* tagValueRows(
  view: TagView,
  name: string,
  withKey: TagKeyFilter,
  wanted: number,
): AsyncGenerator<(readonly [key: string, value: string])[], void, void> {
  const { sources, condition } = view
  const isWanted = filterTagKeys(view.condition, withKey)
  const asked = pruned(condition, isAboutValue)
  const filter = pruned(view.filter, (comparison) => !isAboutValue(comparison))
  const predicate = selectedSeries(filter, name, indexRules)
  if (isNever(predicate)) return
  const accepts = (value: string) => asked === undefined || isNamed(asked, value)
  const keys = knownKeys(withKey) ?? (await tagKeysOf(view, name))
  for (const key of sortedNames(keys.filter(isWanted))) {
    const pages = ({ bucket }: SchemaSource) => view.reader.valuePages(bucket, name, key, predicate)
    // One policy has them in order already: the first rows are there before the last value was looked at.
    if (sources.length === 1) {
      for await (const page of pages(sources[0])) {
        yield page.filter(accepts).map((value) => [key, value])
      }
      continue
    }
    const runs = new SortedRuns(wanted)
    for (const source of sources) {
      for await (const page of pages(source)) runs.add(page.filter(accepts))
    }
    for await (const values of inPieces(runs.texts())) yield values.map((value) => [key, value])
  }
}

/** Keys that are written out need not be looked up. */
function knownKeys(filter: TagKeyFilter): readonly string[] | undefined {
  if (filter.op === 'in') return filter.keys
  return filter.op === '=' ? [filter.key] : undefined
}

async function tagKeysOf({ reader, sources }: TagView, name: string): Promise<string[]> {
  const keys: string[] = []
  for (const { bucket } of sources) keys.push(...(await reader.tagKeys(bucket, name, undefined)))
  return keys
}

export async function* showFieldKeys(
  statement: Show<'show-field-keys'>,
  scope: InfluxqlScope,
  result: number,
): Tables {
  const sources = await schemaSources(scope, statement, 'default')
  const reader = new SchemaReader(scope)
  for (const name of await reader.measurementsOf(sources)) {
    const types = new Map<string, string>()
    for (const { bucket, accepts } of sources) {
      if (!accepts(name)) continue
      for (const field of await reader.fields(bucket, name)) types.set(field.name, field.type)
    }
    const keys = cut(sortedNames([...types.keys()]), statement.limit, statement.offset)
    yield* tablePieces(
      result,
      { name, columns: showColumns['show-field-keys'] },
      keys.map((key) => [key, types.get(key) as string]),
    )
  }
}
