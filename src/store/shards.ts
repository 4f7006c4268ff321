// How a bucket's time is cut into shards, which are kept and dropped as a whole: short retentions expire in small
// steps, long ones have few shards.

import {
  allTime,
  floorDiv,
  nsPerDay,
  nsPerHour,
  nsPerWeek,
  type TimeRange,
  yearOneNs,
} from '../column/time.js'

/** The shard of a moment that has none yet. */
export function newShard(
  time: bigint,
  retentionNs: bigint,
  others: readonly TimeRange[],
): TimeRange {
  const span = shardSpan(retentionNs)
  // A Monday, where shards last a week.
  let start = yearOneNs + floorDiv(time - yearOneNs, span) * span
  let stop = start + span
  if (start < allTime.start) start = allTime.start
  if (stop > allTime.stop) stop = allTime.stop
  // After a change of retention a new shard may meet older ones of another span, and one of a week may meet one that
  // begins on a Thursday, as they did once: it takes what they leave.
  for (const shard of others) {
    if (shard.stop <= time && shard.stop > start) start = shard.stop
    if (shard.start > time && shard.start < stop) stop = shard.start
  }
  return { start, stop }
}

/** As InfluxDB cuts. `retentionNs`: 0n: for ever. */
export function shardSpan(retentionNs: bigint): bigint {
  if (retentionNs === 0n || retentionNs >= 180n * nsPerDay) return nsPerWeek
  return retentionNs >= 2n * nsPerDay ? nsPerDay : nsPerHour
}
