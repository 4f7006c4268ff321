// Tasks: scripts that run again and again. When is said by the options inside the script, or beside
// it where a task runs an invokable script; `every`, `cron` and `offset` are kept as they were read,
// so that nobody else has to look into scripts. Most belong to their organization alone; a check
// and a notification rule have one of their own, whose parent they are.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import type { TokenPermission } from '../accounts/tokens.js'
import { type CatalogContext, timestamp } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import type { Page } from '../base/page.js'
import { type CatalogRecord, Records } from '../base/records.js'
import type { ScriptTools } from '../base/script-tools.js'
import { Backfills } from './backfills.js'
import { LateMarks } from './late-marks.js'
import { LateSourceFinder, type LateSources } from './late-sources.js'
import { RunQueue } from './run-queue.js'
import {
  type CatchUp,
  catchUpOption,
  changeTaskOptions,
  checkedOptions,
  readTaskOptions,
  type TaskOptionChange,
  type TaskOptions,
  withoutTaskOptions,
  withTaskOptions,
} from './task-options.js'
import { type TaskKind, TaskRuns } from './task-runs.js'
import { TaskStates } from './task-states.js'

export interface TaskBody extends LateSources {
  readonly description: string
  readonly status: 'active' | 'inactive'
  /** Empty where the task runs an invokable script. */
  readonly flux: string
  readonly every?: string | undefined
  readonly cron?: string | undefined
  readonly offset?: string | undefined
  readonly zone?: string | undefined
  readonly catchUp?: CatchUp | undefined
  readonly timeout?: string | undefined
  readonly late?: string | undefined
  readonly concurrency: number
  readonly retry: number
  /** Of `query`; absent: the task is a Flux script, or runs an invokable one. */
  readonly language?: QueryLanguage | undefined
  readonly query?: string | undefined
  /** What `query` reads where it names nothing else. */
  readonly database?: string | undefined
  /** Where the rows of SQL go. */
  readonly targetBucket?: string | undefined
  readonly targetMeasurement?: string | undefined
  readonly scriptId?: string | undefined
  readonly scriptParameters?: Readonly<Record<string, unknown>> | undefined
  /** What it may do where nobody owns it: a copy of what its maker was allowed. */
  readonly permissions?: readonly TokenPermission[] | undefined
  /** Nothing is made up for the time before: runs are due from here on. */
  readonly activeSince: string
}

export type Task = CatalogRecord<TaskBody>

export type QueryLanguage = 'influxql' | 'sql'

const ownFields = {
  status: Type.String(),
  description: Type.String(),
  flux: Type.String(),
  name: Type.String(),
  every: Type.String(),
  cron: Type.String(),
  offset: Type.String(),
  zone: Type.String(),
  catchUp: Type.String(),
  timeout: Type.String(),
  late: Type.String(),
  concurrency: Type.Integer(),
  retry: Type.Integer(),
  language: Type.String(),
  query: Type.String(),
  database: Type.String(),
  targetBucket: Type.String(),
  targetMeasurement: Type.String(),
  /** Only to be changed: whoever makes a task owns it. */
  ownerID: Type.String(),
  scriptID: Type.String(),
  scriptParameters: Type.Record(Type.String(), Type.Unknown()),
}

export const taskFields = optionalFields({ orgID: Type.String(), org: Type.String(), ...ownFields })

export const ownTaskFields = optionalFields(ownFields)

export type TaskInput = Given<typeof ownTaskFields>

/** The parent of tasks that belong to no check and no rule. */
const noParent = ''

/** A check or a notification rule. */
export type ParentOfTask = Pick<Task, 'id' | 'orgId' | 'ownerId'>

export class Tasks {
  readonly records: Records<TaskBody>
  readonly runs: TaskRuns
  readonly states: TaskStates
  readonly backfills: Backfills
  readonly lateMarks: LateMarks
  readonly lateSources: LateSourceFinder
  /** For those who execute runs. */
  readonly queue: RunQueue
  readonly #context: CatalogContext

  constructor(context: CatalogContext) {
    this.#context = context
    this.records = new Records(context, { kind: 'task', noun: 'failed to find task: task' })
    this.runs = new TaskRuns(context)
    this.states = new TaskStates(context)
    this.backfills = new Backfills(context)
    this.lateMarks = new LateMarks(context)
    this.lateSources = new LateSourceFinder(context)
    this.queue = new RunQueue(context)
  }

  /** In a transaction. */
  async create(
    orgId: string,
    ownerId: string | undefined,
    input: TaskInput,
    /** What it may do where it has no owner. */
    permissions?: readonly TokenPermission[],
    parentId = noParent,
  ): Promise<Task> {
    const { scriptID: scriptId, scriptParameters, description = '' } = input
    const flux = await this.#withOwnOptions(input)
    if (flux !== '' && scriptId !== undefined) {
      throw undecodable('can not provide both scriptID and flux')
    }
    const query = queryFields(input, {})
    if (flux !== '' && query.language !== undefined) {
      throw undecodable('can not provide both query and flux')
    }
    const isBeside = scriptId !== undefined || query.language !== undefined
    if (flux === '' && !isBeside) throw undecodable('flux required')
    const options = isBeside ? optionsBeside(input) : await this.#options(flux)
    const { name, ...schedule } = options
    const status = checkedStatus(input.status ?? 'active')
    const activeSince = timestamp(this.#context)
    const body = {
      description,
      status,
      flux,
      ...schedule,
      ...query,
      scriptId,
      scriptParameters,
      permissions: ownerId === undefined ? permissions : undefined,
      activeSince,
    }
    const sources = await this.lateSources.find(orgId, body)
    const made = await this.records.create({
      orgId,
      parentId,
      ownerId,
      name,
      body: { ...body, ...sources },
    })
    await this.states.restart(made.id, wholeSecondsOf(activeSince))
    return made
  }

  /** Options that InfluxDB does not have may stand beside a script: they are written into it. */
  async #withOwnOptions({ flux = '', ...input }: TaskInput): Promise<string> {
    const own = ownOptions(input)
    const isGiven = Object.values(own).some((value) => value !== undefined && value !== '')
    if (flux === '' || !isGiven) return flux
    const tools = await this.#context.scriptTools()
    requireReadable(tools, flux)
    return changeTaskOptions(tools, flux, own)
  }

  async #options(flux: string): Promise<TaskOptions> {
    const tools = await this.#context.scriptTools()
    requireReadable(tools, flux)
    return readTaskOptions(tools, flux)
  }

  /** All, of every organization, with what each belongs to: for whoever runs them. */
  async known(): Promise<KnownTask[]> {
    const rows = await this.#context.db
      .selectFrom('records as task')
      .leftJoin('records as parent', 'parent.id', 'task.parent_id')
      .select(['task.id', 'task.updated_at', 'parent.kind'])
      .where('task.kind', '=', 'task')
      .execute()
    return rows.map(({ id, updated_at, kind }) => ({
      id,
      updatedAt: updated_at,
      kind: parentKinds[kind ?? ''] ?? 'task',
    }))
  }

  async kindOf({ parentId }: Task): Promise<TaskKind> {
    if (parentId === noParent) return 'task'
    const row = await this.#context.db
      .selectFrom('records')
      .select('kind')
      .where('id', '=', parentId)
      .executeTakeFirst()
    return parentKinds[row?.kind ?? ''] ?? 'task'
  }

  /** Those that users made, not those that checks and rules have. */
  async list(
    where: { readonly orgId?: string | undefined; readonly name?: string | undefined },
    page?: Page,
  ): Promise<Task[]> {
    return this.records.list({ ...where, parentId: noParent }, page)
  }

  /** As `list`. */
  async count(orgId: string): Promise<number> {
    return this.records.count(orgId, noParent)
  }

  /** The task of a check or a rule. */
  async ofParent(parent: ParentOfTask): Promise<Task | undefined> {
    const [task] = await this.records.list({ orgId: parent.orgId, parentId: parent.id })
    return task
  }

  /** In a transaction. Gives a check or a rule its task, or brings the one it has up to date. */
  async keepFor(
    parent: ParentOfTask,
    input: TaskInput,
    permissions?: readonly TokenPermission[],
  ): Promise<Task> {
    const task = await this.ofParent(parent)
    if (task !== undefined) return this.update(task.id, input)
    return this.create(parent.orgId, parent.ownerId, input, permissions, parent.id)
  }

  /** In a transaction. */
  async deleteOfParent(parent: ParentOfTask): Promise<void> {
    const task = await this.ofParent(parent)
    if (task !== undefined) await this.delete(task.id)
  }

  /** In a transaction. Options of a script are written into it; a new script brings its own. */
  async update(id: string, input: TaskInput): Promise<Task> {
    if (Object.values(input).every((value) => value === undefined)) {
      throw undecodable('cannot update task without content')
    }
    const before = await this.records.require(id)
    const status = checkedStatus(input.status ?? before.body.status)
    const isWoken = status === 'active' && before.body.status === 'inactive'
    const tools = await this.#context.scriptTools()
    const { name, ...schedule } = await withPrefix(() => changedSchedule(tools, before, input))
    const sources = await withPrefix(() => this.lateSources.find(before.orgId, schedule))
    if (isWoken) await this.states.restart(id, wholeSecondsOf(timestamp(this.#context)))
    if (status === 'inactive') await this.backfills.pauseOfTask(id)
    const ownerId = input.ownerID
    if (ownerId !== undefined) await this.#requireUser(ownerId)
    return this.records.update(id, {
      name,
      ownerId,
      body: {
        ...before.body,
        ...schedule,
        ...sources,
        permissions: ownerId === undefined ? before.body.permissions : undefined,
        description: input.description ?? before.body.description,
        status,
        activeSince: isWoken ? timestamp(this.#context) : before.body.activeSince,
      },
    })
  }

  async #requireUser(id: string): Promise<void> {
    const query = this.#context.db.selectFrom('users').select('id').where('id', '=', id)
    if ((await query.executeTakeFirst()) !== undefined) return
    throw new UserError('invalid', 'cannot update task with invalid ownerID')
  }

  /** How many would stand without an owner if this user went. */
  async countOwned(userId: string): Promise<number> {
    const { count } = await this.#context.db
      .selectFrom('records')
      .where('kind', '=', 'task')
      .where('owner_id', '=', userId)
      .select(({ fn }) => fn.countAll().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  }

  /** A script and its options apart, as templates have them. */
  async withoutOptions(flux: string): Promise<string> {
    return withoutTaskOptions(await this.#context.scriptTools(), flux)
  }

  async withOptions(flux: string, options: TaskOptionChange): Promise<string> {
    return withTaskOptions(await this.#context.scriptTools(), flux, options)
  }

  /** In a transaction. */
  async delete(id: string): Promise<boolean> {
    await this.runs.deleteOfTask(id)
    await this.backfills.deleteOfTask(id)
    await this.states.delete(id)
    await this.lateMarks.delete(id)
    // What rules remember of how it was doing.
    await this.#context.db.deleteFrom('rule_states').where('check_id', '=', id).execute()
    return this.records.delete(id)
  }
}

export interface KnownTask {
  readonly id: string
  readonly kind: TaskKind
  readonly updatedAt: string
}

const parentKinds: Readonly<Record<string, TaskKind | undefined>> = {
  check: 'check',
  'notification-rule': 'rule',
}

function wholeSecondsOf(time: string): string {
  return `${time.slice(0, 19)}Z`
}

function requireReadable(tools: ScriptTools, flux: string): void {
  const problem = tools.problem(flux)
  if (problem === undefined) return
  throw new UserError('invalid', `could not parse Flux script: ${problem}`)
}

/** Whether it goes and changes with a check or a rule. */
export function isOfParent(task: Task): boolean {
  return task.parentId !== noParent
}

/** As InfluxDB words wrong options of a change. */
async function withPrefix<T>(change: () => T | Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    if (!(error instanceof UserError) || !error.message.startsWith('invalid options: ')) throw error
    throw new UserError(error.code, `failed to update task: ${error.message}`)
  }
}

function changedSchedule(tools: ScriptTools, before: Task, input: TaskInput) {
  const { every, cron, offset } = input
  const scriptId = input.scriptID ?? before.body.scriptId
  const isFlux = input.flux !== undefined || (scriptId === undefined && before.body.flux !== '')
  if (input.flux !== undefined && input.scriptID !== undefined) {
    throw undecodable('can not provide both scriptID and flux')
  }
  if (isFlux) {
    if (input.flux !== undefined) requireReadable(tools, input.flux)
    const change = { name: input.name, every, cron, offset, ...ownOptions(input) }
    const flux = changeTaskOptions(tools, input.flux ?? before.body.flux, change)
    return {
      flux,
      ...readTaskOptions(tools, flux),
      ...noQuery,
      scriptId: undefined,
      scriptParameters: undefined,
    }
  }
  const hasNewSchedule = every !== undefined || cron !== undefined
  const known = before.body
  const options = optionsBeside({
    name: input.name ?? before.name,
    every: hasNewSchedule ? every : known.every,
    cron: hasNewSchedule ? cron : known.cron,
    offset: offset ?? known.offset,
    zone: input.zone ?? known.zone,
    catchUp: input.catchUp ?? known.catchUp,
    timeout: input.timeout ?? known.timeout,
    late: input.late ?? known.late,
    concurrency: input.concurrency ?? known.concurrency,
    retry: input.retry ?? known.retry,
  })
  const scriptParameters = input.scriptParameters ?? known.scriptParameters
  const query = scriptId === undefined ? queryFields(input, known) : {}
  return { flux: '', ...options, ...query, scriptId, scriptParameters }
}

/** Those that InfluxDB does not have or does not use. */
function ownOptions({ zone, catchUp, timeout, late, concurrency, retry }: TaskInput) {
  return { zone, catchUp, timeout, late, concurrency, retry }
}

/** Of a task whose options stand beside what it runs. */
function optionsBeside(input: TaskInput): TaskOptions {
  const { name = '', every, cron, offset, zone, catchUp, timeout, late } = input
  if (name === '') throw new UserError('invalid', 'invalid options: missing required option: name')
  return checkedOptions({
    name,
    every,
    cron,
    offset,
    zone: zone || undefined,
    catchUp: catchUpOption(catchUp || undefined),
    timeout: timeout || undefined,
    late: late || undefined,
    concurrency: input.concurrency ?? 1,
    retry: input.retry ?? 1,
  })
}

const noQuery: QueryFields = { language: undefined, query: undefined, database: undefined }

type QueryFields = Pick<
  TaskBody,
  'language' | 'query' | 'database' | 'targetBucket' | 'targetMeasurement'
>

function queryFields(input: TaskInput, before: QueryFields): QueryFields {
  const query = input.query ?? before.query
  const language = input.language ?? before.language
  if (query === undefined && (language === undefined || language === 'flux')) return {}
  if (language !== 'influxql' && language !== 'sql') {
    throw new UserError('invalid', 'language of a task must be influxql or sql, beside its query')
  }
  const database = input.database ?? before.database
  const targetBucket = input.targetBucket ?? before.targetBucket
  const targetMeasurement = input.targetMeasurement ?? before.targetMeasurement
  if (query === undefined || query.trim() === '') throw undecodable('query required')
  if (database === undefined || database === '') throw undecodable('database required')
  if (language === 'sql' && (!targetBucket || !targetMeasurement)) {
    throw undecodable('targetBucket and targetMeasurement required')
  }
  return { language, query, database, targetBucket, targetMeasurement }
}

function checkedStatus(status: string): 'active' | 'inactive' {
  if (status === 'active' || status === 'inactive') return status
  throw new UserError('invalid', `invalid task status: ${JSON.stringify(status)}`)
}

function undecodable(reason: string): UserError {
  return new UserError('invalid', `failed to decode request: ${reason}`)
}
