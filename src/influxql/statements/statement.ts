// Runs every statement but SELECT and EXPLAIN. Answers are tables, piece by piece; a statement that
// only changes something has none. What it refuses is thrown, in InfluxDB's words.

import type { ResultBatch } from '../../query/language.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { Explain, Select, Statement } from '../syntax/ast.js'
import { deleteSeries, dropMeasurement } from './delete.js'
import { manage } from './manage.js'
import { dropShard } from './shards.js'
import { showCardinality } from './show-cardinality.js'
import { showMeasurements } from './show-measurements.js'
import { showFieldKeys, showSeries, showTagKeys, showTagValues } from './show-schema.js'
import { showDiagnostics, showStats } from './show-stats.js'
import {
  showContinuousQueries,
  showDatabases,
  showGrants,
  showQueries,
  showRetentionPolicies,
  showShardGroups,
  showShards,
  showSubscriptions,
  showUsers,
} from './show-system.js'

export type OtherStatement = Exclude<Statement, Select | Explain>

/** `result` is the statement's place in its query. */
export async function* runStatement(
  statement: OtherStatement,
  scope: InfluxqlScope,
  result: number,
  signal: AbortSignal,
): AsyncGenerator<ResultBatch, void, void> {
  signal.throwIfAborted()
  for await (const table of tables(statement, scope, result)) {
    yield table
    signal.throwIfAborted()
  }
}

function tables(
  statement: OtherStatement,
  scope: InfluxqlScope,
  result: number,
): AsyncIterable<ResultBatch> {
  switch (statement.kind) {
    case 'show-measurements':
      return showMeasurements(statement, scope, result)
    case 'show-series':
      return showSeries(statement, scope, result)
    case 'show-tag-keys':
      return showTagKeys(statement, scope, result)
    case 'show-tag-values':
      return showTagValues(statement, scope, result)
    case 'show-field-keys':
      return showFieldKeys(statement, scope, result)
    case 'show-cardinality':
      return showCardinality(statement, scope, result)
    default:
      return small(smallAnswer(statement, scope, result))
  }
}

type SmallStatement = Exclude<
  OtherStatement,
  {
    kind:
      | 'show-measurements'
      | 'show-series'
      | 'show-tag-keys'
      | 'show-tag-values'
      | 'show-field-keys'
      | 'show-cardinality'
  }
>

async function* small(answer: Promise<readonly ResultBatch[]>) {
  yield* await answer
}

async function smallAnswer(
  statement: SmallStatement,
  scope: InfluxqlScope,
  result: number,
): Promise<readonly ResultBatch[]> {
  switch (statement.kind) {
    case 'show-databases':
      return showDatabases(scope, result)
    case 'show-retention-policies':
      return showRetentionPolicies(statement.database, scope, result)
    case 'show-continuous-queries':
      return showContinuousQueries(scope, result)
    case 'show-queries':
      return showQueries(scope, result)
    case 'show-users':
      return showUsers(scope, result)
    case 'show-grants':
      return showGrants(statement.user, scope, result)
    case 'show-shards':
      return showShards(scope, result)
    case 'show-shard-groups':
      return showShardGroups(scope, result)
    case 'show-subscriptions':
      return showSubscriptions(scope, result)
    case 'show-stats':
      return showStats(statement.module, scope, result)
    case 'show-diagnostics':
      return showDiagnostics(statement.module, scope, result)
    case 'delete-series':
    case 'drop-series':
      await deleteSeries(statement, scope)
      return []
    case 'drop-measurement':
      await dropMeasurement(statement.name, scope)
      return []
    case 'drop-shard':
      await dropShard(statement.id, scope)
      return []
    default:
      await manage(statement, scope)
      return []
  }
}
