// Series cut into runs, of which each is asked for in one statement: series in key order, or groups in the order of
// their values. Whatever leaves under one rank, be it a series or a group, is in one run.

import type { Series } from '../../column/series.js'
import { compareGroups, groupKey } from '../group-keys.js'
import { tagOf } from '../matches.js'
import type { Run } from './planned-read.js'
import type { SeriesList } from './series-list.js'

/** What leaves, by rank. */
interface RankedSeries {
  readonly rankCount: number
  /** Places in the list of series, rank after rank. */
  readonly order: Uint32Array
  /** Where those of each rank begin. */
  readonly starts: Uint32Array
  /** One group of everything: series that come meanwhile are of it too. */
  readonly takesAny?: boolean
  key(rank: number): Series
}

/** `areAll`: these are all series of the measurement. */
export function runsOf(
  series: SeriesList,
  keys: RankedSeries,
  areAll: boolean,
  perRunMax: number,
): Run[] {
  const { rankCount, starts } = keys
  const runs: Run[] = []
  for (let rank = 0; rank < rankCount; ) {
    const firstRank = rank++
    while (rank < rankCount && starts[rank + 1] - starts[firstRank] <= perRunMax) rank++
    runs.push(runOf(series, keys, firstRank, rank, areAll))
  }
  return runs
}

function runOf(
  series: SeriesList,
  { order, starts, key, takesAny }: RankedSeries,
  firstRank: number,
  stopRank: number,
  areAll: boolean,
): Run {
  const places = order.subarray(starts[firstRank], starts[stopRank])
  const numbers = BigUint64Array.from(places, (place) => series.number(place))
  const ranks = new Uint32Array(places.length)
  for (let rank = firstRank; rank < stopRank; rank++) {
    ranks.fill(
      rank - firstRank,
      starts[rank] - starts[firstRank],
      starts[rank + 1] - starts[firstRank],
    )
  }
  const isWhole = areAll && numbers.length === series.length
  return {
    firstRank,
    keyCount: stopRank - firstRank,
    key: (rank) => key(firstRank + rank),
    series: (i) => series.series(places[i]),
    ranked: { numbers, ranks, areAll: isWhole, takesAny },
  }
}

export function eachSeries(series: SeriesList): RankedSeries {
  return {
    rankCount: series.length,
    order: Uint32Array.from({ length: series.length }, (_, i) => i),
    starts: Uint32Array.from({ length: series.length + 1 }, (_, i) => i),
    key: (rank) => series.series(rank),
  }
}

export function groupsOf(
  series: SeriesList,
  measurement: string,
  tags: readonly string[],
): RankedSeries {
  const groupAt = new Uint32Array(series.length)
  const known = new Map<string, number>()
  const values: string[][] = []
  let place = 0
  for (const one of series.all()) {
    const own = tags.map((tag) => tagOf(one, tag))
    const name = own.length === 1 ? own[0] : JSON.stringify(own)
    let group = known.get(name)
    if (group === undefined) {
      group = values.push(own) - 1
      known.set(name, group)
    }
    groupAt[place++] = group
  }
  const sorted = Uint32Array.from(values, (_, i) => i).sort((a, b) => {
    return compareGroups(values[a], values[b])
  })
  const rankOf = new Uint32Array(values.length)
  sorted.forEach((group, rank) => {
    rankOf[group] = rank
  })
  return {
    rankCount: values.length,
    takesAny: tags.length === 0,
    ...inRanks(
      groupAt.map((group) => rankOf[group]),
      values.length,
    ),
    key: (rank) => groupKey(measurement, tags, values[sorted[rank]]),
  }
}

/** Places by their ranks, those of one rank in their order. */
function inRanks(rankAt: Uint32Array, rankCount: number) {
  const starts = new Uint32Array(rankCount + 1)
  for (const rank of rankAt) starts[rank + 1]++
  for (let rank = 0; rank < rankCount; rank++) starts[rank + 1] += starts[rank]
  const free = starts.slice()
  const order = new Uint32Array(rankAt.length)
  rankAt.forEach((rank, place) => {
    order[free[rank]++] = place
  })
  return { order, starts }
}
