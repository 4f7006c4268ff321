// SHOW statements. Most are the same few clauses in the same order: ON, FROM, WITH KEY, WHERE, ORDER
// BY or GROUP BY, LIMIT and OFFSET.

import type {
  CardinalityStatement,
  Expression,
  MeasurementFilter,
  Position,
  Source,
  Statement,
  TagKeyFilter,
} from './ast.js'
import { parseRegex } from './expressions.js'
import {
  parseCondition,
  parseDimensions,
  parseMeasurement,
  parseOptionalSources,
  parseOrder,
} from './select.js'
import type { TokenReader } from './token-reader.js'

export function parseShowContinuousQueries(_: TokenReader, at: Position): Statement {
  return { kind: 'show-continuous-queries', at }
}

export function parseShowDatabases(_: TokenReader, at: Position): Statement {
  return { kind: 'show-databases', at }
}

export function parseShowQueries(_: TokenReader, at: Position): Statement {
  return { kind: 'show-queries', at }
}

export function parseShowShardGroups(_: TokenReader, at: Position): Statement {
  return { kind: 'show-shard-groups', at }
}

export function parseShowShards(_: TokenReader, at: Position): Statement {
  return { kind: 'show-shards', at }
}

export function parseShowSubscriptions(_: TokenReader, at: Position): Statement {
  return { kind: 'show-subscriptions', at }
}

export function parseShowUsers(_: TokenReader, at: Position): Statement {
  return { kind: 'show-users', at }
}

export function parseShowGrants(reader: TokenReader, at: Position): Statement {
  return { kind: 'show-grants', user: reader.name(), at }
}

export function parseShowStats(reader: TokenReader, at: Position): Statement {
  return { kind: 'show-stats', ...parseModule(reader), at }
}

export function parseShowDiagnostics(reader: TokenReader, at: Position): Statement {
  return { kind: 'show-diagnostics', ...parseModule(reader), at }
}

export function parseShowRetentionPolicies(reader: TokenReader, at: Position): Statement {
  return { kind: 'show-retention-policies', ...parseDatabase(reader), at }
}

export function parseShowMeasurements(reader: TokenReader, at: Position): Statement {
  const where = parseDatabases(reader)
  const filter = reader.accept('WITH') ? parseMeasurementFilter(reader) : undefined
  const condition = parseOptionalCondition(reader)
  const sort = parseOrder(reader)
  return {
    kind: 'show-measurements',
    ...where,
    ...(filter !== undefined && { with: filter }),
    sources: [],
    ...condition,
    sort,
    ...parseLimits(reader),
    at,
  }
}

export function parseShowSeries(reader: TokenReader, at: Position): Statement {
  const exact = reader.accept('EXACT')
  if (reader.accept('CARDINALITY')) return parseCardinality(reader, at, 'series', exact)
  const head = { ...parseFrom(reader), ...parseOptionalCondition(reader) }
  const sort = parseOrder(reader)
  return { kind: 'show-series', ...head, sort, ...parseLimits(reader), at }
}

export function parseShowFieldKeys(reader: TokenReader, at: Position): Statement {
  const head = parseFrom(reader)
  const sort = parseOrder(reader)
  return { kind: 'show-field-keys', ...head, sort, ...parseLimits(reader), at }
}

export function parseShowTagKeys(reader: TokenReader, at: Position): Statement {
  const head = parseFrom(reader)
  // Newer than InfluxDB 1.6.
  const withKey = reader.accept('WITH') ? parseKeyFilter(reader) : undefined
  const condition = parseOptionalCondition(reader)
  const sort = parseOrder(reader)
  const limits = parseLimits(reader)
  return {
    kind: 'show-tag-keys',
    ...head,
    ...(withKey !== undefined && { withKey }),
    ...condition,
    sort,
    ...limits,
    slimit: reader.optionalCount('SLIMIT'),
    soffset: reader.optionalCount('SOFFSET'),
    at,
  }
}

export function parseShowTagValues(reader: TokenReader, at: Position): Statement {
  if (reader.accept('EXACT')) {
    reader.expect('CARDINALITY')
    return parseCardinality(reader, at, 'tag-values', true)
  }
  if (reader.accept('CARDINALITY')) return parseCardinality(reader, at, 'tag-values', false)
  const head = parseFrom(reader)
  reader.expect('WITH')
  const withKey = parseKeyFilter(reader)
  const condition = parseOptionalCondition(reader)
  const sort = parseOrder(reader)
  return {
    kind: 'show-tag-values',
    ...head,
    withKey,
    ...condition,
    sort,
    ...parseLimits(reader),
    at,
  }
}

export function parseExactMeasurementCardinality(reader: TokenReader, at: Position): Statement {
  reader.expect('CARDINALITY')
  return parseCardinality(reader, at, 'measurement', true)
}

export function parseMeasurementCardinality(reader: TokenReader, at: Position): Statement {
  return parseCardinality(reader, at, 'measurement', false)
}

export function parseTagKeyCardinality(reader: TokenReader, at: Position): Statement {
  return parseKeyCardinality(reader, at, 'tag-key')
}

export function parseFieldKeyCardinality(reader: TokenReader, at: Position): Statement {
  return parseKeyCardinality(reader, at, 'field-key')
}

function parseKeyCardinality(
  reader: TokenReader,
  at: Position,
  of: 'tag-key' | 'field-key',
): Statement {
  const exact = reader.accept('EXACT')
  const token = reader.read()
  if (token.kind !== 'CARDINALITY') {
    throw reader.unexpected(token, ...(exact ? ['CARDINALITY'] : ['EXACT', 'CARDINALITY']))
  }
  return parseCardinality(reader, at, of, exact)
}

/** CARDINALITY has been read. */
function parseCardinality(
  reader: TokenReader,
  at: Position,
  of: CardinalityStatement['of'],
  exact: boolean,
): Statement {
  const head = parseFrom(reader)
  let withKey: TagKeyFilter | undefined
  if (of === 'tag-values') {
    reader.expect('WITH')
    withKey = parseKeyFilter(reader)
  }
  const condition = parseOptionalCondition(reader)
  const dimensions = parseDimensions(reader)
  return {
    kind: 'show-cardinality',
    of,
    exact,
    ...head,
    ...(withKey !== undefined && { withKey }),
    ...condition,
    dimensions,
    ...parseLimits(reader),
    at,
  }
}

/** `[ON database] [FROM sources]` */
function parseFrom(reader: TokenReader): { database?: string; sources: Source[] } {
  return { ...parseDatabase(reader), sources: parseOptionalSources(reader) }
}

/** An empty name is one that was not written. */
function parseDatabase(reader: TokenReader): { database?: string } {
  const database = reader.accept('ON') ? reader.name() : ''
  return database === '' ? {} : { database }
}

/** `[ON database[.policy]]`, where `*` stands for all of them; all but the plain name is newer than InfluxDB 1.6. */
function parseDatabases(reader: TokenReader) {
  if (!reader.accept('ON')) return {}
  const allDatabases = reader.accept('*')
  const database = allDatabases ? '' : reader.name()
  const hasPolicy = reader.accept('.')
  const allPolicies = hasPolicy && reader.accept('*')
  const policy = hasPolicy && !allPolicies ? reader.name() : ''
  return {
    ...(database !== '' && { database }),
    ...(policy !== '' && { policy }),
    ...(allDatabases && { allDatabases }),
    ...(allPolicies && { allPolicies }),
  }
}

function parseOptionalCondition(reader: TokenReader): { condition?: Expression } {
  const condition = parseCondition(reader)
  return condition === undefined ? {} : { condition }
}

function parseLimits(reader: TokenReader): { limit: number; offset: number } {
  const limit = reader.optionalCount('LIMIT')
  return { limit, offset: reader.optionalCount('OFFSET') }
}

function parseModule(reader: TokenReader): { module?: string } {
  const module = reader.accept('FOR') ? reader.string() : ''
  return module === '' ? {} : { module }
}

/** Behind WITH. What is behind the operator decides, not the operator, and only the name counts. */
function parseMeasurementFilter(reader: TokenReader): MeasurementFilter {
  reader.expect('MEASUREMENT')
  const token = reader.read()
  if (token.kind !== '=' && token.kind !== '=~') throw reader.unexpected(token, '=', '=~')
  const { name, regex } = parseMeasurement(reader)
  return regex === undefined ? { op: '=', name: name ?? '' } : { op: '=~', regex }
}

/** Behind WITH. */
function parseKeyFilter(reader: TokenReader): TagKeyFilter {
  reader.expect('KEY')
  const token = reader.read()
  switch (token.kind) {
    case 'IN': {
      reader.expect('(')
      const keys = reader.names()
      reader.expect(')')
      return { op: 'in', keys }
    }
    case '=':
    case '!=':
      return { op: token.kind, key: reader.name() }
    case '=~':
    case '!~':
      return { op: token.kind, regex: parseRegex(reader) }
    default:
      throw reader.unexpected(token, 'IN', '=', '=~')
  }
}
