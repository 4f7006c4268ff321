// InfluxQL text → syntax trees. Errors are InfluxDB 1.6's to the letter, with the prefix that its
// query endpoint gives them. Which words may begin a statement is one table, in the order in which
// messages list them.

import type { Expression, Position, Statement } from './ast.js'
import { parseExpressionTokens } from './expressions.js'
import * as manage from './manage.js'
import * as policies from './policies.js'
import { parseSelect } from './select.js'
import * as show from './show.js'
import type { Keyword } from './token.js'
import { TokenReader } from './token-reader.js'

type Parse = (reader: TokenReader, at: Position) => Statement
type Words = ReadonlyMap<string, Parse | Words>

const noParameters: ReadonlyMap<string, unknown> = new Map()

/** All statements of a text. Empty ones between semicolons do not count. */
export function parseQuery(
  text: string,
  params: ReadonlyMap<string, unknown> = noParameters,
): Statement[] {
  const reader = new TokenReader(text, params)
  const statements: Statement[] = []
  let mayBegin = true
  for (;;) {
    const token = reader.read()
    if (token.kind === 'EOF') return statements
    if (token.kind === ';') {
      mayBegin = true
      continue
    }
    if (!mayBegin) throw reader.unexpected(token, ';')
    reader.unread()
    statements.push(readStatement(reader))
    mayBegin = false
  }
}

/** One statement and nothing behind it. */
export function parseStatement(
  text: string,
  params: ReadonlyMap<string, unknown> = noParameters,
): Statement {
  const reader = new TokenReader(text, params)
  const statement = readStatement(reader)
  expectEnd(reader)
  return statement
}

/** One expression and nothing behind it. */
export function parseExpression(
  text: string,
  params: ReadonlyMap<string, unknown> = noParameters,
): Expression {
  const reader = new TokenReader(text, params)
  const expression = parseExpressionTokens(reader)
  expectEnd(reader)
  return expression
}

function expectEnd(reader: TokenReader): void {
  const token = reader.read()
  if (token.kind !== 'EOF') throw reader.unexpected(token, 'EOF')
}

function readStatement(reader: TokenReader): Statement {
  let words: Words = statementWords
  let at: Position | undefined
  for (;;) {
    const token = reader.read()
    at ??= reader.positionOf(token)
    const next = words.get(token.kind)
    if (next === undefined) throw reader.unexpected(token, ...words.keys())
    if (typeof next === 'function') return next(reader, at)
    words = next
  }
}

function words(table: Partial<Record<Keyword, Parse | Words>>): Words {
  return new Map(Object.entries(table))
}

const statementWords = words({
  SELECT: parseSelectStatement,
  DELETE: manage.parseDelete,
  SHOW: words({
    CONTINUOUS: words({ QUERIES: show.parseShowContinuousQueries }),
    DATABASES: show.parseShowDatabases,
    DIAGNOSTICS: show.parseShowDiagnostics,
    FIELD: words({ KEY: show.parseFieldKeyCardinality, KEYS: show.parseShowFieldKeys }),
    GRANTS: words({ FOR: show.parseShowGrants }),
    MEASUREMENT: words({
      EXACT: show.parseExactMeasurementCardinality,
      CARDINALITY: show.parseMeasurementCardinality,
    }),
    MEASUREMENTS: show.parseShowMeasurements,
    QUERIES: show.parseShowQueries,
    RETENTION: words({ POLICIES: show.parseShowRetentionPolicies }),
    SERIES: show.parseShowSeries,
    SHARD: words({ GROUPS: show.parseShowShardGroups }),
    SHARDS: show.parseShowShards,
    STATS: show.parseShowStats,
    SUBSCRIPTIONS: show.parseShowSubscriptions,
    TAG: words({
      KEY: show.parseTagKeyCardinality,
      KEYS: show.parseShowTagKeys,
      VALUES: show.parseShowTagValues,
    }),
    USERS: show.parseShowUsers,
  }),
  CREATE: words({
    CONTINUOUS: words({ QUERY: manage.parseCreateContinuousQuery }),
    DATABASE: policies.parseCreateDatabase,
    USER: manage.parseCreateUser,
    RETENTION: words({ POLICY: policies.parseCreateRetentionPolicy }),
    SUBSCRIPTION: manage.parseCreateSubscription,
  }),
  DROP: words({
    CONTINUOUS: words({ QUERY: manage.parseDropContinuousQuery }),
    DATABASE: policies.parseDropDatabase,
    MEASUREMENT: manage.parseDropMeasurement,
    RETENTION: words({ POLICY: policies.parseDropRetentionPolicy }),
    SERIES: manage.parseDropSeries,
    SHARD: manage.parseDropShard,
    SUBSCRIPTION: manage.parseDropSubscription,
    USER: manage.parseDropUser,
  }),
  EXPLAIN: parseExplain,
  GRANT: manage.parseGrant,
  REVOKE: manage.parseRevoke,
  ALTER: words({ RETENTION: words({ POLICY: policies.parseAlterRetentionPolicy }) }),
  SET: words({ PASSWORD: words({ FOR: manage.parseSetPassword }) }),
  KILL: words({ QUERY: manage.parseKillQuery }),
})

function parseSelectStatement(reader: TokenReader, at: Position): Statement {
  return parseSelect(reader, at)
}

function parseExplain(reader: TokenReader, at: Position): Statement {
  const analyze = reader.accept('ANALYZE')
  reader.expect('SELECT')
  return { kind: 'explain', analyze, select: parseSelect(reader, at), at }
}
