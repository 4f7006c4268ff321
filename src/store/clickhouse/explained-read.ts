// What a read sends to which shard, for EXPLAIN: the series are looked up as ever, because the statements name them,
// and statements about points are noted instead of sent.

import type { ReadRequest } from '../store.js'
import type { ReadBlock } from './native-format.js'
import { readSelected, selectRead } from './read.js'
import type { Measurement } from './registry.js'
import type { AskedServers } from './servers.js'

/** Of one statement; what names many series is long. */
const charactersMax = 20_000

export async function statementsOf(
  servers: AskedServers,
  measurement: Measurement,
  request: ReadRequest,
  oldest: bigint,
  signal: AbortSignal,
): Promise<string[]> {
  const noted: string[] = []
  const note = (shard: number, sql: string) => {
    const isLong = sql.length > charactersMax
    noted.push(`shard ${shard + 1}: ${isLong ? `${sql.slice(0, charactersMax)} …` : sql}`)
  }
  const { dialect, shardCount, shards, seriesPerStatementMax } = servers
  const known = { dialect, shardCount, shards, seriesPerStatementMax }
  const looking: AskedServers = {
    ...known,
    query(shard, sql, ...rest) {
      note(shard, sql)
      return servers.query(shard, sql, ...rest)
    },
  }
  const selected = await selectRead(looking, measurement, request, oldest, signal)
  if (selected === undefined) return noted
  const query: AskedServers['query'] = (shard, sql) => {
    note(shard, sql)
    return noBlocks()
  }
  const silent = { ...selected, servers: { ...known, query } }
  for await (const _ of readSelected(silent)) {
    // Without rows there is nothing to read, but for what stands in no row.
  }
  return noted
}

async function* noBlocks(): AsyncGenerator<ReadBlock, void, void> {}
