// Tries a task out: its script runs once, for a moment and with the rights of who asks, and what it would have written
// comes back. Nothing is written or sent, and there is no run of it.

import type { Identity } from '../../access/authenticator.js'
import { parseTimestamp } from '../../catalog/base/timestamps.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { Task } from '../../catalog/tasks/tasks.js'
import { UserError } from '../../errors.js'
import type { QueryParameters } from '../../query/language.js'
import type { ServiceParts } from '../base/parts.js'
import type { WouldWrite } from '../query/flux-scope.js'
import type { Queries } from '../query/queries.js'
import type { QueryRun } from '../query/query-run.js'
import { RowTarget } from './row-target.js'

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

type TrialParts = Pick<ServiceParts, 'catalog' | 'store'> & { readonly queries: Queries }

/** Lines that are shown. */
const linesMax = 1000
const trialMsMax = 120_000

export async function tryTask(
  parts: TrialParts,
  identity: Identity,
  task: Task,
  now: bigint,
): Promise<TaskTrial> {
  const collected = new Collected()
  const { language, database = '', query = '', scriptId, scriptParameters } = task.body
  if (scriptId !== undefined) {
    const script = await parts.catalog.scripts.require(scriptId)
    const { language: own, script: text } = script.body
    if (script.orgId !== task.orgId || own === 'sql') {
      throw new UserError('invalid', `script "${scriptId}" cannot be invoked`)
    }
    const values = new Map(Object.entries(scriptParameters ?? {}))
    const trial = { task, now, collected, text }
    if (own === 'influxql') await tryInfluxql(parts, identity, trial, '')
    else await tryFlux(parts, identity, trial, { values })
  } else if (language === 'influxql') {
    await tryInfluxql(parts, identity, { task, now, collected, text: query }, database)
  } else if (language === 'sql') {
    await trySql(parts, identity, { task, now, collected, text: query }, database)
  } else {
    await tryFlux(parts, identity, { task, now, collected, text: task.body.flux })
  }
  return collected.shown()
}

interface Trial {
  readonly task: Task
  readonly now: bigint
  readonly text: string
  readonly collected: Collected
}

async function tryFlux(
  { catalog, queries }: TrialParts,
  identity: Identity,
  { task, now, text, collected }: Trial,
  parameters?: QueryParameters,
): Promise<void> {
  const org = await catalog.organizations.require(task.orgId)
  const { latestSuccess } = await catalog.tasks.states.of(task.id)
  const lastSuccess = latestSuccess === undefined ? undefined : parseTimestamp(latestSuccess)
  const run = await queries.flux(identity, {
    text,
    org,
    now,
    parameters,
    task: { lastSuccess, wrote: () => {} },
    isTest: true,
    wouldWrite: (bucket, lines) => collected.add(bucket, lines),
  })
  // What it answers is of no interest; it has to be read for the script to go on.
  await goThrough(run, async () => {})
}

async function tryInfluxql(
  { queries }: TrialParts,
  identity: Identity,
  { now, text, collected }: Trial,
  database: string,
): Promise<void> {
  const wouldWrite: WouldWrite = (bucket, lines) => collected.add(bucket, lines)
  const question = { language: 'influxql', text, database, now, wouldWrite } as const
  await goThrough(await queries.task(identity, question), async (piece) => {
    if (piece.kind === 'failure') throw piece.error
  })
}

async function trySql(
  parts: TrialParts,
  identity: Identity,
  { task, now, text, collected }: Trial,
  database: string,
): Promise<void> {
  const { targetBucket = '', targetMeasurement = '' } = task.body
  const place = { bucket: targetBucket, measurement: targetMeasurement, now }
  const target = new RowTarget(parts, identity, task.orgId, place, async (bucket, lines) =>
    collected.add(bucket, lines),
  )
  const run = await parts.queries.task(identity, { language: 'sql', text, database, now })
  await goThrough(run, async (piece) => {
    if (piece.kind === 'failure') throw piece.error
    if (piece.kind === 'batch') await target.write(piece)
  })
}

async function goThrough<Piece>(
  run: QueryRun<Piece>,
  each: (piece: Piece) => Promise<void>,
): Promise<void> {
  const late = new UserError('unavailable', 'the dry run took too long')
  const timer = setTimeout(() => run.stop(late), trialMsMax)
  try {
    for await (const piece of run.pieces) await each(piece)
  } finally {
    clearTimeout(timer)
    run.end()
  }
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
