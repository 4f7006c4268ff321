// The script that carries out a check: the query it was given, a level for each row of the result,
// and the message. The Flux that InfluxDB makes of the same check; a custom check is its own
// script, into which only its id is written.

import { UserError } from '../../errors.js'
import {
  assignment,
  call,
  type FluxExpression,
  type FluxStatement,
  fluxTemplate,
  member,
  pipe,
  printScript,
  record,
  rowFunction,
  text,
} from '../flux-text/flux-printer.js'
import { type TaskQuery, taskQuery } from '../flux-text/flux-query.js'
import { fluxString } from '../flux-text/flux-tokens.js'
import type { CheckBody, CheckFields, Threshold } from './checks.js'

/** What the script is made of. */
export interface CheckDefinition {
  readonly id: string
  readonly name: string
  readonly body: Pick<CheckBody, 'type' | 'query' | 'fields'>
}

/** What the user interface of InfluxDB fills in. */
const timeSinceDefault = '90s'
const staleTimeDefault = '10m'

export function checkScript(check: CheckDefinition): string {
  const { type, query } = check.body
  switch (type) {
    case 'custom':
      return query.text ?? ''
    case 'threshold':
      return thresholdScript(check)
    case 'deadman':
      return deadmanScript(check)
  }
}

function thresholdScript(check: CheckDefinition): string {
  const { query, fields } = check.body
  const every = fields.every ?? ''
  const ready = taskQuery(query.text ?? '', { durationText: every, windows: 'kept' })
  if (ready.fields.length !== 1) {
    const found = `[${ready.fields.join(' ')}]`
    throw new UserError('invalid', `expected a single field but got: ${found}`)
  }
  const column = member('r', ready.fields[0])
  const tests = new Map<string, string>()
  for (const threshold of fields.thresholds ?? []) {
    const level = threshold.level.toLowerCase()
    const known = tests.get(level)
    const test = thresholdTest(column, threshold)
    // A name is given only once: one of several thresholds of a level is enough.
    tests.set(level, known === undefined ? test : `${known} or ${test}`)
  }
  const levels = [...tests].map(([level, test]) => assignment(level, rowFunction(test)))
  return script(check, ready, [], levels, [call('v1["fieldsAsCols"]')])
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

function deadmanScript(check: CheckDefinition): string {
  const { query, fields } = check.body
  const staleTime = fields.staleTime || staleTimeDefault
  const ready = taskQuery(query.text ?? '', { durationText: staleTime, windows: 'dropped' })
  const level = (fields.level ?? 'UNKNOWN').toLowerCase()
  const since = call('experimental["subDuration"]', {
    from: 'now()',
    d: fields.timeSince || timeSinceDefault,
  })
  const levels = [assignment(level, rowFunction(member('r', 'dead')))]
  const steps = [call('v1["fieldsAsCols"]'), call('monitor["deadman"]', { t: since })]
  return script(check, ready, ['experimental'], levels, steps)
}

function script(
  check: CheckDefinition,
  query: TaskQuery,
  packages: readonly string[],
  levels: readonly FluxStatement[],
  steps: readonly FluxExpression[],
): string {
  const names = levels.flatMap((one) => (one.kind === 'assignment' ? [[one.name, one.name]] : []))
  const args = { data: 'check', messageFn: 'messageFn', ...Object.fromEntries(names) }
  const { every, offset, statusMessageTemplate = '' } = check.body.fields
  const message = rowFunction(fluxTemplate(statusMessageTemplate))
  const wanted = ['influxdata/influxdb/monitor', ...packages, 'influxdata/influxdb/v1']
  const known = new Set(query.imports)
  const added = wanted.map((name) => `import "${name}"`).filter((one) => !known.has(one))
  const [first, ...rest] = query.steps.map(text)
  return printScript(
    [...query.imports, ...added],
    [
      ...query.prelude.map((source): FluxStatement => ({ kind: 'verbatim', text: source })),
      assignment('data', rest.length === 0 ? first : pipe(first, ...rest)),
      taskOption(check.name, every, offset),
      assignment('check', checkRecord(check)),
      ...levels,
      assignment('messageFn', message),
      { kind: 'expression', value: pipe(text('data'), ...steps, call('monitor["check"]', args)) },
    ],
  )
}

/** `option task = {...}`, in the order in which InfluxDB has it. */
export function taskOption(
  name: string,
  every: string | undefined,
  offset: string | undefined,
): FluxStatement {
  const options = {
    name: fluxString(name),
    ...(every === undefined ? {} : { every }),
    ...(offset === undefined ? {} : { offset }),
  }
  return { kind: 'option', name: 'task', value: record(options) }
}

function checkRecord({ id, name, body }: CheckDefinition): FluxExpression {
  return record({
    _check_id: fluxString(id),
    _check_name: fluxString(name),
    _type: fluxString(body.type),
    tags: tagRecord(body.fields.tags ?? []),
  })
}

/** Not by `record`: of keys that look like numbers an object loses the order. */
function tagRecord(tags: NonNullable<CheckFields['tags']>): FluxExpression {
  const properties = tags.map(({ key, value }) => ({ key, value: text(fluxString(value)) }))
  return { kind: 'record', properties }
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
