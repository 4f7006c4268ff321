// Runs and logs below `/api/v2/tasks/{id}`: asking for a run, seeing what became of it, asking
// again, calling it off. Whoever may read or change the task may do so with its runs.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseId } from '../../../catalog/base/ids.js'
import {
  isUnfinished,
  type RunTask,
  runMissing,
  type TaskRun,
  wholeSeconds,
} from '../../../catalog/tasks/task-runs.js'
import type { Task, TaskBody, Tasks } from '../../../catalog/tasks/tasks.js'
import { UserError } from '../../../errors.js'
import { findRun, listRuns } from '../../../service/tasks/run-history.js'
import { tryTask } from '../../../service/tasks/task-trial.js'
import { parameter, parseTime } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, linksOf, type Resource } from '../resources/resource-access.js'

const RunManually = Type.Union([
  Type.Object({
    scheduledFor: Type.Optional(Type.String()),
    /** Only tells what it would write. */
    dryRun: Type.Optional(Type.Boolean()),
  }),
  Type.Null(),
])

const RunRetry = Type.Union([Type.Object({}), Type.Null()])

type RunParams = { Params: { id: string; runID: string } }

const runLimitDefault = 100
const runLimitMax = 500

export function taskRunRoutes(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<TaskBody>,
): void {
  const path = `${resource.path}/:id/runs`
  const { catalog } = services

  scope.get<IdParams>(path, async (request) => {
    const { record } = await resource.require(request, 'read')
    const runs = cutRuns(await listRuns(services, record), request)
    const task = `${resource.path}/${record.id}`
    return { runs: runs.map(runJson), links: { self: `${task}/runs`, task } }
  })

  scope.post<IdParams & { Body: Static<typeof RunManually> | undefined }>(
    path,
    { schema: { body: RunManually } },
    async (request, reply) => {
      const { identity, record } = await resource.require(request, 'write')
      const text = request.body?.scheduledFor || undefined
      const at = text === undefined ? services.clock.now() : parseTime('scheduledFor', text)
      if (request.body?.dryRun) {
        const { writes, rowCount } = await tryTask(services, identity, record, at)
        return { dryRun: true, scheduledFor: wholeSeconds(at), rowCount, writes }
      }
      requireActive(record, 'force')
      const run = await catalog.inTransaction(async ({ tasks }) =>
        tasks.runs.schedule(await runTask(tasks, record), at),
      )
      return reply.code(201).send(runJson(run))
    },
  )

  scope.get<RunParams>(`${path}/:runID`, async (request) => {
    const { record } = await resource.require(request, 'read')
    return runJson(await requireRun(services, record, request.params.runID, 'find'))
  })

  scope.delete<RunParams>(`${path}/:runID`, async (request, reply) => {
    const { record } = await resource.require(request, 'write')
    const runId = parseId(request.params.runID)
    await catalog.inTransaction((inside) => inside.tasks.runs.cancel(record.id, runId))
    return reply.code(204).send()
  })

  scope.post<RunParams & { Body: unknown }>(
    `${path}/:runID/retry`,
    { schema: { body: RunRetry } },
    async (request) => {
      const { record } = await resource.require(request, 'write')
      requireActive(record, 'retry')
      const { scheduledFor } = await requireRun(services, record, request.params.runID, 'retry')
      const run = await catalog.inTransaction(async ({ tasks }) =>
        tasks.runs.retry(await runTask(tasks, record), scheduledFor),
      )
      return runJson(run)
    },
  )
  logRoutes(scope, services, resource)
}

function logRoutes(scope: FastifyInstance, services: Services, resource: Resource<TaskBody>): void {
  const path = `${resource.path}/:id`

  scope.get<IdParams>(`${path}/logs`, async (request) => {
    const { record } = await resource.require(request, 'read')
    const runs = await listRuns(services, record)
    const events = runs.flatMap(logJson)
    return { events: events.sort((a, b) => (a.time < b.time ? -1 : 1)) }
  })

  scope.get<RunParams>(`${path}/runs/:runID/logs`, async (request) => {
    const { record } = await resource.require(request, 'read')
    const run = await requireRun(services, record, request.params.runID, 'find')
    return { events: logJson(run) }
  })
}

async function runTask(tasks: Tasks, task: Task): Promise<RunTask> {
  return { id: task.id, orgId: task.orgId, kind: await tasks.kindOf(task) }
}

async function requireRun(
  services: Services,
  task: Task,
  id: string,
  what: 'find' | 'retry',
): Promise<TaskRun> {
  const run = await findRun(services, task, parseId(id))
  if (run === undefined) throw runMissing(what)
  return run
}

function requireActive(task: Task, what: 'force' | 'retry'): void {
  if (task.body.status === 'active') return
  throw new UserError('invalid', `failed to ${what} run: inactive task`)
}

/** `after` names a run: those made later than it. Their ids grow. */
function cutRuns(runs: readonly TaskRun[], request: FastifyRequest): readonly TaskRun[] {
  const limit = runLimit(request)
  const after = parameter(request, 'after')
  const afterId = after === undefined ? undefined : parseId(after)
  const later = timeParameter(request, 'afterTime')
  const earlier = timeParameter(request, 'beforeTime')
  if (later !== undefined && earlier !== undefined && earlier <= later) {
    throw new UserError(
      'invalid',
      'failed to decode request: beforeTime must be later than afterTime',
    )
  }
  const kept = runs.filter(({ id, scheduledFor }) => {
    if (afterId !== undefined && id <= afterId) return false
    const at = parseTime('scheduledFor', scheduledFor)
    return (later === undefined || at > later) && (earlier === undefined || at < earlier)
  })
  return kept.slice(0, limit)
}

function runLimit(request: FastifyRequest): number {
  const text = parameter(request, 'limit')
  if (text === undefined) return runLimitDefault
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= runLimitMax) return limit
  const range = `must be between 1 and ${runLimitMax}`
  throw new UserError('invalid', `run limit is out of bounds, ${range}`)
}

function timeParameter(request: FastifyRequest, name: string): bigint | undefined {
  const text = parameter(request, name)
  return text === undefined ? undefined : parseTime(name, text)
}

function logJson(run: TaskRun): { runID: string; time: string; message: string }[] {
  return run.log.map(({ time, message }) => ({ runID: run.id, time, message }))
}

function runJson(run: TaskRun): object {
  const { id, taskId, status, scheduledFor, requestedAt, startedAt, finishedAt } = run
  const task = `/api/v2/tasks/${taskId}`
  return {
    id,
    taskID: taskId,
    status,
    scheduledFor,
    requestedAt,
    startedAt,
    finishedAt,
    ...figuresOf(run),
    log: logJson(run),
    links: linksOf(`${task}/runs/${id}`, ['retry', 'logs'], { task }),
  }
}

/** Of one that ended. */
function figuresOf({
  status,
  error,
  attempt,
  durationMs,
  rowsRead,
  rowsWritten,
  bytesMax,
}: TaskRun) {
  if (isUnfinished(status)) return {}
  return { error, attempt, durationMs, rowsRead, rowsWritten, bytesMax }
}
