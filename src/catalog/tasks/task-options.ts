// The `option task = {...}` record of a task's script: reading it, checking it, and changing single
// options in place. Only literals are read; a script that computes its options is refused.

import { UserError } from '../../errors.js'
import { parseDuration, roughNs } from '../base/durations.js'
import {
  type FluxToken,
  fluxString,
  fluxStringValue,
  fluxTokens,
} from '../flux-text/flux-tokens.js'

export interface TaskOptions {
  readonly name: string
  /** Exactly one of `every` and `cron` is given. */
  readonly every?: string | undefined
  readonly cron?: string | undefined
  readonly offset?: string | undefined
  readonly concurrency: number
  readonly retry: number
}

export interface TaskOptionChange {
  readonly name?: string | undefined
  readonly every?: string | undefined
  readonly cron?: string | undefined
  readonly offset?: string | undefined
}

interface Property {
  readonly key: string
  readonly start: number
  readonly valueStart: number
  readonly end: number
  readonly tokens: readonly FluxToken[]
}

interface OptionRecord {
  readonly properties: readonly Property[]
  /** Of the word `option`. */
  readonly start: number
  /** Of the closing brace. */
  readonly end: number
}

const second = 1_000_000_000n
const concurrencyMax = 100
const retryMax = 10

export function readTaskOptions(flux: string): TaskOptions {
  const { properties } = findRecord(flux)
  const find = (key: string) => properties.find((property) => property.key === key)
  const name = stringOption(flux, find('name'))
  if (name === undefined || name === '') throw invalid('missing required option: name')
  return checkedOptions({
    name,
    every: sourceOption(flux, find('every')),
    cron: stringOption(flux, find('cron')),
    offset: sourceOption(flux, find('offset')),
    concurrency: countOption(flux, find('concurrency'), concurrencyMax),
    retry: countOption(flux, find('retry'), retryMax),
  })
}

/** The rules of options, wherever they come from. */
export function checkedOptions(options: TaskOptions): TaskOptions {
  const { every, cron, offset } = options
  if (every !== undefined && cron !== undefined) {
    throw invalid('cannot use both cron and every in task options')
  }
  if (every === undefined && cron === undefined) {
    throw invalid('missing required option: cron or every')
  }
  if (every !== undefined) {
    const duration = checkedDuration('every', every)
    if (roughNs(duration) < second) throw invalid('every option must be at least 1 second')
  }
  if (offset !== undefined) checkedDuration('offset', offset)
  if (cron !== undefined && !isCron(cron)) {
    throw invalid(`cron option ${JSON.stringify(cron)} is no cron expression`)
  }
  return options
}

/** Writes the given options into the script; an offset of nothing takes the option away. */
export function changeTaskOptions(flux: string, change: TaskOptionChange): string {
  const { name, every, cron, offset } = change
  if (every !== undefined && cron !== undefined) {
    throw new UserError('invalid', 'cannot specify both every and cron')
  }
  let changed = flux
  if (every !== undefined) changed = removeOption(changed, 'cron')
  if (cron !== undefined) changed = removeOption(changed, 'every')
  if (name !== undefined) changed = setOption(changed, 'name', fluxString(name))
  if (every !== undefined) changed = setOption(changed, 'every', durationText('every', every))
  if (cron !== undefined) changed = setOption(changed, 'cron', fluxString(cron))
  if (offset !== undefined) {
    const text = durationText('offset', offset)
    const isNothing = /^-?0+[a-z\u00b5]+$/.test(text)
    changed = isNothing ? removeOption(changed, 'offset') : setOption(changed, 'offset', text)
  }
  return changed
}

/** The script without its options, as templates keep the two apart. */
export function withoutTaskOptions(flux: string): string {
  const { start, end } = findRecord(flux)
  return `${flux.slice(0, start)}${flux.slice(end + 1)}`.trim()
}

export function withTaskOptions(flux: string, change: TaskOptionChange): string {
  return changeTaskOptions(`option task = {}\n\n${flux}`, change)
}

function findRecord(flux: string): OptionRecord {
  const tokens = fluxTokens(flux)
  const starts: number[] = []
  for (let i = 0; i + 2 < tokens.length; i++) {
    const isOption = tokens[i].text === 'option' && tokens[i].kind === 'word'
    if (isOption && tokens[i + 1].text === 'task' && tokens[i + 2].text === '=') starts.push(i + 3)
  }
  if (starts.length === 0) throw invalid('no task options defined')
  if (starts.length > 1) throw invalid('multiple task options defined')
  const first: FluxToken | undefined = tokens[starts[0]]
  if (first?.text !== '{') {
    const found = JSON.stringify(first?.text ?? '')
    throw invalid(`task option expected to be object literal, but found ${found}`)
  }
  return { start: tokens[starts[0] - 3].start, ...readRecord(tokens, starts[0] + 1) }
}

/** From the token after the opening brace. */
function readRecord(tokens: readonly FluxToken[], from: number): Omit<OptionRecord, 'start'> {
  const properties: Property[] = []
  let at = from
  while (at < tokens.length && tokens[at].text !== '}') {
    const key = tokens[at]
    const colon: FluxToken | undefined = tokens[at + 1]
    if (key.kind === 'sign' || key.kind === 'number' || colon?.text !== ':') {
      throw invalid(`cannot read the task options at ${JSON.stringify(key.text)}`)
    }
    const end = valueEnd(tokens, at + 2)
    const value = tokens.slice(at + 2, end)
    if (value.length === 0) throw invalid(`option ${key.text} has no value`)
    properties.push({
      key: key.kind === 'string' ? fluxStringValue(key.text) : key.text,
      start: key.start,
      valueStart: value[0].start,
      end: value[value.length - 1].end,
      tokens: value,
    })
    at = tokens[end]?.text === ',' ? end + 1 : end
  }
  if (at >= tokens.length) throw invalid('the task options are not closed')
  return { properties, end: tokens[at].start }
}

/** The index of the comma or brace that ends the value. */
function valueEnd(tokens: readonly FluxToken[], from: number): number {
  let depth = 0
  for (let i = from; i < tokens.length; i++) {
    const { kind, text } = tokens[i]
    if (kind !== 'sign') continue
    if (depth === 0 && (text === ',' || text === '}')) return i
    if ('([{'.includes(text)) depth++
    if (')]}'.includes(text)) depth--
  }
  return tokens.length
}

function setOption(flux: string, key: string, text: string): string {
  const { properties, end } = findRecord(flux)
  const known = properties.find((property) => property.key === key)
  if (known !== undefined) return flux.slice(0, known.valueStart) + text + flux.slice(known.end)
  const last = properties.at(-1)
  if (last === undefined) return `${flux.slice(0, end)}${key}: ${text}${flux.slice(end)}`
  return `${flux.slice(0, last.end)}, ${key}: ${text}${flux.slice(last.end)}`
}

function removeOption(flux: string, key: string): string {
  const { properties } = findRecord(flux)
  const index = properties.findIndex((property) => property.key === key)
  if (index < 0) return flux
  const next: Property | undefined = properties[index + 1]
  const before: Property | undefined = properties[index - 1]
  const { start, end } = properties[index]
  // With the comma that parts it from its neighbour.
  if (next !== undefined) return flux.slice(0, start) + flux.slice(next.start)
  return flux.slice(0, before?.end ?? start) + flux.slice(end)
}

function sourceOption(flux: string, property: Property | undefined): string | undefined {
  return property === undefined ? undefined : flux.slice(property.valueStart, property.end)
}

function stringOption(flux: string, property: Property | undefined): string | undefined {
  if (property === undefined) return undefined
  const [token] = property.tokens
  if (property.tokens.length === 1 && token.kind === 'string') return fluxStringValue(token.text)
  throw invalid(`option ${property.key} must be a string, found ${sourceOption(flux, property)}`)
}

function countOption(flux: string, property: Property | undefined, max: number): number {
  if (property === undefined) return 1
  const text = sourceOption(flux, property) ?? ''
  if (!/^\d+$/.test(text) || Number(text) < 1) {
    throw invalid(`${property.key} must be at least 1`)
  }
  if (Number(text) > max) throw invalid(`${property.key} exceeded max of ${max}`)
  return Number(text)
}

function checkedDuration(key: string, text: string) {
  const duration = parseDuration(text)
  if (duration === undefined) {
    throw invalid(`${key} option must be a duration, found ${JSON.stringify(text)}`)
  }
  if (duration.ns % second !== 0n) {
    const isShort = key === 'every' && roughNs(duration) < second
    if (isShort) throw invalid('every option must be at least 1 second')
    throw invalid(`${key} option must be expressible as whole seconds`)
  }
  return duration
}

function durationText(key: string, text: string): string {
  checkedDuration(key, text)
  return text.trim()
}

const cronMacro = /^@(hourly|daily|midnight|weekly|monthly|yearly|annually)$/i
const cronField = /^[\d*?,/\-a-z]+$/i

/** The shape only; what a field may hold is for whoever runs tasks. */
function isCron(text: string): boolean {
  const trimmed = text.trim()
  if (cronMacro.test(trimmed)) return true
  if (trimmed.startsWith('@every ')) return parseDuration(trimmed.slice(7)) !== undefined
  const fields = trimmed.split(/\s+/)
  return fields.length >= 5 && fields.length <= 7 && fields.every((field) => cronField.test(field))
}

function invalid(reason: string): UserError {
  return new UserError('invalid', `invalid options: ${reason}`)
}
