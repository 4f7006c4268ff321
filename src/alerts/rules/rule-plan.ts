// A notification rule made ready to be carried out: durations as numbers, expressions compiled. What the fields mean is
// said beside their schema.

import { fieldNs } from '../../catalog/monitoring/monitoring.js'
import type {
  MuteTime,
  NotificationRule,
  StatusRule,
} from '../../catalog/monitoring/rule-fields.js'
import type { SilenceBody } from '../../catalog/monitoring/silences.js'
import { compileRegex } from '../../column/regex.js'

export type TagTest = (tags: Readonly<Record<string, string>>) => boolean

export interface StatusTest {
  /** undefined: any. */
  readonly current: string | undefined
  /** undefined: the level alone decides; `any`: every change to it. */
  readonly previous: string | undefined
  readonly count: number
  /** Within which `count` statuses have the level; undefined: whenever they were. */
  readonly periodNs: bigint | undefined
}

export interface RulePlan {
  readonly everyNs: bigint
  readonly isConcerned: TagTest
  readonly statusTests: readonly StatusTest[]
  /** undefined: as the check says. */
  readonly forNs: bigint | undefined
  readonly keepForNs: bigint | undefined
  readonly sendsResolved: boolean
  readonly groupBy: readonly string[] | undefined
  /** undefined: every status that matches is told. */
  readonly repeatNs: bigint | undefined
  readonly limit: { readonly count: number; readonly everyNs: bigint } | undefined
  readonly sleepUntilMs: number | undefined
  readonly muteTimes: readonly MuteTime[]
}

const nsPerSecond = 1_000_000_000n

export function rulePlan({ body }: Pick<NotificationRule, 'body'>): RulePlan {
  const { fields } = body
  const tests = (fields.tagRules ?? []).map(({ key, value, operator = 'equal' }) =>
    tagTest(key, value, operator.endsWith('regex'), !operator.startsWith('not')),
  )
  const asksForType = (fields.tagRules ?? []).some(({ key }) => key === '_type')
  const { limit = 0, limitEvery = 0, sleepUntil } = fields
  return {
    everyNs: fieldNs(fields.every) ?? 0n,
    // How tasks are doing is told to those who ask for it: a rule without tags means the checks, as in InfluxDB.
    isConcerned: (tags) =>
      (asksForType || tags._type !== 'task') && tests.every((test) => test(tags)),
    statusTests: (fields.statusRules ?? []).map(statusTest),
    forNs: fieldNs(fields.for),
    keepForNs: fieldNs(fields.keepFor),
    sendsResolved: fields.sendResolved === true,
    groupBy: fields.groupBy,
    repeatNs: fieldNs(fields.repeatEvery),
    limit: limit > 0 ? { count: limit, everyNs: BigInt(limitEvery) * nsPerSecond } : undefined,
    sleepUntilMs: sleepUntil === undefined ? undefined : Date.parse(sleepUntil),
    muteTimes: fields.muteTimes ?? [],
  }
}

/** An absent tag reads as the empty string, as everywhere. */
function tagTest(key: string, value: string, isRegex: boolean, isEqual: boolean): TagTest {
  if (!isRegex) return (tags) => ((tags[key] ?? '') === value) === isEqual
  const regex = compileRegex(value)
  return (tags) => regex.test(tags[key] ?? '') === isEqual
}

function statusTest({ currentLevel = 'ANY', previousLevel, count = 1, period }: StatusRule) {
  return {
    current: currentLevel === 'ANY' ? undefined : currentLevel.toLowerCase(),
    previous: previousLevel?.toLowerCase(),
    count: Math.max(1, count),
    periodNs: fieldNs(period),
  }
}

/** Whether one of the silences is about a status. */
export function silenceTest(silences: readonly SilenceBody[]): TagTest {
  const tests = silences.map(({ matchers }) =>
    matchers.map(({ name, value, isRegex = false, isEqual = true }) =>
      // Anchored, as whoever knows silences from elsewhere expects.
      tagTest(name, isRegex ? `^(?:${value})$` : value, isRegex, isEqual),
    ),
  )
  return (tags) => tests.some((matchers) => matchers.every((test) => test(tags)))
}
