// Backfills below `/api/v2/tasks/{id}`: asking for one, seeing how far it has come, holding it up and calling it off.
// Whoever may read or change the task may do so with its backfills.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import { type Backfill, type Backfills, planBackfill } from '../../../catalog/tasks/backfills.js'
import { wholeSeconds } from '../../../catalog/tasks/task-runs.js'
import { isOfParent, type Task, type TaskBody } from '../../../catalog/tasks/tasks.js'
import { UserError } from '../../../errors.js'
import { parseTime } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, linksOf, type Resource } from '../resources/resource-access.js'

const BackfillBody = Type.Object({
  start: Type.String(),
  stop: Type.String(),
  concurrency: Type.Optional(Type.Integer()),
  dryRun: Type.Optional(Type.Boolean()),
})

const Nothing = Type.Union([Type.Object({}), Type.Null()])

type BackfillParams = { Params: { id: string; backfillID: string } }

const turns: Readonly<
  Record<string, (backfills: Backfills, task: Task, id: string) => Promise<Backfill>>
> = {
  pause: (backfills, task, id) => backfills.pause(task.id, id),
  resume: (backfills, task, id) => backfills.resume(task, id),
  cancel: (backfills, task, id) => backfills.cancel(task.id, id),
}

export function backfillRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<TaskBody>,
): void {
  const path = `${resource.path}/:id`
  const one = `${path}/backfills/:backfillID`
  const { catalog } = services

  scope.post<IdParams & { Body: Static<typeof BackfillBody> }>(
    `${path}/backfill`,
    { schema: { body: BackfillBody } },
    async (request, reply) => {
      const { record } = await resource.require(request, 'write')
      if (isOfParent(record)) {
        const text = 'the task of a check or a rule cannot be backfilled: it would tell of the past'
        throw new UserError('forbidden', text)
      }
      const { start, stop, concurrency, dryRun } = request.body
      const asked = { start: parseTime('start', start), stop: parseTime('stop', stop), concurrency }
      if (dryRun) {
        const { first, last, ...plan } = planBackfill(record, asked, services.clock.now())
        return { dryRun, ...plan, first: wholeSeconds(first), last: wholeSeconds(last) }
      }
      const made = await catalog.inTransaction(({ tasks }) => tasks.backfills.create(record, asked))
      return reply.code(201).send(backfillJson(made))
    },
  )

  scope.get<IdParams>(`${path}/backfills`, async (request) => {
    const { record } = await resource.require(request, 'read')
    const task = `${resource.path}/${record.id}`
    const backfills = await catalog.tasks.backfills.list(record.id)
    return {
      backfills: backfills.map(backfillJson),
      links: { self: `${task}/backfills`, task },
    }
  })

  scope.get<BackfillParams>(one, async (request) => {
    const { record } = await resource.require(request, 'read')
    const id = parseId(request.params.backfillID)
    return backfillJson(await catalog.tasks.backfills.require(record.id, id))
  })

  for (const [name, turn] of Object.entries(turns)) {
    scope.post<BackfillParams & { Body: unknown }>(
      `${one}/${name}`,
      { schema: { body: Nothing } },
      async (request) => {
        const { record } = await resource.require(request, 'write')
        const id = parseId(request.params.backfillID)
        return backfillJson(
          await catalog.inTransaction(({ tasks }) => turn(tasks.backfills, record, id)),
        )
      },
    )
  }
}

function backfillJson(backfill: Backfill): object {
  const { id, taskId, orgId, underWay, ...shown } = backfill
  const task = `/api/v2/tasks/${taskId}`
  const ended = shown.succeeded + shown.failed + shown.canceled
  return {
    id,
    taskID: taskId,
    orgID: orgId,
    ...shown,
    underWay,
    progress: ended / shown.total,
    links: linksOf(`${task}/backfills/${id}`, Object.keys(turns), { task }),
  }
}
