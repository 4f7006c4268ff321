// SHOW statements about the service instead of its points: databases, policies, users, grants,
// continuous queries, subscriptions, shards and running queries.

import { UserError } from '../../errors.js'
import type { ResultBatch } from '../../query/language.js'
import type { InfluxqlScope } from '../scope/scope.js'
import { printGoDuration } from '../syntax/printer.js'
import { requireDatabase } from './schema-sources.js'
import { listShards, shardTime } from './shards.js'
import { type TableShape, tableOf } from './table.js'

type Tables = Promise<readonly ResultBatch[]>

export async function showDatabases(scope: InfluxqlScope, result: number): Tables {
  const names = await scope.databases.list()
  const shape: TableShape = { name: 'databases', columns: [['name', 'string']] }
  return [
    tableOf(
      result,
      shape,
      names.map((name) => [name]),
    ),
  ]
}

const policyShape: TableShape = {
  name: '',
  columns: [
    ['name', 'string'],
    ['duration', 'string'],
    ['shardGroupDuration', 'string'],
    ['replicaN', 'integer'],
    ['futureWriteLimit', 'string'],
    ['pastWriteLimit', 'string'],
    ['default', 'boolean'],
  ],
}

export async function showRetentionPolicies(
  own: string | undefined,
  scope: InfluxqlScope,
  result: number,
): Tables {
  const database = requireDatabase(scope, own)
  const policies = await scope.databases.policies(database)
  const rows = policies.map((policy) => [
    policy.name,
    printGoDuration(policy.durationNs),
    printGoDuration(policy.shardDurationNs),
    policy.replication,
    printGoDuration(policy.futureLimitNs),
    printGoDuration(policy.pastLimitNs),
    policy.isDefault,
  ])
  return [tableOf(result, policyShape, rows)]
}

export async function showUsers(scope: InfluxqlScope, result: number): Tables {
  const users = await scope.databases.users()
  const shape: TableShape = {
    name: '',
    columns: [
      ['user', 'string'],
      ['admin', 'boolean'],
    ],
  }
  const rows = users.map(({ name, isAdmin }) => [name, isAdmin])
  return [tableOf(result, shape, rows)]
}

export async function showGrants(user: string, scope: InfluxqlScope, result: number): Tables {
  const grants = await scope.databases.grants(user)
  const shape: TableShape = {
    name: '',
    columns: [
      ['database', 'string'],
      ['privilege', 'string'],
    ],
  }
  const rows = grants.map(({ database, privilege }) => [database, privilege])
  return [tableOf(result, shape, rows)]
}

/** One table per database, also for those that have none. */
export async function showContinuousQueries(scope: InfluxqlScope, result: number): Tables {
  const queries = await scope.databases.continuousQueries()
  return (await scope.databases.list()).map((name) => {
    const shape: TableShape = {
      name,
      columns: [
        ['name', 'string'],
        ['query', 'string'],
      ],
    }
    const rows = queries.filter((query) => query.database === name)
    return tableOf(
      result,
      shape,
      rows.map((query) => [query.name, query.text]),
    )
  })
}

/** One table per database that has some. */
export async function showSubscriptions(scope: InfluxqlScope, result: number): Tables {
  const subscriptions = await scope.databases.subscriptions()
  const tables: ResultBatch[] = []
  for (const name of await scope.databases.list()) {
    const policies = (await scope.databases.policies(name)).map((policy) => policy.name)
    const rows = policies.flatMap((policy) =>
      subscriptions
        .filter((s) => s.database === name && s.policy === policy)
        .map((s) => [policy, s.name, s.mode, s.destinations]),
    )
    if (rows.length === 0) continue
    const shape: TableShape = {
      name,
      columns: [
        ['retention_policy', 'string'],
        ['name', 'string'],
        ['mode', 'string'],
        ['destinations', 'list'],
      ],
    }
    tables.push(tableOf(result, shape, rows))
  }
  return tables
}

/** One table per database. A shard is a group of its own: there is one copy of everything. */
export async function showShards(scope: InfluxqlScope, result: number): Tables {
  const tables: ResultBatch[] = []
  for (const name of await scope.databases.list()) {
    const rows = (await listShards(scope, name)).map((shard) => [
      shard.id,
      name,
      shard.policy,
      shard.id,
      shardTime(shard.start),
      shardTime(shard.stop),
      shard.durationNs === 0n ? '' : shardTime(shard.stop + shard.durationNs),
      '',
    ])
    const shape: TableShape = {
      name,
      columns: [
        ['id', 'integer'],
        ['database', 'string'],
        ['retention_policy', 'string'],
        ['shard_group', 'integer'],
        ['start_time', 'string'],
        ['end_time', 'string'],
        ['expiry_time', 'string'],
        ['owners', 'string'],
      ],
    }
    tables.push(tableOf(result, shape, rows))
  }
  return tables
}

export async function showShardGroups(scope: InfluxqlScope, result: number): Tables {
  const rows: (string | number)[][] = []
  for (const name of await scope.databases.list()) {
    for (const shard of await listShards(scope, name)) {
      const [start, stop] = [shardTime(shard.start), shardTime(shard.stop)]
      const expiry = shardTime(shard.stop + shard.durationNs)
      rows.push([shard.id, name, shard.policy, start, stop, expiry])
    }
  }
  const shape: TableShape = {
    name: 'shard groups',
    columns: [
      ['id', 'integer'],
      ['database', 'string'],
      ['retention_policy', 'string'],
      ['start_time', 'string'],
      ['end_time', 'string'],
      ['expiry_time', 'string'],
    ],
  }
  return [tableOf(result, shape, rows)]
}

const queryShape: TableShape = {
  name: '',
  columns: [
    ['qid', 'integer'],
    ['query', 'string'],
    ['database', 'string'],
    ['duration', 'string'],
    ['status', 'string'],
  ],
}

export async function showQueries(scope: InfluxqlScope, result: number): Tables {
  await scope.databases.requireOperator()
  const now = scope.clock.now()
  const rows = (await scope.queries.list()).map((query) => {
    const status = query.isKilled ? 'killed' : 'running'
    const duration = printGoDuration(rounded(now - query.startedAt))
    return [query.id, query.text, query.database, duration, status]
  })
  return [tableOf(result, queryShape, rows)]
}

/** Down to whole seconds, milliseconds or microseconds, whichever is the largest unit in it. */
function rounded(ns: bigint): bigint {
  const units = [1_000_000_000n, 1_000_000n, 1_000n]
  const unit = units.find((candidate) => ns >= candidate) ?? 1n
  return ns - (ns % unit)
}

export async function killQuery(id: bigint, scope: InfluxqlScope): Promise<void> {
  await scope.databases.requireOperator()
  if (id > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw new UserError('not found', `no such query id: ${id}`)
  }
  await scope.queries.kill(Number(id))
}
