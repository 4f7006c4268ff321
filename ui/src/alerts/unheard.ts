// Series that a check has said nothing of for longer than it takes to run: their points have stopped, or the check
// itself has. What was said last of them need not be true any more.

import { durationMs } from '../query/durations.js'

/** What of a check says when it should be heard. */
interface Interval {
  readonly id: string
  readonly status: 'active' | 'inactive'
  readonly every?: string
  readonly offset?: string
}

interface Said {
  readonly checkId: string
  readonly time: string
}

/** Milliseconds after which a series counts as not heard of, and those that are not. */
export interface Unheard<Status> {
  readonly afterMs: number
  readonly statuses: readonly Status[]
}

/** The shortest first. Checks that are off are not expected to say anything. */
export function unheardOf<Status extends Said>(
  checks: readonly Interval[],
  statuses: readonly Status[],
  now: number,
): readonly Unheard<Status>[] {
  const limits = new Map<string, number>()
  for (const check of checks) {
    const limit = check.status === 'active' ? limitMs(check) : undefined
    if (limit !== undefined) limits.set(check.id, limit)
  }
  const found = new Map<number, Status[]>()
  for (const status of statuses) {
    const limit = limits.get(status.checkId)
    if (limit === undefined || now - new Date(status.time).getTime() <= limit) continue
    const known = found.get(limit)
    if (known === undefined) found.set(limit, [status])
    else known.push(status)
  }
  return [...found]
    .map(([afterMs, these]) => ({ afterMs, statuses: these }))
    .sort((a, b) => a.afterMs - b.afterMs)
}

/** Half an interval is left for the run itself. */
function limitMs({ every, offset }: Interval): number | undefined {
  const interval = durationMs(every ?? '')
  return interval === undefined ? undefined : 1.5 * interval + (durationMs(offset ?? '') ?? 0)
}
