// The script that carries out a check: the query it was given, a level for each row of the result,
// and the message. The Flux that InfluxDB makes of the same check; a custom check is its own
// script, into which only its id is written.

import { UserError } from '../../errors.js'
import type { ScriptTools, TaskQuery } from '../base/script-tools.js'
import type { CheckBody, Threshold } from './check-fields.js'
import { fieldNs } from './monitoring.js'
import { taskOption } from './task-option.js'

/** What the script is made of. */
export interface CheckDefinition {
  readonly id: string
  readonly name: string
  readonly body: Pick<CheckBody, 'type' | 'query' | 'fields'>
}

/** What the user interface of InfluxDB fills in. */
const timeSinceDefault = '90s'
const staleTimeDefault = '10m'

export function checkScript(tools: ScriptTools, check: CheckDefinition): string {
  const { type, query } = check.body
  switch (type) {
    case 'custom':
      return query.text ?? ''
    case 'threshold':
      return thresholdScript(tools, check)
    case 'deadman':
      return deadmanScript(tools, check)
  }
}

/** How far back a series is known to a check that watches for silence. */
export const deadmanLookBack = '7d'

/**
 * As it runs here. A deadman check that looks back only to `staleTime` forgets a series just when it has been silent
 * for long; of each series only the last point matters, which is quickly found however old it is.
 */
export function executedScript(tools: ScriptTools, check: CheckDefinition): string {
  if (check.body.type !== 'deadman') return checkScript(tools, check)
  const { staleTime } = check.body.fields
  const isLonger = (fieldNs(staleTime || undefined) ?? 0n) > (fieldNs(deadmanLookBack) ?? 0n)
  return deadmanScript(tools, check, isLonger ? staleTime : deadmanLookBack, ['last()'])
}

function thresholdScript(tools: ScriptTools, check: CheckDefinition): string {
  const { query, fields } = check.body
  const every = fields.every ?? ''
  const ready = tools.taskQuery(query.text ?? '', { durationText: every, windows: 'kept' })
  if (ready.fields.length !== 1) {
    const found = `[${ready.fields.join(' ')}]`
    throw new UserError('invalid', `expected a single field but got: ${found}`)
  }
  const column = `r[${tools.quoted(ready.fields[0])}]`
  const levels = new Map<string, string>()
  for (const threshold of fields.thresholds ?? []) {
    const level = threshold.level.toLowerCase()
    const known = levels.get(level)
    const test = thresholdTest(column, threshold)
    // A name is given only once: one of several thresholds of a level is enough.
    levels.set(level, known === undefined ? test : `${known} or ${test}`)
  }
  return script(tools, check, { query: ready, packages: [], levels, first: [], steps: [] })
}

function thresholdTest(column: string, { type, value, min, max, within }: Threshold): string {
  const [low, high] = [floatText(min ?? 0), floatText(max ?? 0)]
  switch (type) {
    case 'greater':
      return `${column} > ${floatText(value ?? 0)}`
    case 'lesser':
      return `${column} < ${floatText(value ?? 0)}`
    default:
      return within === true
        ? `${column} < ${high} and ${column} > ${low}`
        : `${column} < ${low} or ${column} > ${high}`
  }
}

function deadmanScript(
  tools: ScriptTools,
  check: CheckDefinition,
  lookBack = check.body.fields.staleTime,
  first: readonly string[] = [],
): string {
  const { query, fields } = check.body
  const durationText = lookBack || staleTimeDefault
  const ready = tools.taskQuery(query.text ?? '', { durationText, windows: 'dropped' })
  const level = (fields.level ?? 'UNKNOWN').toLowerCase()
  const since = fields.timeSince || timeSinceDefault
  return script(tools, check, {
    query: ready,
    packages: ['experimental'],
    levels: new Map([[level, 'r["dead"]']]),
    first,
    steps: [`monitor["deadman"](t: experimental["subDuration"](from: now(), d: ${since}))`],
  })
}

interface Parts {
  readonly query: TaskQuery
  readonly packages: readonly string[]
  /** For each level when a row has it. */
  readonly levels: ReadonlyMap<string, string>
  /** Before the query's rows become columns. */
  readonly first: readonly string[]
  /** Between the query's rows as columns and the check. */
  readonly steps: readonly string[]
}

function script(tools: ScriptTools, check: CheckDefinition, parts: Parts): string {
  const { query, levels } = parts
  const { every, offset, statusMessageTemplate = '' } = check.body.fields
  const wanted = ['influxdata/influxdb/monitor', ...parts.packages, 'influxdata/influxdb/v1']
  const imports = new Set([...query.imports, ...wanted.map((name) => `import "${name}"`)])
  const args = ['data', 'messageFn', ...levels.keys()].map((name) =>
    name === 'data' ? 'data: check' : `${name}: ${name}`,
  )
  const steps = [
    'data',
    ...parts.first,
    'v1["fieldsAsCols"]()',
    ...parts.steps,
    `monitor["check"](${args.join(', ')})`,
  ]
  const lines = [
    ...imports,
    query.prelude,
    `data = ${query.result}`,
    taskOption(tools, check.name, every, offset),
    `check = ${checkRecord(tools, check)}`,
    ...Array.from(levels, ([level, test]) => `${level} = (r) => ${test}`),
    `messageFn = (r) => ${tools.quoted(statusMessageTemplate, 'template')}`,
    steps.join(' |> '),
  ]
  return tools.format(lines.join('\n'))
}

function checkRecord(tools: ScriptTools, { id, name, body }: CheckDefinition): string {
  const { quoted, key } = tools
  const tags = (body.fields.tags ?? []).map((tag) => `${key(tag.key)}: ${quoted(tag.value)}`)
  const own = `_check_id: ${quoted(id)}, _check_name: ${quoted(name)}, _type: ${quoted(body.type)}`
  return `{${own}, tags: {${tags.join(', ')}}}`
}

/** Flux has no exponents: every digit is written out. */
export function floatText(value: number): string {
  const [, sign, digits, exponent] = /^(-?)([\d.]+)(?:e([+-]\d+))?$/.exec(String(value)) ?? []
  const shift = Number(exponent ?? 0)
  const [whole, fraction = ''] = digits.split('.')
  const padded = `${'0'.repeat(Math.max(0, -shift))}${whole}${fraction}`
  const point = whole.length + Math.max(0, -shift) + shift
  const filled = padded.padEnd(point, '0')
  const before = filled.slice(0, point).replace(/^0+(?=\d)/, '') || '0'
  return `${sign}${before}.${filled.slice(point) || '0'}`
}
