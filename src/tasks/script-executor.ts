// Executes plain tasks with the rights of their owner, and with `now()` at the moment that the run is for: a Flux
// script, an invokable script with its parameters, InfluxQL (`SELECT … INTO`), or SQL whose rows go into a measurement.
// When and how often is the runner's business.

import type { Identity } from '../access/authenticator.js'
import { UserError } from '../errors.js'
import type { QueryParameters } from '../query/language.js'
import type { QueryFigures } from '../query/limits.js'
import type { QueryRun } from '../service/query/query-run.js'
import { writtenCount } from '../service/query/written-count.js'
import type { Service } from '../service/service.js'
import { RowTarget, writeLines } from '../service/tasks/row-target.js'
import type { TaskExecutor, TaskFigures, TaskWork } from './executor.js'

export class ScriptExecutor implements TaskExecutor {
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  async run(work: TaskWork): Promise<TaskFigures> {
    const { body } = work.task
    const identity = await this.#service.taskIdentities.of(work.task)
    if (body.scriptId !== undefined) return this.#invoke(work, identity, body.scriptId)
    const { language, query = '', database = '' } = body
    if (language === 'influxql') return this.#influxql(work, identity, query, database)
    if (language === 'sql') return this.#sql(work, identity, query, database)
    return this.#flux(work, identity, body.flux)
  }

  /** A script that was deleted since fails with the words of its resource. */
  async #invoke(work: TaskWork, identity: Identity, scriptId: string): Promise<TaskFigures> {
    const script = await this.#service.catalog.scripts.require(scriptId)
    if (script.orgId !== work.task.orgId) {
      throw new UserError('not found', `script "${scriptId}" not found`)
    }
    const { language, script: text } = script.body
    if (language === 'sql') {
      throw new UserError('not implemented', 'scripts in SQL can be kept but not invoked')
    }
    if (language === 'influxql') return this.#influxql(work, identity, text, '')
    const values = new Map(Object.entries(work.task.body.scriptParameters ?? {}))
    return this.#flux(work, identity, text, { values })
  }

  async #flux(
    work: TaskWork,
    identity: Identity,
    text: string,
    parameters?: QueryParameters,
  ): Promise<TaskFigures> {
    const { task, now, lastSuccess, signal } = work
    const { targets, queries } = this.#service
    const org = await targets.organization(identity, { org: undefined, orgID: task.orgId })
    let rowsWritten = 0
    const wrote = (count: number) => {
      rowsWritten += count
    }
    const figures = newFigures()
    const question = { text, org, now, parameters, task: { lastSuccess, wrote, figures } }
    work.stage('preparing')
    const run = await queries.flux(identity, question)
    work.stage('running')
    await whileRunning(run, signal, async () => {
      // What it answers is of no interest; it has to be read for the script to go on.
      for await (const _piece of run.pieces);
    })
    return { ...figures, rowsWritten }
  }

  /** The answer of a `SELECT … INTO` is how many points it wrote. */
  async #influxql(
    work: TaskWork,
    identity: Identity,
    text: string,
    database: string,
  ): Promise<TaskFigures> {
    const figures = newFigures()
    const question = { language: 'influxql', text, database, now: work.now, figures } as const
    const run = await this.#service.queries.task(identity, question)
    let rowsWritten = 0
    await whileRunning(run, work.signal, async () => {
      for await (const piece of run.pieces) {
        if (piece.kind === 'failure') throw piece.error
        if (piece.kind === 'batch') rowsWritten += writtenCount(piece)
      }
    })
    return { ...figures, rowsWritten }
  }

  async #sql(
    work: TaskWork,
    identity: Identity,
    text: string,
    database: string,
  ): Promise<TaskFigures> {
    const { targetBucket = '', targetMeasurement = '' } = work.task.body
    let rowsWritten = 0
    const take = writeLines(this.#service.writes, (count) => {
      rowsWritten += count
    })
    const place = { bucket: targetBucket, measurement: targetMeasurement, now: work.now }
    const target = new RowTarget(this.#service, identity, work.task.orgId, place, take)
    const figures = newFigures()
    const question = { language: 'sql', text, database, now: work.now, figures } as const
    const run = await this.#service.queries.task(identity, question)
    await whileRunning(run, work.signal, async () => {
      for await (const piece of run.pieces) {
        if (piece.kind === 'failure') throw piece.error
        if (piece.kind === 'batch') await target.write(piece)
      }
    })
    return { ...figures, rowsWritten }
  }
}

function newFigures(): QueryFigures {
  return { rowsRead: 0, bytesMax: 0 }
}

/** The query ends with the run, however that comes. */
async function whileRunning<Piece>(
  run: QueryRun<Piece>,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const stop = () => run.stop(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    await work()
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', stop)
    run.end()
  }
}
