// What a v1 retention policy may say, and what follows from what it does not say, as InfluxDB has
// it. Buckets keep points in whole seconds: a policy is rounded up to them.

import type { PolicyDetails } from '../../catalog/storage/databases.js'
import { nsPerHour, nsPerSecond } from '../../column/time.js'
import { UserError } from '../../errors.js'
import type { RetentionPolicy } from '../../influxql/scope/scope.js'
import type { PolicyOptions } from '../../influxql/syntax/ast.js'
import { shardSpan } from '../../store/shards.js'
import type { PolicyEntry } from './directory.js'

export interface PolicyTerms {
  /** 0n: for ever. */
  readonly durationNs: bigint
  readonly shardDurationNs: bigint
  readonly replication: number
  /** How far ahead of now, and behind it, points may lie that are written; 0n: as far as they like. */
  readonly futureLimitNs: bigint
  readonly pastLimitNs: bigint
}

const durationMinNs = nsPerHour
const nameBytesMax = 255

/** Of a policy to be made. */
export function newTerms(options: PolicyOptions): PolicyTerms {
  const { durationNs = 0n, replication = 1, futureLimitNs = 0n, pastLimitNs = 0n } = options
  requireDuration(durationNs)
  if (replication < 1) {
    throw new UserError('invalid', 'replication factor must be greater than 0')
  }
  const shardDurationNs = shardDuration(options.shardDurationNs ?? 0n, durationNs)
  if (durationNs > 0n && durationNs < shardDurationNs) throw incompatible()
  return { durationNs, shardDurationNs, replication, futureLimitNs, pastLimitNs }
}

/** Of a policy after a change; what is not written stays. */
export function changedTerms(before: PolicyTerms, options: PolicyOptions): PolicyTerms {
  const { durationNs = before.durationNs, replication = before.replication } = options
  const { futureLimitNs = before.futureLimitNs, pastLimitNs = before.pastLimitNs } = options
  if (options.durationNs !== undefined) requireDuration(durationNs)
  const asked = options.shardDurationNs ?? before.shardDurationNs
  const isAsked = options.durationNs !== undefined || options.shardDurationNs !== undefined
  if (isAsked && durationNs > 0n && durationNs < asked) throw incompatible()
  const shardDurationNs =
    options.shardDurationNs === undefined ? asked : shardDuration(asked, durationNs)
  return { durationNs, shardDurationNs, replication, futureLimitNs, pastLimitNs }
}

/** Whether a statement asks for what is there already. */
export function isSamePolicy(a: PolicyTerms, b: PolicyTerms): boolean {
  return (
    a.durationNs === b.durationNs &&
    a.shardDurationNs === b.shardDurationNs &&
    a.replication === b.replication &&
    a.futureLimitNs === b.futureLimitNs &&
    a.pastLimitNs === b.pastLimitNs
  )
}

export function termsOf({ bucket, details }: PolicyEntry): PolicyTerms {
  const durationNs = BigInt(bucket.retentionSeconds) * nsPerSecond
  if (details === undefined) {
    const shardDurationNs = shardDuration(0n, durationNs)
    return { durationNs, shardDurationNs, replication: 1, futureLimitNs: 0n, pastLimitNs: 0n }
  }
  const { replication } = details
  const futureLimitNs = BigInt(details.futureLimitNs ?? 0)
  const pastLimitNs = BigInt(details.pastLimitNs ?? 0)
  const exact = BigInt(details.durationNs)
  // Somebody may have changed the bucket itself since.
  const isStillSo = retentionSeconds(exact) === bucket.retentionSeconds
  const shardDurationNs = BigInt(details.shardDurationNs)
  return {
    durationNs: isStillSo ? exact : durationNs,
    shardDurationNs,
    replication,
    futureLimitNs,
    pastLimitNs,
  }
}

export function policyOf(entry: PolicyEntry): RetentionPolicy {
  return { name: entry.name, isDefault: entry.isDefault, ...termsOf(entry) }
}

export function detailsOf(terms: PolicyTerms): PolicyDetails {
  return {
    durationNs: String(terms.durationNs),
    shardDurationNs: String(terms.shardDurationNs),
    replication: terms.replication,
    futureLimitNs: String(terms.futureLimitNs),
    pastLimitNs: String(terms.pastLimitNs),
  }
}

export function retentionSeconds(durationNs: bigint): number {
  return Number((durationNs + nsPerSecond - 1n) / nsPerSecond)
}

/** Databases and policies. */
export function requireName(name: string): void {
  // Of all blanks only the usual one can be printed, says Go.
  const isPrintable = !/[\p{C}\p{Z}]/u.test(name.replaceAll(' ', ''))
  const isGood = name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name)
  if (!isGood || !isPrintable) throw new UserError('invalid', 'invalid name')
  if (Buffer.byteLength(name) > nameBytesMax) throw new UserError('invalid', 'name too long')
}

function requireDuration(ns: bigint): void {
  if (ns === 0n || ns >= durationMinNs) return
  throw new UserError('invalid', 'retention policy duration must be at least 1h0m0s')
}

/** What is not asked for is as the store cuts; nothing is shorter than an hour. */
function shardDuration(askedNs: bigint, durationNs: bigint): bigint {
  if (askedNs >= durationMinNs) return askedNs
  return askedNs > 0n ? nsPerHour : shardSpan(durationNs)
}

function incompatible(): UserError {
  const text = 'retention policy duration must be greater than the shard duration'
  return new UserError('invalid', text)
}
