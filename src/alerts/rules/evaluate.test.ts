// What a rule tells, as a table of (rule, levels minute by minute) → minutes told: holds, repeats, limits, silences,
// sleep, mute times, resolved messages, counts, groups, and that no status is handled twice.

import { expect, it } from 'vitest'
import type { RuleFields } from '../../catalog/monitoring/rule-fields.js'
import type { AlertLevel, AlertStatus } from '../status/message.js'
import { type EvaluateInput, evaluate } from './evaluate.js'
import { rulePlan, silenceTest } from './rule-plan.js'
import {
  type CheckState,
  checkStateText,
  parseCheckState,
  parseRuleState,
  type RuleState,
  ruleStateText,
} from './rule-state.js'

const minute = 60_000_000_000n
/** A Monday, 10:00. */
const start = BigInt(Date.parse('2026-03-02T10:00:00Z')) * 1_000_000n

class Rule {
  readonly #plan
  #state: RuleState = { until: start, sent: [], revision: 0 }
  #checks = new Map<string, CheckState>()
  more: Partial<EvaluateInput> = {}

  constructor(fields: RuleFields) {
    const statusRules = [{ currentLevel: 'CRIT', previousLevel: 'ANY' }]
    const body = { type: 'http', endpointId: '', description: '', status: 'active' } as const
    this.#plan = rulePlan({ body: { ...body, fields: { every: '1m', statusRules, ...fields } } })
  }

  /** As after a restart: everything through its text. */
  run(now: bigint, statuses: readonly AlertStatus[]) {
    const checks = new Map(
      [...this.#checks].map(([id, state]) => [id, parseCheckState(checkStateText(state))]),
    )
    const result = evaluate({
      plan: this.#plan,
      now,
      tellsSince: start,
      rule: parseRuleState(ruleStateText(this.#state)),
      checks,
      statuses,
      isSilenced: () => false,
      holdsOf: () => ({ forNs: 0n, keepForNs: 0n }),
      ...this.more,
    })
    this.#checks = checks
    this.#state = result.rule
    return result
  }
}

const letters: Readonly<Record<string, AlertLevel>> = {
  o: 'ok',
  i: 'info',
  w: 'warn',
  c: 'crit',
  u: 'unknown',
}

function status(at: number, level: AlertLevel, tags: Record<string, string> = {}): AlertStatus {
  const all = { _check_id: 'c1', _check_name: 'n', _type: 'threshold', _level: level, ...tags }
  return { time: start + BigInt(at) * minute, level, tags: all, fields: { _message: `m${at}` } }
}

/** One letter a minute; a dot for no status. Told: `c`, resolved: `r`, nothing: `.`. */
function told(
  fields: RuleFields,
  levels: string,
  more: (at: number) => Partial<EvaluateInput> = () => ({}),
) {
  const rule = new Rule(fields)
  let text = ''
  for (const [at, letter] of [...levels].entries()) {
    rule.more = more(at)
    const statuses = letter === '.' ? [] : [status(at, letters[letter])]
    const result = rule.run(start + BigInt(at) * minute, statuses)
    expect(result.told.length).toBeLessThanOrEqual(1)
    const [one] = result.told
    text += one === undefined ? '.' : one.isResolved ? 'r' : one.status.level[0]
  }
  return text
}

const level = (currentLevel: string, previousLevel?: string) => ({
  statusRules: [{ currentLevel, previousLevel }],
})

it.each<[string, RuleFields, string, string]>([
  ['changes to crit', {}, 'oocccocwc', '..c...c.c'],
  ['a change across a gap', {}, 'o.....c', '......c'],
  ['what begins bad', {}, 'cco', 'c..'],
  ['only changes from ok', level('CRIT', 'OK'), 'ocowcoc', '.c....c'],
  ['nothing that begins bad, from ok', level('CRIT', 'OK'), 'cco', '...'],
  ['any change', level('ANY', 'ANY'), 'oowccoo', '..wc.r.'],
  ['every status of a level', level('CRIT'), 'ocoocc', '.c..cc'],
  ['every status', level('ANY'), 'owc', 'rwc'],
  ['back to ok', level('OK', 'CRIT'), 'cowoco', '.r...r'],
  ['repeats of a level', { ...level('CRIT'), repeatEvery: '3m' }, 'cccccccoc', 'c..c..c.c'],
  ['repeats of a change', { repeatEvery: '3m' }, 'occccccoc', '.c..c...c'],
  ['the end', { sendResolved: true }, 'occoocwwo', '.c.r.cr..'],
  ['no end of what was not told', { ...level('CRIT', 'OK'), sendResolved: true }, 'wcoo', '....'],
  ['what lasts', { for: '2m' }, 'occocccccoccc', '......c.....c'],
  ['what lasts, from the first status on', { for: '2m' }, 'cccc', '..c.'],
  ['worse while it lasts', { for: '2m', ...level('ANY', 'ANY') }, 'owccc', '...c.'],
  ['an end that lasts', { keepFor: '2m', sendResolved: true }, 'ococoooo', '.c....r.'],
  ['three in a row', { statusRules: [{ currentLevel: 'CRIT', count: 3 }] }, 'ccoccccc', '.....ccc'],
  [
    'two within a time',
    { statusRules: [{ currentLevel: 'CRIT', count: 2, period: '2m' }] },
    'c..ccc',
    '....cc',
  ],
  [
    'not more than the limit',
    { ...level('CRIT'), limit: 2, limitEvery: 300 },
    'cccccccc',
    'cc...cc.',
  ],
  ['unknown as worse than ok', { ...level('UNKNOWN', 'ANY'), for: '1m' }, 'ouuo', '..u.'],
])('tells %s', (_, fields, levels, expected) => {
  expect(told(fields, levels)).toBe(expected)
})

it('tells what was silenced when the silence is over, if it goes on', () => {
  const silences = [
    { matchers: [{ name: '_check_id', value: 'c1' }], startsAt: '', endsAt: '', comment: '' },
  ]
  const until = (end: number) => (at: number) => ({
    isSilenced: at < end ? silenceTest(silences) : () => false,
  })
  expect(told({}, 'occcc', until(3))).toBe('...c.')
  expect(told({}, 'ococc', until(3))).toBe('...c.')
  expect(told({}, 'ocooo', until(3))).toBe('.....')
  expect(told({ sendResolved: true }, 'ccooo', (at) => (at > 0 && at < 4 ? until(9)(0) : {}))).toBe(
    'c...r',
  )
})

it('sleeps, and is mute at night', () => {
  expect(told({ sleepUntil: '2026-03-02T10:03:00Z' }, 'occcc')).toBe('...c.')
  const night = { start: '22:00', end: '10:02' }
  expect(told({ muteTimes: [night] }, 'cccc')).toBe('..c.')
  expect(told({ muteTimes: [{ ...night, days: ['sun'] }] }, 'cccc')).toBe('..c.')
  expect(told({ muteTimes: [{ ...night, days: ['mon'] }] }, 'cccc')).toBe('c...')
  const berlin = { start: '11:00', end: '11:02', timeZone: 'Europe/Berlin', days: ['mon'] }
  expect(told({ muteTimes: [berlin] }, 'cccc')).toBe('..c.')
})

it('holds as the check says, unless the rule says otherwise', () => {
  const holdsOf = () => ({ forNs: 2n * minute, keepForNs: 0n })
  expect(told({}, 'occcc', () => ({ holdsOf }))).toBe('...c.')
  expect(told({ for: '0s' }, 'occcc', () => ({ holdsOf }))).toBe('.c...')
})

it('tells nothing of what was before it was switched on, but knows it', () => {
  const tellsSince = start + 2n * minute
  expect(told({}, 'occcoc', () => ({ tellsSince }))).toBe('.....c')
  expect(told(level('CRIT'), 'occc', () => ({ tellsSince }))).toBe('..cc')
})

it('handles a status once, in whatever pieces they come', () => {
  const all = [...'occoccoc'].map((letter, at) => status(at, letters[letter]))
  const now = start + 8n * minute
  const whole = new Rule({}).run(now, all)
  expect(whole.told.map(({ status }) => status.fields._message)).toEqual(['m1', 'm4', 'm7'])
  const rule = new Rule({})
  const pieces = [all.slice(0, 2), all.slice(0, 5), all, all]
  const told = pieces.flatMap((piece) => rule.run(now, piece).told)
  expect(told.map(({ status }) => status.fields._message)).toEqual(['m1', 'm4', 'm7'])
})

it('follows tags, and keeps series apart', () => {
  const tagRules = [
    { key: 'host', value: 'a|b', operator: 'equalregex' },
    { key: 'env', value: 'test', operator: 'notequal' },
  ]
  const statuses = [
    status(1, 'crit', { host: 'a' }),
    status(1, 'crit', { host: 'b', env: 'test' }),
    status(1, 'crit', { host: 'c' }),
    status(1, 'crit', { host: 'b', env: 'live' }),
  ]
  const { told } = new Rule({ tagRules }).run(start + minute, statuses)
  expect(told.map(({ status }) => status.tags.host)).toEqual(['a', 'b'])
  // A name may change, and so does the level: the series stays.
  const rule = new Rule({})
  rule.run(start + minute, [status(1, 'crit')])
  expect(rule.run(start + 2n * minute, [status(2, 'crit', { _check_name: 'new' })]).told).toEqual(
    [],
  )
})

it('counts a group as one message', () => {
  const rule = new Rule({ groupBy: ['rack'], limit: 1, limitEvery: 600 })
  const statuses = ['a', 'b', 'c'].map((host) =>
    status(1, 'crit', { host, rack: host === 'c' ? '2' : '1' }),
  )
  const { told, heldBackCount } = rule.run(start + minute, statuses)
  expect(told.map(({ status, groupKey }) => [status.tags.host, groupKey])).toEqual([
    ['a', '{"rack":"1"}'],
    ['b', '{"rack":"1"}'],
  ])
  expect(heldBackCount).toBe(1)
})
