// Which statuses a rule tells: a pure function of the rule, what it remembers, and the statuses that came. Each status
// is handled once, in the order of its series; then
//
//   raw level → the level that holds (`for` and `keepFor` let a change wait) → does a status rule want it? → may it be
//   told now (silences, mute times, sleep, limit)? → told, or owed until it may.
//
// What is owed is told with the first status of the same level that may be told: a silence that ends hides nothing that
// goes on.

import { type AlertLevel, type AlertStatus, severityOf } from '../status/message.js'
import { isMuted } from './mute-times.js'
import type { RulePlan, StatusTest, TagTest } from './rule-plan.js'
import type { CheckState, RuleState, SeriesState } from './rule-state.js'

export interface EvaluateInput {
  readonly plan: RulePlan
  /** For which the rule runs. */
  readonly now: bigint
  /** Statuses before it change what is remembered, and are not told. */
  readonly tellsSince: bigint
  readonly rule: RuleState
  /** By check: what is remembered. Changed in place. */
  readonly checks: Map<string, CheckState>
  /** In the order of their times. */
  readonly statuses: readonly AlertStatus[]
  readonly isSilenced: TagTest
  /** How long levels of a check wait, where the rule says nothing. */
  readonly holdsOf: (checkId: string) => Holds
}

export interface Holds {
  readonly forNs: bigint
  readonly keepForNs: bigint
}

export interface ToldStatus {
  readonly status: AlertStatus
  readonly seriesKey: string
  /** Of its group, or of its series where the rule does not group. */
  readonly groupKey: string
  readonly isResolved: boolean
}

export interface Evaluation {
  readonly told: readonly ToldStatus[]
  readonly rule: RuleState
  /** How many statuses should have been told and were held back. */
  readonly heldBackCount: number
  readonly touchedChecks: ReadonlySet<string>
}

/** Tags that are not part of what a series is: they change with the status, or with the check's name. */
const passing = new Set(['_level', '_check_id', '_check_name'])

export function seriesKeyOf(tags: Readonly<Record<string, string>>): string {
  const keys = Object.keys(tags).filter((key) => !passing.has(key))
  return JSON.stringify(keys.sort().map((key) => [key, tags[key]]))
}

export function groupOf(
  groupBy: readonly string[],
  tags: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(groupBy.map((key) => [key, tags[key] ?? '']))
}

export function evaluate(input: EvaluateInput): Evaluation {
  const run = new Run(input)
  for (const status of input.statuses) run.handle(status)
  return run.result()
}

class Run {
  readonly #input: EvaluateInput
  readonly #told: ToldStatus[] = []
  readonly #touched = new Set<string>()
  readonly #toldGroups = new Set<string>()
  readonly #sent: bigint[]
  readonly #isQuiet: boolean
  #heldBackCount = 0

  constructor(input: EvaluateInput) {
    this.#input = input
    const { plan, now, rule } = input
    const since = plan.limit === undefined ? now : now - plan.limit.everyNs
    this.#sent = rule.sent.filter((time) => time > since)
    const nowMs = Number(now / 1_000_000n)
    this.#isQuiet = (plan.sleepUntilMs ?? 0) > nowMs || isMuted(plan.muteTimes, nowMs)
  }

  handle(status: AlertStatus): void {
    const { plan, checks } = this.#input
    if (!plan.isConcerned(status.tags)) return
    const checkId = status.tags._check_id ?? ''
    const key = seriesKeyOf(status.tags)
    let known = checks.get(checkId)
    if (known === undefined) {
      known = new Map()
      checks.set(checkId, known)
    }
    const before = known.get(key)
    if (before !== undefined && status.time <= before.time) return
    this.#touched.add(checkId)
    known.set(key, this.#next(checkId, key, before, status))
  }

  #next(
    checkId: string,
    key: string,
    before: SeriesState | undefined,
    status: AlertStatus,
  ): SeriesState {
    const { plan } = this.#input
    const group = plan.groupBy && JSON.stringify(groupOf(plan.groupBy, status.tags))
    const held = this.#hold(checkId, before, status)
    const state: SeriesState = { ...before, time: status.time, group, ...held }
    // Not yet, or not any more: nothing is said of what only passes.
    if (state.differsSince !== undefined) return state
    const isChange = before?.level !== state.level
    const recent = counted(plan, isChange ? undefined : before?.recent, status.time)
    return this.#tell(
      { ...state, recent },
      isChange ? before?.level : undefined,
      isChange,
      key,
      status,
    )
  }

  /** Which level holds after a status. */
  #hold(
    checkId: string,
    before: SeriesState | undefined,
    { time, level }: AlertStatus,
  ): Pick<SeriesState, 'level' | 'differsSince' | 'differsBy'> {
    const settled = { level, differsSince: undefined, differsBy: undefined }
    if (before?.level === level) return settled
    const side = Math.sign(severityOf(level) - severityOf(before?.level ?? 'ok'))
    const { plan, holdsOf } = this.#input
    const holds = holdsOf(checkId)
    const waits = side > 0 ? (plan.forNs ?? holds.forNs) : (plan.keepForNs ?? holds.keepForNs)
    const since = before?.differsBy === side ? (before.differsSince ?? time) : time
    if (side === 0 || time - since >= waits) return settled
    return { level: before?.level, differsSince: since, differsBy: side }
  }

  #tell(
    state: SeriesState,
    previous: AlertLevel | undefined,
    isChange: boolean,
    key: string,
    status: AlertStatus,
  ): SeriesState {
    const { plan, tellsSince } = this.#input
    const { level } = status
    const wants = (test: StatusTest) => matches(test, level, previous, isChange, state)
    const isOver = state.told !== undefined && this.#isOver(level)
    const wish = this.#wish(state, plan.statusTests.some(wants), isChange, isOver, status.time)
    const isResolved = level === 'ok' || (isOver && wish === 'resolved')
    if (wish === undefined) {
      const goesOn = isOver ? { told: undefined, toldAt: undefined } : {}
      return { ...state, ...goesOn, isOwed: isChange ? undefined : state.isOwed }
    }
    if (status.time < tellsSince) return { ...state, isOwed: undefined }
    const groupKey = state.group ?? key
    if (!this.#mayTell(status, groupKey)) {
      this.#heldBackCount++
      return { ...state, isOwed: wish === 'resolved' ? state.isOwed : true }
    }
    this.#told.push({
      status: { ...status, toldLevel: state.told },
      seriesKey: key,
      groupKey,
      isResolved,
    })
    const toldNow = isResolved ? undefined : level
    return {
      ...state,
      told: toldNow,
      toldAt: isResolved ? undefined : status.time,
      isOwed: undefined,
    }
  }

  /** What of a status should be told; undefined: nothing. */
  #wish(
    { told, toldAt = 0n, isOwed }: SeriesState,
    isWanted: boolean,
    isChange: boolean,
    isOver: boolean,
    time: bigint,
  ): 'level' | 'resolved' | undefined {
    const { repeatNs, sendsResolved } = this.#input.plan
    const isRepeat = !isChange && told !== undefined && !isOver
    if (isRepeat && repeatNs !== undefined) return time - toldAt >= repeatNs ? 'level' : undefined
    if (isWanted || (isOwed === true && !isChange)) return 'level'
    return isOver && sendsResolved ? 'resolved' : undefined
  }

  /** What was told is over when no status rule is about the level any more. */
  #isOver(level: AlertLevel): boolean {
    if (level === 'ok') return true
    const { statusTests } = this.#input.plan
    return !statusTests.some(({ current }) => current === undefined || current === level)
  }

  #mayTell(status: AlertStatus, groupKey: string): boolean {
    const { plan, now, isSilenced } = this.#input
    if (this.#isQuiet || isSilenced(status.tags)) return false
    // What is told in a group is one message.
    if (plan.groupBy !== undefined && this.#toldGroups.has(groupKey)) return true
    if (plan.limit !== undefined && this.#sent.length >= plan.limit.count) return false
    this.#toldGroups.add(groupKey)
    if (plan.limit !== undefined) this.#sent.push(now)
    return true
  }

  result(): Evaluation {
    const { now, rule } = this.#input
    // A run for an earlier moment, asked for by hand, does not turn back.
    const until = rule.until > now ? rule.until : now
    return {
      told: this.#told,
      rule: { until, sent: this.#sent, revision: rule.revision + 1 },
      heldBackCount: this.#heldBackCount,
      touchedChecks: this.#touched,
    }
  }
}

function matches(
  test: StatusTest,
  level: AlertLevel,
  previous: AlertLevel | undefined,
  isChange: boolean,
  { recent = [], time }: SeriesState,
): boolean {
  if (test.current !== undefined && test.current !== level) return false
  if (test.count > 1) {
    const since = test.periodNs === undefined ? undefined : time - test.periodNs
    const inPeriod = recent.filter((one) => since === undefined || one > since)
    if (inPeriod.length < test.count) return false
  }
  if (test.previous === undefined) return true
  if (!isChange) return false
  // What begins bad is a change from anything; what begins well is none.
  if (previous === undefined) return test.previous === 'any' && level !== 'ok'
  return test.previous === 'any' || test.previous === previous
}

/** Only where the rule counts. */
function counted(
  { statusTests }: RulePlan,
  before: readonly bigint[] | undefined,
  time: bigint,
): readonly bigint[] | undefined {
  const most = Math.max(1, ...statusTests.map(({ count }) => count))
  return most === 1 ? undefined : [...(before ?? []), time].slice(-most)
}
