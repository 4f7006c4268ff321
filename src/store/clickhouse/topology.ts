// Which servers make a cluster: how many shards there are is what the servers' own configuration says, in
// system.clusters, and never who answers. Which shard a server belongs to, and what its replica is called, it says
// itself. Everything that could put a series on the wrong shard is refused.

import { UserError } from '../../errors.js'
import { dialectOf } from './dialect.js'
import type { Server, ServerPlace } from './server.js'

/** What a server says of itself. */
export interface Greeting {
  readonly version: string
  /** Replicas of each shard, in the order of shards. */
  readonly replicaCounts: readonly number[]
  readonly place: ServerPlace
  /** The macro by which replicas of one shard find each other. */
  readonly shardMacro: string
}

const greetingMsMax = 5000

export async function greet(server: Server, cluster: string | undefined): Promise<Greeting> {
  const version = await server.text('SELECT version()', greetingMsMax)
  // Before anything else is asked: others may answer otherwise.
  dialectOf([version])
  if (cluster === undefined) {
    return { version, replicaCounts: [1], place: { shard: 0, name: '1' }, shardMacro: '' }
  }
  const rows = await table(
    server,
    `SELECT shard_num, replica_num, is_local FROM system.clusters WHERE cluster = '${cluster}'`,
  )
  if (rows.length === 0) throw refusal(server, `knows no cluster "${cluster}"`)
  const numbers = [...new Set(rows.map(([shard]) => Number(shard)))].sort((a, b) => a - b)
  const local = new Set(rows.filter(([, , isLocal]) => isLocal === '1').map(([one]) => Number(one)))
  if (local.size !== 1) {
    throw refusal(server, `does not find itself in exactly one shard of cluster "${cluster}"`)
  }
  const macros = new Map(
    (await table(server, 'SELECT macro, substitution FROM system.macros')).map(
      ([name, value]) => [name, value] as const,
    ),
  )
  const [shardMacro, replica] = [macros.get('shard'), macros.get('replica')]
  if (!shardMacro || !replica) throw refusal(server, 'needs the macros "shard" and "replica"')
  const shard = numbers.indexOf([...local][0])
  const replicaCounts = numbers.map((one) => rows.filter(([at]) => Number(at) === one).length)
  return { version, replicaCounts, place: { shard, name: `${shard + 1}/${replica}` }, shardMacro }
}

async function table(server: Server, sql: string): Promise<string[][]> {
  const text = await server.text(sql, greetingMsMax)
  return text === '' ? [] : text.split('\n').map((line) => line.split('\t'))
}

function refusal(server: Server, what: string): UserError {
  return new UserError('invalid', `the server ${server.url} of the store ${what}`)
}

/** That all who answered mean the same cluster, and that the address names all of it. */
export function checkTogether(
  found: readonly { server: Server; greeting: Greeting }[],
  endpointCount: number,
): void {
  const [first, ...others] = found
  const wanted = first.greeting.replicaCounts.reduce((sum, count) => sum + count)
  if (wanted !== endpointCount) {
    const named = `the address of the store names ${endpointCount} servers`
    throw new UserError('invalid', `${named}, and its cluster has ${wanted}: name all of them`)
  }
  for (const { server, greeting } of others) {
    const isSame = `${greeting.replicaCounts}` === `${first.greeting.replicaCounts}`
    if (!isSame) throw refusal(server, `has another idea of the cluster than ${first.server.url}`)
  }
  const macros = new Map<string, number>()
  const names = new Map<string, Server>()
  for (const { server, greeting } of found) {
    const { shard, name } = greeting.place
    const known = macros.get(greeting.shardMacro) ?? shard
    macros.set(greeting.shardMacro, known)
    const twin = names.get(name)
    names.set(name, server)
    if (twin !== undefined) {
      throw refusal(server, `has the same macro "replica" as ${twin.url}, or is the same server`)
    }
    if (known !== shard) throw refusal(server, 'has the macro "shard" of another shard')
  }
  const shards = new Set(found.map(({ greeting }) => greeting.place.shard))
  if (macros.size !== shards.size) {
    const what = 'servers of one shard of the store have different macros "shard"'
    throw new UserError('invalid', `${what}: they would not replicate each other`)
  }
}
