// What is not told because something above it is wrong: a check may name a parent, and while the parent has a status at
// least as severe for the same thing, nothing is told of the check. The same thing: tags that both statuses have are
// equal, but for those that the checks themselves add.

import type { Check } from '../../catalog/monitoring/check-fields.js'
import { fieldNs } from '../../catalog/monitoring/monitoring.js'
import { nsPerSecond } from '../../column/time.js'
import type { BucketId, Store } from '../../store/store.js'
import { type AlertStatus, levelOfStatus, severityOf } from '../status/message.js'
import { readStatuses } from '../status/statuses.js'
import { seriesKeyOf } from './evaluate.js'
import type { TagTest } from './rule-plan.js'

/** How old the last status of a parent may be where nobody knows how often it runs. */
const lookBackNs = 3600n * nsPerSecond

/** Current statuses of the parents of some checks, by parent. */
export type ParentStatuses = ReadonlyMap<string, readonly AlertStatus[]>

export interface ParentsRequest {
  readonly bucket: BucketId
  readonly now: bigint
  readonly checks: ReadonlyMap<string, Check>
  readonly findCheck: (id: string) => Promise<Check | undefined>
}

export async function parentStatuses(
  store: Store,
  { bucket, now, checks, findCheck }: ParentsRequest,
  signal: AbortSignal,
): Promise<ParentStatuses> {
  const found = new Map<string, readonly AlertStatus[]>()
  for (const { orgId, body } of checks.values()) {
    const id = body.fields.parentCheckID
    if (id === undefined || found.has(id)) continue
    const parent = await findCheck(id)
    const isUsed = parent !== undefined && parent.orgId === orgId && parent.body.status === 'active'
    found.set(id, isUsed ? await latest(store, bucket, parent, now, signal) : [])
  }
  return found
}

/** Of each series. Statuses of before its last two runs are none of now. */
async function latest(
  store: Store,
  bucket: BucketId,
  { id, body }: Check,
  now: bigint,
  signal: AbortSignal,
): Promise<AlertStatus[]> {
  const every = fieldNs(body.fields.every)
  const start = now - (every === undefined ? lookBackNs : 2n * every)
  const statuses = await readStatuses(
    store,
    {
      bucket,
      range: { start, stop: now + 1n },
      lastOnly: true,
      predicate: { kind: 'tag', tag: '_check_id', op: '=', value: id },
      wantedSince: () => start - 1n,
    },
    signal,
  )
  // Each level is a series of its own in the bucket: in the order of time the last one counts.
  return [...new Map(statuses.map((status) => [seriesKeyOf(status.tags), status])).values()]
}

export function inhibitionTest(
  checks: ReadonlyMap<string, Check>,
  parents: ParentStatuses,
): TagTest {
  return (tags) => {
    const check = checks.get(tags._check_id ?? '')
    const above = parents.get(check?.body.fields.parentCheckID ?? '')
    const severity = severityOf(levelOfStatus(tags._level ?? ''))
    // An end is always told: there is nothing to be spared.
    if (check === undefined || above === undefined || severity === 0) return false
    const added = new Set(check.body.fields.tags?.map(({ key }) => key))
    return above.some(
      (status) => severityOf(status.level) >= severity && isSameThing(tags, status.tags, added),
    )
  }
}

function isSameThing(
  tags: Readonly<Record<string, string>>,
  above: Readonly<Record<string, string>>,
  added: ReadonlySet<string>,
): boolean {
  return Object.entries(above).every(
    ([key, value]) =>
      key.startsWith('_') || added.has(key) || tags[key] === undefined || tags[key] === value,
  )
}
