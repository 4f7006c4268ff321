// The `option task = {...}` record of a task's script: reading it, checking it, and changing single
// options in place. Only literals are read; a script that computes its options is refused.

import { UserError } from '../../errors.js'
import { parseDuration, roughNs } from '../base/durations.js'
import type { ScriptProperty, ScriptRecord, ScriptTools } from '../base/script-tools.js'
import { notDuration, scheduleOf } from './task-schedule.js'

export interface TaskOptions {
  readonly name: string
  /** Exactly one of `every` and `cron` is given. */
  readonly every?: string | undefined
  readonly cron?: string | undefined
  readonly offset?: string | undefined
  /** Whose clocks `every` and `cron` are about; absent: UTC. */
  readonly zone?: string | undefined
  /** What is made up for after the service was down; absent: nothing. */
  readonly catchUp?: CatchUp | undefined
  /** How long a run may take; absent: as the service is configured. */
  readonly timeout?: string | undefined
  /** How long points are waited for: boundaries whose points come later than their runs are run again. */
  readonly late?: string | undefined
  readonly concurrency: number
  readonly retry: number
}

export type CatchUp = 'skip' | 'last' | 'all'

export interface TaskOptionChange {
  readonly name?: string | undefined
  readonly every?: string | undefined
  readonly cron?: string | undefined
  readonly offset?: string | undefined
  /** These and the next: an empty text takes the option away. */
  readonly zone?: string | undefined
  readonly catchUp?: string | undefined
  readonly timeout?: string | undefined
  readonly late?: string | undefined
  readonly concurrency?: number | undefined
  readonly retry?: number | undefined
}

const second = 1_000_000_000n
const concurrencyMax = 100
const retryMax = 10

export function readTaskOptions(tools: ScriptTools, flux: string): TaskOptions {
  const { properties } = findRecord(tools, flux)
  const find = (key: string) => {
    const property = properties.find((one) => one.key === key)
    return property && { ...property, source: flux.slice(property.valueStart, property.end) }
  }
  const name = stringOption(find('name'))
  if (name === undefined || name === '') throw invalidOptions('missing required option: name')
  return checkedOptions({
    name,
    every: find('every')?.source,
    cron: stringOption(find('cron')),
    offset: find('offset')?.source,
    zone: stringOption(find('zone')) ?? stringOption(find('timezone')) ?? tools.zone(flux),
    catchUp: catchUpOption(stringOption(find('catchUp'))),
    timeout: find('timeout')?.source,
    late: find('late')?.source,
    concurrency: countOption(find('concurrency')),
    retry: countOption(find('retry')),
  })
}

/** The rules of options, wherever they come from. */
export function checkedOptions(options: TaskOptions): TaskOptions {
  const { every, cron, offset, timeout } = options
  if (every !== undefined && cron !== undefined) {
    throw invalidOptions('cannot use both cron and every in task options')
  }
  if (every === undefined && cron === undefined) {
    throw invalidOptions('missing required option: cron or every')
  }
  if (every !== undefined) {
    const duration = checkedDuration('every', every)
    if (roughNs(duration) < second) throw invalidOptions('every option must be at least 1 second')
  }
  if (offset !== undefined) checkedDuration('offset', offset)
  if (timeout !== undefined && roughNs(checkedDuration('timeout', timeout)) < second) {
    throw invalidOptions('timeout option must be at least 1 second')
  }
  if (options.late !== undefined && roughNs(checkedDuration('late', options.late)) < second) {
    throw invalidOptions('late option must be at least 1 second')
  }
  checkCount('concurrency', options.concurrency, concurrencyMax)
  checkCount('retry', options.retry, retryMax)
  checkSchedule(options)
  return options
}

/** A cron expression, an interval or a zone that cannot be read, or that has no moment at all. */
function checkSchedule(options: TaskOptions): void {
  let first: bigint | undefined
  try {
    first = scheduleOf(options).next(scheduleProbe)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw invalidOptions(error.message)
  }
  if (first === undefined) throw invalidOptions(`cron invalid: ${options.cron} never comes`)
}

/** 2020-01-01: what has no moment after it has none worth waiting for. */
const scheduleProbe = 1_577_836_800n * second

/** Writes the given options into the script; an offset of nothing takes the option away. */
export function changeTaskOptions(
  tools: ScriptTools,
  flux: string,
  change: TaskOptionChange,
): string {
  const { name, every, cron, offset } = change
  if (every !== undefined && cron !== undefined) {
    throw new UserError('invalid', 'failed to decode request: cannot specify both every and cron')
  }
  let changed = flux
  const remove = (key: string) => {
    changed = withoutOption(changed, findRecord(tools, changed), key)
  }
  const set = (key: string, text: string) => {
    changed = withOption(changed, findRecord(tools, changed), key, text)
  }
  if (every !== undefined) remove('cron')
  if (cron !== undefined) remove('every')
  if (name !== undefined) set('name', tools.quoted(name))
  if (every !== undefined) set('every', durationText('every', every))
  if (cron !== undefined) set('cron', tools.quoted(cron))
  if (offset !== undefined) {
    const text = durationText('offset', offset)
    if (/^-?0+[a-z\u00b5]+$/.test(text)) remove('offset')
    else set('offset', text)
  }
  if (change.zone !== undefined) remove('timezone')
  for (const [key, text] of ownTexts(tools, change)) {
    if (text === '') remove(key)
    else if (text !== undefined) set(key, text)
  }
  return changed
}

/** Of options that InfluxDB does not have or does not use: as they stand in a script. */
function ownTexts(tools: ScriptTools, change: TaskOptionChange) {
  const { zone, catchUp, timeout, late, concurrency, retry } = change
  const count = (value: number | undefined) => (value === undefined ? undefined : `${value}`)
  const duration = (key: string, text: string | undefined) => text && durationText(key, text)
  return new Map([
    ['zone', zone && tools.quoted(zone)],
    ['catchUp', catchUp && tools.quoted(catchUp)],
    ['timeout', duration('timeout', timeout)],
    ['late', duration('late', late)],
    ['concurrency', count(concurrency)],
    ['retry', count(retry)],
  ])
}

/** The script without its options, as templates keep the two apart. */
export function withoutTaskOptions(tools: ScriptTools, flux: string): string {
  const { start, close } = findRecord(tools, flux)
  return [flux.slice(0, start), flux.slice(close + 1)]
    .map((part) => part.trim())
    .join('\n\n')
    .trim()
}

export function withTaskOptions(
  tools: ScriptTools,
  flux: string,
  change: TaskOptionChange,
): string {
  const start = headEnd(flux)
  const head = start === 0 ? '' : `${flux.slice(0, start)}\n\n`
  const body = start === 0 ? flux : flux.slice(start).trimStart()
  return changeTaskOptions(tools, `${head}option task = {}\n\n${body}`, change)
}

/** Behind the package clause and the imports, which come before all statements; 0: there are none. */
function headEnd(flux: string): number {
  const clause = /(?:\s|\/\/[^\n]*(?:\n|$))*(?:package\s+\w+|import\s+(?:\w+\s+)?"[^"\n]*")/y
  let end = 0
  while (clause.test(flux)) end = clause.lastIndex
  return end
}

interface OptionRecord extends ScriptRecord {
  readonly close: number
}

function findRecord(tools: ScriptTools, flux: string): OptionRecord {
  const [found, ...others] = tools.assigned(flux, 'task', true)
  if (found === undefined) throw invalidOptions('no task options defined')
  if (others.length > 0) throw invalidOptions('multiple task options defined')
  if ('found' in found) {
    const text = JSON.stringify(found.found)
    throw invalidOptions(`task option expected to be object literal, but found ${text}`)
  }
  const { properties, close } = found
  const empty = properties.find(({ valueStart }) => valueStart === undefined)
  if (empty !== undefined) {
    const isKey = /^\s*:/.test(flux.slice(empty.end))
    throw isKey
      ? invalidOptions(`option ${empty.key} has no value`)
      : invalidOptions(`cannot read the task options at ${JSON.stringify(empty.key)}`)
  }
  if (close === undefined) throw invalidOptions('the task options are not closed')
  return { ...found, close }
}

function withOption(flux: string, record: OptionRecord, key: string, text: string): string {
  const { properties, close } = record
  const known = properties.find((property) => property.key === key)
  if (known !== undefined) return flux.slice(0, known.valueStart) + text + flux.slice(known.end)
  const last = properties.at(-1)
  if (last === undefined) return `${flux.slice(0, close)}${key}: ${text}${flux.slice(close)}`
  return `${flux.slice(0, last.end)}, ${key}: ${text}${flux.slice(last.end)}`
}

function withoutOption(flux: string, { properties }: OptionRecord, key: string): string {
  const index = properties.findIndex((property) => property.key === key)
  if (index < 0) return flux
  const next: ScriptProperty | undefined = properties[index + 1]
  const before: ScriptProperty | undefined = properties[index - 1]
  const { start, end } = properties[index]
  // With the comma that parts it from its neighbour.
  if (next !== undefined) return flux.slice(0, start) + flux.slice(next.start)
  return flux.slice(0, before?.end ?? start) + flux.slice(end)
}

type SourceOption = (ScriptProperty & { readonly source: string }) | undefined

function stringOption(option: SourceOption): string | undefined {
  if (option === undefined || option.text !== undefined) return option?.text
  const reason = `it must be a string, found ${option.source}`
  throw invalidOptions(`failed to parse field '${option.key}' in task options: ${reason}`)
}

function countOption(option: SourceOption): number {
  if (option === undefined) return 1
  return /^\d+$/.test(option.source) ? Number(option.source) : 0
}

function checkCount(key: string, count: number, max: number): void {
  if (count < 1) throw invalidOptions(`${key} must be at least 1`)
  if (count > max) throw invalidOptions(`${key} exceeded max of ${max}`)
}

function checkedDuration(key: string, text: string) {
  const duration = parseDuration(text)
  if (duration === undefined) {
    throw invalidOptions(notDuration(key, text))
  }
  if (duration.ns % second !== 0n) {
    const isShort = key === 'every' && roughNs(duration) < second
    if (isShort) throw invalidOptions('every option must be at least 1 second')
    throw invalidOptions(`${key} option must be expressible as whole seconds`)
  }
  return duration
}

function durationText(key: string, text: string): string {
  checkedDuration(key, text)
  return text.trim()
}

export function catchUpOption(text: string | undefined): CatchUp | undefined {
  if (text === undefined || text === 'skip' || text === 'last' || text === 'all') return text
  throw invalidOptions(`catchUp must be skip, last or all, found ${JSON.stringify(text)}`)
}

export function invalidOptions(reason: string): UserError {
  return new UserError('invalid', `invalid options: ${reason}`)
}
