// Checks: queries whose results get a level at every interval. Kept as they were given, with levels
// in upper case; names are unique in their organization. Each has a task that runs its script, made,
// changed, switched and deleted with it.

import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { parseId } from '../base/ids.js'
import { exactName, Records } from '../base/records.js'
import type { LoadScriptTools } from '../base/script-tools.js'
import { Tasks } from '../tasks/tasks.js'
import { AlertStates } from './alert-states.js'
import type { Check, CheckBody, CheckFields, CheckInput, Threshold } from './check-fields.js'
import { checkScript, executedScript } from './check-script.js'
import { customScript } from './custom-check.js'
import {
  checkedStatus,
  checkSchedule,
  type Level,
  levelOf,
  requireDuration,
  type SmallChange,
  withoutEmpty,
} from './monitoring.js'

export class Checks {
  readonly records: Records<CheckBody>
  readonly #tasks: Tasks
  readonly #states: AlertStates
  readonly #tools: LoadScriptTools

  constructor(context: CatalogContext) {
    this.#tools = context.scriptTools
    this.#tasks = new Tasks(context)
    this.#states = new AlertStates(context)
    this.records = new Records(context, { kind: 'check', noun: 'check', uniqueName: exactName })
  }

  /** In a transaction: its task belongs to it. */
  async create(orgId: string, ownerId: string | undefined, input: CheckInput): Promise<Check> {
    const name = checkedName(input)
    const body = bodyOf(input)
    await this.#requireParent(orgId, undefined, body)
    const made = await this.records.create({ orgId, ownerId, name, body })
    try {
      return await this.#keepTask(made)
    } catch (error) {
      if (!(error instanceof UserError) || body.type === 'custom') throw error
      throw new UserError(error.code, `Could not create task from check: ${error.message}`)
    }
  }

  /** In a transaction. */
  async replace(id: string, input: CheckInput): Promise<Check> {
    const before = await this.records.require(id)
    const name = checkedName(input)
    await this.#requireFreeName(before, name)
    const body = bodyOf(input)
    await this.#requireParent(before.orgId, id, body)
    return this.#keepTask(await this.records.update(id, { name, body }))
  }

  /** In a transaction. */
  async update(id: string, change: SmallChange): Promise<Check> {
    const before = await this.records.require(id)
    const name = checkedName({ name: change.name ?? before.name })
    await this.#requireFreeName(before, name)
    const description = change.description ?? before.body.description
    const status = checkedStatus(change.status ?? before.body.status)
    const body = { ...before.body, description, status }
    return this.#keepTask(await this.records.update(id, { name, body }))
  }

  /** In a transaction: its task goes with it. False where there was none. */
  async delete(id: string): Promise<boolean> {
    const check = await this.records.findById(id)
    if (check !== undefined) await this.#tasks.deleteOfParent(check)
    await this.#states.forgetCheck(id)
    return this.records.delete(id)
  }

  async script(check: Check): Promise<string> {
    return checkScript(await this.#tools(), check)
  }

  async executedScript(check: Check): Promise<string> {
    return executedScript(await this.#tools(), check)
  }

  /** The script as its task has it, which only the id can complete. */
  async #keepTask(check: Check): Promise<Check> {
    const { type, query, description, status } = check.body
    let kept = check
    if (type === 'custom') {
      const text = customScript(await this.#tools(), query.text ?? '', check)
      const body = { ...check.body, query: { ...query, text } }
      if (text !== query.text) kept = await this.records.update(check.id, { body })
    }
    const flux = await this.script(kept)
    await this.#tasks.keepFor(kept, { flux, description, status })
    return kept
  }

  /** Checks that stood above each other would keep each other quiet. */
  async #requireParent(orgId: string, id: string | undefined, body: CheckBody): Promise<void> {
    let parentId = body.fields.parentCheckID
    for (let depth = 0; parentId !== undefined; depth++) {
      const parent = await this.records.findById(parentId)
      if (depth === 0 && parent?.orgId !== orgId) {
        throw new UserError('not found', 'parent check not found')
      }
      if (parentId === id || depth >= parentsMax) {
        throw new UserError('invalid', 'a check cannot be above itself')
      }
      parentId = parent?.body.fields.parentCheckID
    }
  }

  async #requireFreeName(check: Check, name: string): Promise<void> {
    const other = await this.records.findByName(check.orgId, name)
    if (other === undefined || other.id === check.id) return
    throw new UserError('conflict', 'check name is not unique')
  }
}

const parentsMax = 20

function checkedName({ name = '' }: CheckInput): string {
  if (name === '') throw new UserError('invalid', "Check Name can't be empty")
  return name
}

function bodyOf(input: CheckInput): CheckBody {
  const { type, query, description = '' } = input
  if (type !== 'threshold' && type !== 'deadman' && type !== 'custom') {
    throw new UserError('invalid', `invalid check type ${type ?? ''}`.trimEnd())
  }
  if (query === undefined) throw new UserError('invalid', 'Check Query must exist')
  const status = checkedStatus(input.status)
  return { type, description, status, query, fields: fieldsOf(type, input) }
}

function fieldsOf(type: CheckBody['type'], input: CheckInput): CheckFields {
  const holds = holdsOf(input)
  if (type === 'custom') return holds
  const { every, offset, statusMessageTemplate, tags } = withoutEmpty(input)
  if (every === undefined) throw new UserError('invalid', 'Check Every must exist')
  checkSchedule(every, offset)
  if (tags?.some(({ key, value }) => key === '' || value === '')) {
    throw new UserError('invalid', 'tag must contain a key and a value')
  }
  const shared = { every, offset, statusMessageTemplate, tags: tags ?? [], ...holds }
  if (type === 'threshold') {
    return { ...shared, thresholds: (input.thresholds ?? []).map(checkedThreshold) }
  }
  const { timeSince, staleTime, reportZero = false, level } = input
  checkSchedule(timeSince || undefined, undefined)
  checkSchedule(staleTime || undefined, undefined)
  return { ...shared, timeSince, staleTime, reportZero, level: checkedLevel(level) }
}

type Holds = 'for' | 'keepFor' | 'parentCheckID' | 'noDataLevel' | 'errorLevel'

/**
 * What decides whether its statuses are told: how long a level lasts before it counts, what is above it; and what
 * stands for those that are missing.
 */
function holdsOf(input: CheckInput): Pick<CheckFields, Holds> {
  const { for: held, keepFor, parentCheckID: parent, ...levels } = withoutEmpty(input)
  requireDuration('for', held)
  requireDuration('keepFor', keepFor)
  const parentCheckID = parent === undefined ? undefined : parseId(parent)
  const noDataLevel = levels.noDataLevel && checkedLevel(levels.noDataLevel)
  const errorLevel = levels.errorLevel && checkedLevel(levels.errorLevel)
  return withoutEmpty({ for: held, keepFor, parentCheckID, noDataLevel, errorLevel })
}

const thresholdTypes = new Set(['greater', 'lesser', 'range'])

function checkedThreshold(threshold: Threshold): Threshold {
  if (!thresholdTypes.has(threshold.type)) {
    throw new UserError('invalid', `invalid threshold type ${threshold.type}`)
  }
  const { type, level, allValues = false, value, min, max, within } = threshold
  const shared = { type, level: checkedLevel(level), allValues }
  if (type !== 'range') return { ...shared, value: value ?? 0 }
  if (min !== undefined && max !== undefined && min > max) {
    throw new UserError('invalid', 'range threshold min can not be larger than max')
  }
  return { ...shared, min: min ?? 0, max: max ?? 0, within: within ?? false }
}

function checkedLevel(text: string | undefined): Level {
  const level = levelOf(text ?? 'UNKNOWN')
  if (level !== undefined) return level
  throw new UserError('invalid', `invalid check level ${text}`)
}
