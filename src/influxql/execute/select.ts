// Runs a planned SELECT: rows or reduced points from its sources, through the steps of its calls or as
// they are, joined, limited and computed into the columns of the answer, group by group. A query
// around it reads what comes out as its own rows.

import { timeMax } from '../../column/time.js'
import { type PullStream, streamOf } from '../../platform/pull-stream.js'
import { storeParts } from '../functions/function-spec.js'
import type { ResolvedMeasurement } from '../plan/resolved.js'
import type { PlannedReference, SelectPlan } from '../plan/select-plan.js'
import { columnType } from '../plan/types.js'
import type { Expression } from '../syntax/ast.js'
import { type CallChain, chainOf } from './call-chain.js'
import { CallPipeline, type TimeSpan } from './call-pipeline.js'
import { ColumnFiller } from './column-filler.js'
import type { ExecuteContext } from './context.js'
import { evaluate } from './evaluate.js'
import { fillBlockRows } from './fill-step.js'
import { mergeGroups } from './group-merge.js'
import { joinQueues } from './join.js'
import { measurementRows, type RowsRequest, type SeriesEnd } from './measurement-rows.js'
import { noValues } from './no-values.js'
import { isConditionPushable, isPushable, type PushedGroup, PushedReader } from './pushed-calls.js'
import { RowLimiter } from './row-limiter.js'
import {
  compareGroups,
  type GroupKey,
  type GroupRows,
  type RowBlock,
  type SelectPiece,
} from './rows.js'
import type { SelectSteps, SourceSteps } from './select-steps.js'
import { hasOuterGroups, subqueryRows } from './subquery-rows.js'
import { hasWindows, WindowPieces, WindowSelect } from './window-select.js'
import { Yielder } from './yielder.js'

/** What a SELECT takes from the query around it. */
export interface Surroundings {
  readonly range: TimeSpan
  readonly dimensions: readonly string[]
  readonly slimit: number
  readonly soffset: number
}

export function runSelect(
  plan: SelectPlan,
  steps: SelectSteps,
  context: ExecuteContext,
): PullStream<SelectPiece> {
  const apart = context.pushesCalls ? steps.apart : undefined
  if (apart !== undefined) return streamOf(runApart(plan, apart, context))
  const calls = context.pushesCalls && hasWindows(plan) ? steps.windowCalls : undefined
  const byWindows = calls && WindowSelect.of(plan, calls, context.meter.limits.memoryBytesMax)
  if (byWindows === undefined) return runRows(plan, context, undefined)
  return new WindowPieces(byWindows, context)
}

async function* runApart(
  plan: SelectPlan,
  apart: readonly SourceSteps[],
  context: ExecuteContext,
): AsyncGenerator<SelectPiece, void, void> {
  for (const { source, steps } of apart) {
    yield* runSelect({ ...plan, sources: [source] }, steps, context)
  }
}

/** `around`: the SELECT that this one is a source of. */
function runRows(
  plan: SelectPlan,
  context: ExecuteContext,
  around: Surroundings | undefined,
): PullStream<SelectPiece> {
  const run = new SelectRun(plan, context, around)
  return streamOf(plan.isRaw ? run.raw() : run.calls())
}

/** Which of the rows are wanted; see RowsRequest. */
interface WantedRows {
  readonly isRaw: boolean
  readonly limitPerGroup?: number
  readonly seriesEnd?: SeriesEnd | undefined
}

/** What a step of all calls costs at least, told in rows. */
const rowsPerAdvance = 128

class SelectRun {
  readonly #plan: SelectPlan
  readonly #context: ExecuteContext
  readonly #range: TimeSpan
  /** Tags that rows are grouped by: also those of the queries around, sorted. */
  readonly #dimensions: readonly string[]
  readonly #slimit: number
  readonly #soffset: number
  /** Not read by another query: its pieces are printed one after the other. */
  readonly #isOutermost: boolean
  readonly #yielder: Yielder

  constructor(plan: SelectPlan, context: ExecuteContext, around: Surroundings | undefined) {
    this.#plan = plan
    this.#context = context
    this.#range = around === undefined ? plan.range : rangeInside(plan, around.range, context.now)
    this.#dimensions = [...new Set([...plan.dimensions, ...(around?.dimensions ?? [])])].sort()
    this.#slimit = plan.slimit + (around?.slimit ?? 0)
    this.#soffset = plan.soffset + (around?.soffset ?? 0)
    this.#isOutermost = around === undefined
    this.#yielder = new Yielder(context.signal)
  }

  async *raw(): AsyncGenerator<SelectPiece, void, void> {
    const { references, limit, offset } = this.#plan
    if (references.every(({ type }) => type === undefined)) return
    const limitPerGroup = limit > 0 ? limit + offset : 0
    const groups = this.#rows(references, this.#range, { isRaw: true, limitPerGroup })
    for await (const { key, blocks } of groups) {
      const filler = new ColumnFiller(this.#plan, references.length)
      const limiter = new RowLimiter(limit, offset)
      for await (const block of blocks) {
        const rows = limiter.take(block)
        if (this.#yielder.isDue(block.count)) await this.#yielder.yield()
        if (rows.count > 0) yield this.#computed(key, filler.fill(rows), 'r')
        if (limiter.isFull) break
      }
    }
  }

  /** The sources' rows, brought together by group. */
  #rows(
    references: readonly PlannedReference[],
    range: TimeSpan,
    { isRaw, limitPerGroup = 0, seriesEnd }: WantedRows,
  ): AsyncGenerator<GroupRows, void, void> {
    const { condition, ascending, sources } = this.#plan
    const request: RowsRequest = {
      references,
      condition,
      range,
      dimensions: this.#dimensions,
      ascending,
      isRaw,
      reusesBlocks: isRaw && this.#isOutermost && sources.length === 1,
      limitPerGroup,
      seriesEnd,
      slimit: this.#slimit,
      soffset: this.#soffset,
    }
    const generators = sources.map((source) =>
      source.kind === 'measurement'
        ? measurementRows(source, request, this.#context)
        : this.#subqueryRows(source.select, request),
    )
    return generators.length === 1 ? generators[0] : mergeGroups(generators, ascending)
  }

  #subqueryRows(plan: SelectPlan, request: RowsRequest): AsyncGenerator<GroupRows, void, void> {
    const isLimitedInside = hasOuterGroups(plan, request.dimensions)
    const around = isLimitedInside ? request : { ...request, slimit: 0, soffset: 0 }
    const pieces = runRows(plan, this.#context, around)
    return subqueryRows(pieces, plan, request, this.#context)
  }

  async *calls(): AsyncGenerator<SelectPiece, void, void> {
    const { calls, ascending, references, isSelector } = this.#plan
    const pipelines = calls.map(({ call }) => {
      const chain = chainOf(call, this.#plan.sources)
      if (chain === undefined) return undefined
      return new CallPipeline(chain, this.#plan, this.#range, this.#context)
    })
    this.#checkWindows()
    const present = pipelines.filter((pipeline) => pipeline !== undefined)
    const slotCount = pipelines.length + (isSelector ? references.length : 0)
    const feeds = await this.#feeds(present)
    const order = ascending ? 1 : -1
    for (;;) {
      const heads = feeds.map((feed) => feed.key).filter((key) => key !== undefined)
      if (heads.length === 0) return
      const key = heads.reduce((a, b) => (compareGroups(a, b) * order <= 0 ? a : b))
      const taking = feeds.filter(
        (feed) => feed.key !== undefined && compareGroups(feed.key, key) === 0,
      )
      const filler = new ColumnFiller(this.#plan, slotCount)
      for (let going: readonly Feed[] = taking; going.length > 0; ) {
        const advanced = advance(going)
        going = advanced instanceof Promise ? await advanced : advanced
        if (this.#yielder.isDue(rowsPerAdvance)) await this.#yielder.yield()
        for (const block of joinQueues(present, ascending, going.length === 0)) {
          // A block without rows stands for many that came to nothing.
          if (this.#yielder.isDue(block.count || fillBlockRows)) await this.#yielder.yield()
          if (block.count === 0) continue
          const columns = this.#slotColumns(block, pipelines)
          yield this.#computed(key, filler.fill({ ...block, columns }), 'c')
        }
      }
      for (const feed of taking) {
        const coming = feed.next()
        if (coming !== undefined) await coming
      }
    }
  }

  #checkWindows(): void {
    const { interval } = this.#plan
    const { min, max } = this.#range
    if (interval === undefined || interval.ns === 0n || this.#plan.bounds.min === undefined) return
    if (max < min) return
    this.#context.meter.checkBuckets(Number((max - min) / interval.ns) + 1)
  }

  /** Where each call gets its points from: the store's own aggregates where it has them, rows elsewhere. */
  async #feeds(pipelines: readonly CallPipeline[]): Promise<Feed[]> {
    const feeds: Feed[] = []
    const fromRows: CallPipeline[] = []
    const source = this.#pushSource()
    const byRange = new Map<string, CallPipeline[]>()
    for (const pipeline of pipelines) {
      if (source === undefined || !this.#isPushable(pipeline, source)) {
        fromRows.push(pipeline)
        continue
      }
      const text = `${pipeline.range.min} ${pipeline.range.max}`
      const group = byRange.get(text)
      if (group === undefined) byRange.set(text, [pipeline])
      else group.push(pipeline)
    }
    for (const group of byRange.values()) {
      const feed = await this.#pushedFeed(source!, group)
      if (feed === undefined) fromRows.push(...group)
      else feeds.push(feed)
    }
    for (const pipeline of fromRows) feeds.push(this.#rowFeed(pipeline))
    for (const feed of feeds) {
      const coming = feed.next()
      if (coming !== undefined) await coming
    }
    return feeds
  }

  /** Points of several measurements are not brought together, so that one at a time can be pushed down. */
  #pushSource(): ResolvedMeasurement | undefined {
    const { sources, isSelector, references, condition } = this.#plan
    const [source] = sources
    if (!this.#context.pushesCalls) return undefined
    if (sources.length !== 1 || source.kind !== 'measurement') return undefined
    // Companions of a chosen point are only in its row.
    if (isSelector && references.length > 0) return undefined
    return isConditionPushable(condition, source) ? source : undefined
  }

  #isPushable({ chain, isCut }: CallPipeline, source: ResolvedMeasurement): boolean {
    const { interval, zone } = this.#plan
    // The store fills no windows but those it reads.
    return !isCut && isPushable(chain, source, interval, zone)
  }

  async #pushedFeed(
    source: ResolvedMeasurement,
    pipelines: readonly CallPipeline[],
  ): Promise<Feed | undefined> {
    const { condition, interval, ascending, isSelector, limit, offset, fill } = this.#plan
    // What is drawn from window to window, or by transformations, may need windows that are not shown.
    const isLimited =
      limit > 0 &&
      fill.kind !== 'linear' &&
      pipelines.every(({ chain }) => chain.steps.length === 1)
    const reader = new PushedReader(
      {
        source,
        chains: pipelines.map(({ chain }) => chain),
        fills: pipelines.map(({ firstFill }) => firstFill),
        condition,
        range: pipelines[0].range,
        interval,
        dimensions: this.#dimensions,
        ascending,
        keepsTime: isSelector && interval === undefined,
        slimit: this.#slimit,
        soffset: this.#soffset,
        windowsMax: isLimited ? limit + offset : 0,
        isFilled: fill.kind !== 'none',
      },
      this.#context,
    )
    const range = await reader.range()
    if (range === undefined) return new EmptyFeed()
    if (reader.hasTooManyWindows) return undefined
    return new PushedFeed(await reader.groups(range), pipelines)
  }

  #rowFeed(pipeline: CallPipeline): Feed {
    const { references, isSelector } = this.#plan
    const { field } = pipeline.chain
    const companions = isSelector ? references : []
    const wanted = [...companions, { name: field.name, type: field.type }]
    const seriesEnd = this.#seriesEnd(pipeline.chain)
    const groups = this.#rows(wanted, pipeline.range, { isRaw: false, seriesEnd })
    return new RowFeed(groups, pipeline, companions.length)
  }

  /** Where one point of all is looked for by its time, which is the first or the last of its series. */
  #seriesEnd({ field, steps }: CallChain): SeriesEnd | undefined {
    if (!this.#context.pushesCalls) return undefined
    if (this.#plan.interval !== undefined || steps.length > 1) return undefined
    const [part] = storeParts(steps[0].spec)?.parts ?? []
    if (part !== 'first' && part !== 'last') return undefined
    return { field: field.name, isNewest: part === 'last' }
  }

  /** Calls of a field that nobody has bring no column; what they would give may be filled. */
  #slotColumns(
    block: RowBlock,
    pipelines: readonly (CallPipeline | undefined)[],
  ): RowBlock['columns'] {
    if (!pipelines.includes(undefined)) return block.columns
    let at = 0
    const columns = pipelines.map((pipeline, i) => {
      if (pipeline !== undefined) return block.columns[at++]
      const type = columnType(this.#plan.calls[i].type)
      return type && noValues(type, block.count)
    })
    return [...columns, ...block.columns.slice(at)]
  }

  /** Slots are `c0` … for calls and `r0` … for references, which stand behind the calls. */
  #computed(key: GroupKey, block: RowBlock, first: 'c' | 'r'): SelectPiece {
    const callCount = first === 'c' ? this.#plan.calls.length : 0
    const scope = {
      column: (name: string) => {
        const at = Number(name.slice(1))
        return block.columns[name[0] === 'c' ? at : callCount + at]
      },
      rowCount: block.count,
    }
    const columns = this.#plan.expressions.map((expression: Expression) =>
      evaluate(expression, scope),
    )
    return { key, block: { ...block, columns } }
  }
}

function rangeInside(plan: SelectPlan, outer: TimeSpan, now: bigint): TimeSpan {
  const { bounds, interval } = plan
  const min = bounds.min !== undefined && bounds.min > outer.min ? bounds.min : outer.min
  let max = bounds.max !== undefined && bounds.max < outer.max ? bounds.max : outer.max
  if (interval !== undefined && max === timeMax) max = now
  return { min, max }
}

/** Points for some of the calls, group by group. What is at hand is given without a promise. */
interface Feed {
  /** The group at hand; undefined: there are no more. */
  readonly key: GroupKey | undefined
  /** Goes on to the next group. */
  next(): Promise<void> | undefined
  /** Puts more of the group's points into the pipelines; false: the group has ended. */
  advance(): Promise<boolean> | boolean
}

/** Those that have more of the group. */
function advance(feeds: readonly Feed[]): readonly Feed[] | Promise<readonly Feed[]> {
  const goesOn = feeds.map((feed) => feed.advance())
  const isKnown = goesOn.every((each) => typeof each === 'boolean')
  if (isKnown) return feeds.filter((_, i) => goesOn[i])
  return Promise.all(goesOn).then((still) => feeds.filter((_, i) => still[i]))
}

class EmptyFeed implements Feed {
  readonly key = undefined

  next(): undefined {}

  advance(): boolean {
    return false
  }
}

class PushedFeed implements Feed {
  key: GroupKey | undefined
  readonly #groups: Iterator<PushedGroup>
  readonly #pipelines: readonly CallPipeline[]
  #reduced: PushedGroup['reduced'] = []

  constructor(groups: Iterator<PushedGroup>, pipelines: readonly CallPipeline[]) {
    this.#groups = groups
    this.#pipelines = pipelines
  }

  next(): undefined {
    const { value, done } = this.#groups.next()
    this.key = done === true ? undefined : value.key
    this.#reduced = done === true ? [] : value.reduced
  }

  advance(): boolean {
    for (const [i, pipeline] of this.#pipelines.entries()) {
      const { points, isFilled } = this.#reduced[i]
      pipeline.addReduced(points, isFilled)
      pipeline.finish()
    }
    return false
  }
}

class RowFeed implements Feed {
  key: GroupKey | undefined
  readonly #groups: AsyncGenerator<GroupRows, void, void>
  readonly #pipeline: CallPipeline
  readonly #fieldAt: number
  #blocks: AsyncIterator<RowBlock> | undefined

  constructor(
    groups: AsyncGenerator<GroupRows, void, void>,
    pipeline: CallPipeline,
    fieldAt: number,
  ) {
    this.#groups = groups
    this.#pipeline = pipeline
    this.#fieldAt = fieldAt
  }

  async next(): Promise<void> {
    await this.#blocks?.return?.()
    const { value, done } = await this.#groups.next()
    this.key = done === true ? undefined : value.key
    this.#blocks = done === true ? undefined : value.blocks[Symbol.asyncIterator]()
  }

  async advance(): Promise<boolean> {
    if (this.#blocks === undefined) return false
    const { value, done } = await this.#blocks.next()
    if (done !== true && !this.#pipeline.isFull) {
      this.#pipeline.addRows(value, this.#fieldAt)
      return true
    }
    this.#blocks = undefined
    this.#pipeline.finish()
    return false
  }
}
