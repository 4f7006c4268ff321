// `/api/v2/tasks`: tasks as definitions. Their runs and logs have routes of their own in
// `task-runs.ts`. The tasks of checks and notification rules can be looked at by their id; they are
// in no list, and change only with what they belong to.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Given, pick } from '../../../catalog/base/fields.js'
import { parseId } from '../../../catalog/base/ids.js'
import { type Page, wholeList } from '../../../catalog/base/page.js'
import { formatTimestamp } from '../../../catalog/base/timestamps.js'
import { scheduleOf } from '../../../catalog/tasks/task-schedule.js'
import {
  isOfParent,
  ownTaskFields,
  type Task,
  type TaskInput,
  taskFields,
} from '../../../catalog/tasks/tasks.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { pageOf } from '../../base/paging.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { type IdParams, Resource, recordJson, usualRoutes } from '../resources/resource-access.js'
import { backfillRoutes } from './backfills.js'
import { taskRunRoutes } from './task-runs.js'

type TaskRequest = Given<typeof taskFields>

const taskPageLimits = { limitDefault: 100, limitMax: 500, allowsAll: true }

export function taskRoutes(app: FastifyInstance, services: Services): void {
  const { catalog } = services
  const resource = new Resource(services, {
    plural: 'tasks',
    type: 'tasks',
    records: {
      require: (id) => catalog.tasks.records.require(id),
      list: (where, page) => catalog.tasks.list(where, page),
    },
    json: (task, labels) => taskJson(services, task, labels),
  })
  const { path } = resource
  const schema = { body: taskFields }
  type Request = { Body: TaskRequest }

  guardedRoutes(app, services, (scope) => {
    scope.get(path, async (request) => listTasks(resource, request))

    scope.post<Request>(path, { schema }, async (request, reply) => {
      const { identity, org } = await resource.organizationToCreateIn(request, request.body)
      const input = await inputOf(services, request.body, org.id)
      const refusal = await refusalOf(services, input)
      const made = await catalog.inTransaction(async (inside) => {
        await inside.limits.requireRoom(org.id, 'task', inside.tasks)
        const task = await inside.tasks.create(org.id, identity.userId, input, identity.permissions)
        if (refusal !== undefined) throw refusal
        return task
      })
      return reply.code(201).send(await resource.show(made))
    })

    scope.patch<IdParams & Request>(`${path}/:id`, { schema }, async (request) => {
      const { identity, record } = await resource.require(request, 'write')
      refuseOfParent(record)
      const ownerID = request.body.ownerID || undefined
      if (ownerID !== undefined && ownerID !== record.ownerId) {
        // With a new owner it can do whatever that owner can: not for everybody who may change a task.
        requirePermission(identity, { action: 'write', type: 'orgs', id: record.orgId })
      }
      const input = { ...(await inputOf(services, request.body, record.orgId)), ownerID }
      const refusal = await refusalOf(services, input, record.body.language)
      const changed = await catalog.inTransaction(async (inside) => {
        const task = await inside.tasks.update(record.id, input)
        if (refusal !== undefined) throw refusal
        return task
      })
      return resource.show(changed)
    })

    usualRoutes(scope, services, resource, {
      remove: (task) => {
        refuseOfParent(task)
        return catalog.inTransaction((inside) => inside.tasks.delete(task.id))
      },
      hasMembers: true,
    })
    taskRunRoutes(scope, services, resource)
    backfillRoutes(scope, services, resource)
  })
}

function refuseOfParent(task: Task): void {
  if (!isOfParent(task)) return
  throw new UserError('forbidden', 'the task of a check or a rule changes only together with it')
}

async function listTasks(resource: Resource<Task['body']>, request: FastifyRequest) {
  const { identity, org } = await resource.organizationToList(request)
  const page = taskPage(request)
  const name = parameter(request, 'name')
  const user = parameter(request, 'user')
  const scriptID = parameter(request, 'scriptID')
  const status = parameter(request, 'status')
  if (status !== undefined && status !== 'active' && status !== 'inactive') {
    throw new UserError('invalid', `invalid task status: ${JSON.stringify(status)}`)
  }
  const isByName = parameter(request, 'sortBy') === 'name'
  const hasFilter = user !== undefined || scriptID !== undefined || status !== undefined
  const keep = ({ ownerId, body }: Task) =>
    (user === undefined || ownerId === user) &&
    (scriptID === undefined || body.scriptId === scriptID) &&
    (status === undefined || body.status === status)
  const found = await resource.list(identity, org, {
    page,
    name,
    keep: hasFilter ? keep : undefined,
    compare: isByName ? (a, b) => (a.name < b.name ? -1 : 1) : undefined,
  })
  const limit = page.limit === wholeList.limit ? '-1' : String(page.limit)
  const filters = { limit, name, status, scriptID, user }
  const type = parameter(request, 'type')
  if (type !== undefined && type !== 'basic' && type !== 'system') {
    const text = `failed to decode request: ${JSON.stringify(type)} is not a valid task type`
    throw new UserError('invalid', text)
  }
  const shown = await resource.showAll(found)
  return {
    tasks: type === 'basic' ? shown.map(withoutScript) : shown,
    links: taskLinks(resource.path, page, found, { ...filters, type, orgID: org?.id }),
  }
}

/** Messages about the parameters of this list have a prefix of their own. */
function taskPage(request: FastifyRequest): Page {
  try {
    return pageOf(request, taskPageLimits)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError('invalid', `failed to decode request: ${error.message}`)
  }
}

/** The next page starts after the last task of this one. */
function taskLinks(
  path: string,
  page: Page,
  found: readonly Task[],
  filters: Readonly<Record<string, string | undefined>>,
): { self: string; next?: string } {
  const link = (after: string | undefined) => {
    const all = Object.entries({ ...filters, after }).filter(([, value]) => value !== undefined)
    const sorted = (all as [string, string][]).sort(([a], [b]) => (a < b ? -1 : 1))
    return `${path}?${new URLSearchParams(sorted)}`
  }
  const last = found.at(-1)
  const hasNext = found.length >= page.limit && last !== undefined
  return { self: link(page.after), ...(hasNext ? { next: link(last.id) } : {}) }
}

/** Why its script can never run; told only where nothing else is wrong with the task. */
async function refusalOf(
  { queries }: Services,
  { flux, query, language: own }: TaskInput,
  known?: string,
): Promise<UserError | undefined> {
  const language = own ?? known
  try {
    if (flux !== undefined) await queries.requireReadable('flux', flux)
    else if (query !== undefined && (language === 'influxql' || language === 'sql')) {
      await queries.requireReadable(language, query)
    }
    return undefined
  } catch (error) {
    if (error instanceof UserError) return error
    throw error
  }
}

/** An empty text stands for one of these that was left out. */
const leftOut = ['name', 'flux', 'every', 'cron', 'offset', 'scriptID'] as const

async function inputOf(services: Services, body: TaskRequest, orgId: string): Promise<TaskInput> {
  const { ownerID: _owner, ...given } = pick(ownTaskFields, body)
  const scriptID = given.scriptID || undefined
  if (scriptID !== undefined) {
    const script = await services.catalog.scripts.require(parseId(scriptID))
    if (script.orgId !== orgId) throw new UserError('not found', `script "${scriptID}" not found`)
  }
  return {
    ...given,
    ...Object.fromEntries(leftOut.map((name) => [name, given[name] || undefined])),
  }
}

async function taskJson(
  services: Services,
  task: Task,
  labels: readonly object[],
): Promise<object> {
  const {
    scriptId,
    concurrency,
    retry,
    activeSince: _since,
    permissions: _permissions,
    lateBuckets: _lateBuckets,
    latePlaces: _latePlaces,
    description,
    ...fields
  } = task.body
  const { catalog } = services
  const org = await catalog.organizations.findById(task.orgId)
  const { latestCompleted, lastRunStatus, lastRunError } = await catalog.tasks.states.of(task.id)
  const own = {
    org: org?.name,
    ownerID: task.ownerId,
    ...(description === '' ? {} : { description }),
    ...fields,
    // As in InfluxDB's answers, unless they say something.
    ...(concurrency === 1 ? {} : { concurrency }),
    ...(retry === 1 ? {} : { retry }),
    scriptID: scriptId,
    latestCompleted,
    lastRunStatus,
    lastRunError,
    nextDue: nextDue(task, services.clock.now()),
  }
  return recordJson('tasks', task, labels, own, ['owners', 'members', 'labels', 'runs', 'logs'])
}

/** When its next run begins by the schedule; runs that were asked for are not told of here. */
function nextDue({ body }: Task, now: bigint): string | undefined {
  if (body.status !== 'active') return undefined
  const schedule = scheduleOf(body)
  const boundary = schedule.next(schedule.boundaryFor(now))
  return boundary === undefined ? undefined : formatTimestamp(schedule.dueAt(boundary))
}

function withoutScript(task: object): object {
  return { ...task, flux: '', org: '', createdAt: undefined, updatedAt: undefined }
}
