// Tries a task out: its script runs once, for a moment and with the rights of who asks, and what it would have written
// comes back. Nothing is written or sent, and there is no run of it.

import type { Identity } from '../../access/authenticator.js'
import { parseTimestamp } from '../../catalog/base/timestamps.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { Task } from '../../catalog/tasks/tasks.js'
import { UserError } from '../../errors.js'
import type { ServiceParts } from '../base/parts.js'
import type { Queries } from '../query/queries.js'

export interface TaskTrial {
  /** All points that it would write. */
  readonly rowCount: number
  /** The first of them as line protocol. */
  readonly writes: readonly {
    readonly bucket: string
    readonly bucketID: string
    readonly lines: readonly string[]
  }[]
}

type TrialParts = Pick<ServiceParts, 'catalog'> & { readonly queries: Queries }

/** Lines that are shown. */
const linesMax = 1000
const trialMsMax = 120_000

export async function tryTask(
  { catalog, queries }: TrialParts,
  identity: Identity,
  task: Task,
  now: bigint,
): Promise<TaskTrial> {
  const { flux: text } = task.body
  if (text === '') throw new UserError('invalid', 'only tasks in Flux can be tried')
  const org = await catalog.organizations.require(task.orgId)
  const { latestSuccess } = await catalog.tasks.states.of(task.id)
  const lastSuccess = latestSuccess === undefined ? undefined : parseTimestamp(latestSuccess)
  const collected = new Collected()
  const run = await queries.flux(identity, {
    text,
    org,
    now,
    parameters: undefined,
    task: { lastSuccess, wrote: () => {} },
    isTest: true,
    wouldWrite: (bucket, lines) => collected.add(bucket, lines),
  })
  const late = new UserError('unavailable', 'the dry run took too long')
  const timer = setTimeout(() => run.stop(late), trialMsMax)
  try {
    // What it answers is of no interest; it has to be read for the script to go on.
    for await (const _piece of run.pieces);
  } finally {
    clearTimeout(timer)
    run.end()
  }
  return collected.shown()
}

class Collected {
  readonly #byBucket = new Map<string, { readonly bucket: Bucket; readonly lines: string[] }>()
  #rowCount = 0
  #room = linesMax

  add(bucket: Bucket, bytes: Uint8Array): void {
    const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
    const known = this.#byBucket.get(bucket.id) ?? { bucket, lines: [] }
    this.#byBucket.set(bucket.id, known)
    known.lines.push(...lines.slice(0, this.#room))
    this.#rowCount += lines.length
    this.#room = Math.max(this.#room - lines.length, 0)
  }

  shown(): TaskTrial {
    const writes = [...this.#byBucket.values()].map(({ bucket, lines }) => ({
      bucket: bucket.name,
      bucketID: bucket.id,
      lines,
    }))
    return { rowCount: this.#rowCount, writes }
  }
}
