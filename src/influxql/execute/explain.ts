// EXPLAIN tells how a SELECT would be answered: which calls the store computes itself, which rows are
// read, from how many series, what that is expected to take, and what servers elsewhere are asked. EXPLAIN ANALYZE runs
// it and adds what was really read and how long it took.

import type { Clock } from '../../platform/clock.js'
import { EnoughNoted, NotedReads, silentReads } from '../../store/noted-reads.js'
import { estimateReads } from '../../store/read-estimates.js'
import type { PlannedSource, SelectPlan } from '../plan/select-plan.js'
import { printExpression } from '../syntax/printer.js'
import { chainOf } from './call-chain.js'
import { type ExecuteContext, newFigures } from './context.js'
import type { PlannedSelect } from './prepared-select.js'
import { isConditionPushable, isPushable } from './pushed-calls.js'
import { runSelect } from './select.js'
import { SelectSteps } from './select-steps.js'
import { sourcesApart } from './source-order.js'

/** One column of texts. */
export function explainColumns(isAnalyzed: boolean): readonly (readonly [string, 'string'])[] {
  return [[isAnalyzed ? 'EXPLAIN ANALYZE' : 'QUERY PLAN', 'string']]
}

export async function explainSelect(
  { plan, steps }: PlannedSelect,
  context: ExecuteContext,
  isAnalyzed: boolean,
  clock: Clock,
): Promise<string[]> {
  const noted = await readsOf(plan, context)
  const lines = [
    ...(await planLines(plan, context, '')),
    ...(await estimateLines(noted, context)),
    ...(await statementLines(noted, context)),
  ]
  if (!isAnalyzed) return lines
  const started = clock.now()
  let rows = 0
  let groups = 0
  let lastKey: unknown
  for await (const { key, block } of runSelect(plan, steps, context)) {
    rows += block.count
    if (key !== lastKey) groups++
    lastKey = key
  }
  const { reads, rowsRead, seriesRead, pushedCalls } = context.figures
  const tookMs = Number(clock.now() - started) / 1e6
  return [
    ...lines,
    '',
    `EXECUTION TIME: ${tookMs.toFixed(3)}ms`,
    `READS: ${reads}`,
    `SERIES OR GROUPS READ: ${seriesRead}`,
    `ROWS READ: ${rowsRead}`,
    `CALLS COMPUTED BY THE STORE: ${pushedCalls}`,
    `RESULT SERIES: ${groups}`,
    `RESULT ROWS: ${rows}`,
  ]
}

/** Reads whose statements are shown. */
const readsShownMax = 10

/** What the query would read; nothing is read now. */
async function readsOf(plan: SelectPlan, context: ExecuteContext): Promise<NotedReads> {
  const noted = new NotedReads()
  const store = silentReads(context.store, noted)
  const silent = { ...context, store, figures: newFigures() }
  try {
    // Its own steps: those of the query keep what they have prepared.
    for await (const _ of runSelect(plan, new SelectSteps(plan), silent)) {
      // Rows of nothing.
    }
  } catch (error) {
    if (!(error instanceof EnoughNoted)) throw error
  }
  return noted
}

async function estimateLines(noted: NotedReads, context: ExecuteContext): Promise<string[]> {
  const { store, signal } = context
  const found = await estimateReads(store, noted.requests, signal)
  const { valueCount, storedBytes, isShared } = found
  return [
    `VALUES TO READ, ${noted.isCut ? 'AT LEAST' : 'ABOUT'}: ${valueCount}`,
    `SIZE OF BLOCKS: ${storedBytes ?? 'unknown'}`,
    `SHARED BY THREADS: ${isShared ? 'yes' : 'no'}`,
  ]
}

/** What the store sends elsewhere, where it does; nothing of it is sent now. */
async function statementLines(noted: NotedReads, context: ExecuteContext): Promise<string[]> {
  const { store, signal } = context
  if (store.statements === undefined) return []
  const { requests, isCut } = noted
  const more = isCut ? 'MORE THAN ' : ''
  const lines = [`READS OF THE STORE: ${more}${requests.length}`]
  for (const request of requests.slice(0, readsShownMax)) {
    for (const sql of await store.statements(request, signal)) lines.push(`STATEMENT: ${sql}`)
  }
  const left = requests.length - readsShownMax
  if (left > 0) lines.push(`AND OF ${more}${left} MORE READS`)
  return lines
}

async function planLines(
  plan: SelectPlan,
  context: ExecuteContext,
  indent: string,
): Promise<string[]> {
  const lines: string[] = []
  const auxiliary = plan.references.map(({ name, type }) => (type ? `${name}::${type}` : name))
  const isApart = plan.sources.length === 1 || sourcesApart(plan) !== undefined
  for (const source of plan.sources) {
    const expressions =
      plan.calls.length === 0 ? ['<nil>'] : plan.calls.map(({ call }) => printExpression(call))
    for (const [i, expression] of expressions.entries()) {
      lines.push(`${indent}EXPRESSION: ${expression}`)
      if (auxiliary.length > 0) lines.push(`${indent}AUXILIARY FIELDS: ${auxiliary.join(', ')}`)
      lines.push(`${indent}ANSWERED FROM: ${answeredFrom(plan, i, source, isApart)}`)
    }
    lines.push(...(await sourceLines(source, plan, context, indent)))
  }
  return lines
}

function answeredFrom(
  plan: SelectPlan,
  call: number,
  source: PlannedSource,
  isApart: boolean,
): string {
  if (source.kind === 'subquery') return 'rows of a subquery'
  const { condition, interval, zone, calls, isSelector, references } = plan
  if (calls.length === 0) return 'rows'
  const chain = chainOf(calls[call].call, isApart ? [source] : plan.sources)
  if (chain === undefined) return 'nothing: the field is not known'
  const hasCompanions = isSelector && references.length > 0
  const isPushed =
    !hasCompanions &&
    isApart &&
    isConditionPushable(condition, source) &&
    isPushable(chain, source, interval, zone)
  return isPushed ? 'window aggregates of the store' : 'rows'
}

async function sourceLines(
  source: PlannedSource,
  plan: SelectPlan,
  context: ExecuteContext,
  indent: string,
): Promise<string[]> {
  if (source.kind === 'subquery') {
    return [`${indent}SUBQUERY:`, ...(await planLines(source.select, context, `${indent}  `))]
  }
  const { bucket, name: measurement } = source
  const range = { start: plan.range.min, stop: plan.range.max + 1n }
  const { store, signal } = context
  const seriesCount = await store.cardinality({ bucket, measurement }, signal)
  const { rowCountMax } = await store.extent({ bucket, measurement, range }, signal)
  return [
    `${indent}MEASUREMENT: ${measurement}`,
    `${indent}NUMBER OF SERIES: ${seriesCount}`,
    `${indent}ROWS IN RANGE, AT MOST: ${rowCountMax}`,
  ]
}
