// Tries a check out over a span of time: its script runs for every boundary in it, with the rights of who asks, and
// what it would have written comes back instead.

import type { Identity } from '../../access/authenticator.js'
import { formatTimestamp } from '../../catalog/base/timestamps.js'
import type { Check } from '../../catalog/monitoring/check-fields.js'
import { scheduleOf } from '../../catalog/tasks/task-schedule.js'
import { UserError } from '../../errors.js'
import type { ResultRows, ResultTable } from '../../query/language.js'
import { type Cell, cellAt } from '../../query/table.js'
import type { Service } from '../../service/service.js'

export interface TestedStatus {
  readonly time: string
  readonly level: string
  readonly message: string
  readonly tags: Readonly<Record<string, string>>
  readonly fields: Readonly<Record<string, string | number | boolean>>
}

export interface CheckTest {
  readonly runCount: number
  readonly statuses: readonly TestedStatus[]
  /** Runs that failed. */
  readonly errors: readonly { readonly time: string; readonly error: string }[]
}

export interface CheckTestRequest {
  readonly check: Check
  readonly identity: Identity
  readonly start: bigint
  readonly stop: bigint
}

const runsMax = 1000
/** Longer than so many runs take. */
const testMsMax = 120_000
const statusesMax = 10_000
const own = new Set(['_start', '_stop', '_time', '_measurement', '_level', '_message'])

export async function testCheck(service: Service, request: CheckTestRequest): Promise<CheckTest> {
  const late = new AbortController()
  const reason = new UserError('unavailable', 'the test took too long: choose a shorter span')
  const timer = setTimeout(() => late.abort(reason), testMsMax)
  try {
    return await runTest(service, request, late.signal)
  } finally {
    clearTimeout(timer)
  }
}

async function runTest(
  service: Service,
  request: CheckTestRequest,
  signal: AbortSignal,
): Promise<CheckTest> {
  const { check, identity } = request
  const { catalog, queries } = service
  const text = await catalog.checks.executedScript(check)
  const org = await catalog.organizations.require(check.orgId)
  const statuses: TestedStatus[] = []
  const errors: { time: string; error: string }[] = []
  const moments = await boundaries(service, request)
  for (const now of moments) {
    signal.throwIfAborted()
    const question = { text, org, now, parameters: undefined, isTest: true }
    const run = await queries.flux(identity, question)
    const stop = () => run.stop(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      await collect(run.pieces, statuses)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof UserError)) throw error
      errors.push({ time: formatTimestamp(now), error: error.message })
    } finally {
      signal.removeEventListener('abort', stop)
      run.end()
    }
  }
  return { runCount: moments.length, statuses, errors }
}

/** As its task has them. */
async function boundaries(
  { catalog }: Service,
  { check, start, stop }: CheckTestRequest,
): Promise<bigint[]> {
  if (stop <= start) throw new UserError('invalid', 'stop must be later than start')
  const task = await catalog.tasks.ofParent(check)
  if (task === undefined) throw new UserError('not found', 'the check has no task')
  const schedule = scheduleOf(task.body)
  const moments: bigint[] = []
  let next = schedule.next(start - 1n)
  while (next !== undefined && next < stop) {
    if (moments.push(next) > runsMax) {
      throw new UserError('invalid', `the check would run more than ${runsMax} times in this span`)
    }
    next = schedule.next(next)
  }
  return moments
}

async function collect(
  pieces: AsyncIterable<ResultTable | ResultRows>,
  statuses: TestedStatus[],
): Promise<void> {
  let table: ResultTable | undefined
  for await (const piece of pieces) {
    if (piece.kind === 'table') {
      table = piece
      continue
    }
    for (let row = 0; row < piece.rowCount; row++) {
      if (statuses.length === statusesMax) {
        throw new UserError('invalid', `the check would give more than ${statusesMax} statuses`)
      }
      statuses.push(statusOf(table!, piece, row))
    }
  }
}

function statusOf({ columns }: ResultTable, rows: ResultRows, row: number): TestedStatus {
  const cells = new Map<string, Cell | null>()
  const tags: Record<string, string> = {}
  const fields: Record<string, string | number | boolean> = {}
  for (const [place, { name, isGroup }] of columns.entries()) {
    const cell = cellAt(rows.columns[place], row)
    cells.set(name, cell)
    if (own.has(name) || cell === null) continue
    if (isGroup) tags[name] = String(cell)
    // Nanoseconds since 1970 are more than JSON's readers can hold as a number.
    else fields[name] = typeof cell === 'bigint' ? cell.toString() : cell
  }
  const time = cells.get('_time')
  return {
    time: typeof time === 'bigint' ? formatTimestamp(time) : '',
    level: String(cells.get('_level') ?? 'unknown'),
    message: String(cells.get('_message') ?? ''),
    tags,
    fields,
  }
}
