// Executes plain tasks: a Flux script with the rights of its owner, and with `now()` at the moment that the run is for.
// When and how often is the runner's business.

import { taskIdentity } from '../service/base/task-identities.js'
import type { Service } from '../service/service.js'
import type { TaskExecutor, TaskFigures, TaskWork } from './executor.js'

export class ScriptExecutor implements TaskExecutor {
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  async run(work: TaskWork): Promise<TaskFigures> {
    const { task, now, lastSuccess, signal } = work
    const { catalog, queries } = this.#service
    const identity = await taskIdentity(catalog, task)
    const org = await catalog.organizations.require(task.orgId)
    let rowsWritten = 0
    let rowsRead = 0
    const wrote = (count: number) => {
      rowsWritten += count
    }
    const question = { text: task.body.flux, org, now, parameters: undefined }
    const run = await queries.flux(identity, { ...question, task: { lastSuccess, wrote } })
    const stop = () => run.stop(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      for await (const piece of run.pieces) if (piece.kind === 'rows') rowsRead += piece.rowCount
      signal.throwIfAborted()
    } finally {
      signal.removeEventListener('abort', stop)
      run.end()
    }
    return { rowsRead, rowsWritten }
  }
}
