// A run of series over several shards: which of them lie where, and the rows of all shards in the order of ranks and
// times. A series lies on one shard, so that rows of one rank come from one of them; blocks are cut where another
// shard goes on, and are never copied.

import { shardOf } from './layout.js'
import type { ReadBlock, ReadColumn } from './native-format.js'
import type { Run } from './planned-read.js'
import type { AskedServers } from './servers.js'
import type { Ranked } from './statements.js'

/** For each shard that has series of the run. */
export function rankedByShard(
  { shardCount }: AskedServers,
  { ranked }: Pick<Run, 'ranked'>,
): { readonly shard: number; readonly ranked: Ranked }[] {
  if (shardCount === 1) return [{ shard: 0, ranked }]
  const { areAll, takesAny } = ranked
  const found = new Map<number, { numbers: bigint[]; ranks: number[] }>()
  ranked.numbers.forEach((number, i) => {
    const shard = shardOf(number, shardCount)
    const own = found.get(shard) ?? { numbers: [], ranks: [] }
    found.set(shard, own)
    own.numbers.push(number)
    own.ranks.push(ranked.ranks[i])
  })
  return Array.from(found, ([shard, own]) => {
    const numbers = BigUint64Array.from(own.numbers)
    return { shard, ranked: { numbers, ranks: Uint32Array.from(own.ranks), areAll, takesAny } }
  })
}

type Blocks = AsyncGenerator<ReadBlock, void, void>

interface Head {
  readonly blocks: Blocks
  block: ReadBlock
  row: number
}

/** Columns begin with the rank (UInt32) and the time (Int64); `descending` is the order of times. */
export async function* mergedBlocks(streams: readonly Blocks[], descending: boolean): Blocks {
  if (streams.length === 1) return yield* streams[0]
  try {
    const begun = await Promise.all(streams.map(beginOf))
    let heads = begun.filter((head) => head !== undefined)
    while (heads.length > 0) {
      const [next, other] = firstTwo(heads, descending)
      const stop = other === undefined ? next.block.rowCount : stopOf(next, other, descending)
      yield cut(next.block, next.row, stop)
      next.row = stop
      if (stop < next.block.rowCount) continue
      const { done, value } = await next.blocks.next()
      if (done === true) heads = heads.filter((head) => head !== next)
      else [next.block, next.row] = [value, 0]
    }
  } finally {
    await Promise.all(streams.map((stream) => stream.return()))
  }
}

async function beginOf(blocks: Blocks): Promise<Head | undefined> {
  const { done, value } = await blocks.next()
  return done === true ? undefined : { blocks, block: value, row: 0 }
}

/** The head that comes first, and the first of the others. */
function firstTwo(heads: readonly Head[], descending: boolean): [Head, Head | undefined] {
  let [next, other]: [Head, Head | undefined] = [heads[0], undefined]
  for (const head of heads.slice(1)) {
    if (compare(head, head.row, next, descending) < 0) [next, other] = [head, next]
    else if (other === undefined || compare(head, head.row, other, descending) < 0) other = head
  }
  return [next, other]
}

/** Up to which row a block may leave before the other goes on: one row at least. */
function stopOf(next: Head, other: Head, descending: boolean): number {
  let stop = next.row + 1
  while (stop < next.block.rowCount && compare(next, stop, other, descending) < 0) stop++
  return stop
}

function compare(a: Head, row: number, b: Head, descending: boolean): number {
  const byRank = rankAt(a.block, row) - rankAt(b.block, b.row)
  if (byRank !== 0) return byRank
  const [x, y] = [timeAt(a.block, row), timeAt(b.block, b.row)]
  if (x === y) return 0
  return x < y === descending ? 1 : -1
}

function rankAt({ columns: [ranks] }: ReadBlock, row: number): number {
  return ranks.base === 'UInt32' ? ranks.values[row] : 0
}

function timeAt({ columns: [, times] }: ReadBlock, row: number): bigint {
  return times.base === 'Int64' ? times.values[row] : 0n
}

function cut(block: ReadBlock, start: number, stop: number): ReadBlock {
  if (start === 0 && stop === block.rowCount) return block
  const columns = block.columns.map((column) => cutColumn(column, start, stop))
  return { rowCount: stop - start, columns }
}

function cutColumn(column: ReadColumn, start: number, stop: number): ReadColumn {
  const nulls = column.nulls?.subarray(start, stop)
  if (column.base === 'String') {
    return { ...column, nulls, offsets: column.offsets.subarray(start, stop + 1) }
  }
  return { ...column, nulls, values: column.values.subarray(start, stop) } as ReadColumn
}
