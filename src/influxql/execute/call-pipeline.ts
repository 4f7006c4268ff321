// One call of a SELECT at work: rows of a group, or points that the store already reduced, go in at one
// end; the call's points come out at the other, filled and limited, and wait in a queue to be joined
// with those of other calls.

import type { Column, FieldType } from '../../column/column.js'
import { compareUtf8 } from '../../column/series.js'
import { timeMax, timeMin } from '../../column/time.js'
import { noPoints, type Points } from '../functions/points.js'
import type { SelectPlan } from '../plan/select-plan.js'
import { columnType } from '../plan/types.js'
import type { Fill } from '../syntax/ast.js'
import { type CallChain, type ChainStep, chainRange } from './call-chain.js'
import { castColumn } from './cast.js'
import type { ExecuteContext } from './context.js'
import { FillStep, fillBlockRows } from './fill-step.js'
import { PointsQueue } from './points-queue.js'
import { overlap } from './readable-range.js'
import { densePoints } from './row-picks.js'
import type { RowBlock } from './rows.js'
import { LimitStep, makeStep, type Step } from './steps.js'
import { makeWindows } from './windows.js'

export interface TimeSpan {
  readonly min: bigint
  readonly max: bigint
}

export class CallPipeline {
  readonly chain: CallChain
  /** What must be read for this call; both ends belong to it. */
  readonly range: TimeSpan
  /** It would have read more than may be read; windows there are filled like others without points. */
  readonly isCut: boolean
  /** How windows without points are filled behind the first step. */
  readonly firstFill: Fill = { kind: 'none' }
  readonly queue = new PointsQueue()
  readonly #steps: Step[] = []
  /** Steps from the first that fills or takes long are only at work when their points are asked for. */
  #lazyAt = -1
  readonly #limit: LimitStep | undefined
  readonly #companionTypes: readonly FieldType[]

  constructor(
    chain: CallChain,
    plan: SelectPlan,
    range: TimeSpan,
    { random, meter, readable }: Pick<ExecuteContext, 'random' | 'meter' | 'readable'>,
  ) {
    this.chain = chain
    const { interval, ascending, zone } = plan
    const span = chainRange(chain, range, interval, ascending, { min: timeMin, max: timeMax })
    this.range = overlap(span, readable)
    this.isCut = this.range.min !== span.min || this.range.max !== span.max
    const windows = makeWindows(interval, zone, span)
    this.#companionTypes = plan.isSelector
      ? plan.references.map(({ type }) => columnType(type) ?? 'float')
      : []
    const keepsTime = plan.isSelector && interval === undefined
    for (let at = 0; at < chain.steps.length; at++) {
      const step = chain.steps[at]
      const companionTypes = at === 0 ? this.#companionTypes : []
      const tags = at === 0 ? tagCompanions(step, plan) : []
      const fill = fillOf(step, plan)
      const isFilled = fill.kind !== 'none'
      const isAlone = plan.calls.length === 1
      const isLast = at === chain.steps.length - 1
      // Spelt out: spreading an object here took 2 % of a point query.
      const options = {
        windows,
        ascending,
        companionTypes,
        interval,
        keepsTime,
        tagCompanions: tags,
        isFilled,
        isAlone,
        isLast,
        random,
        meter,
      }
      if (this.#lazyAt < 0 && step.spec.work === 'transform' && step.spec.takesLong)
        this.#lazyAt = this.#steps.length
      this.#steps.push(new LazyStep(() => makeStep(step, options)))
      if (at === 0) this.firstFill = fill
      if (!isFilled) continue
      const { outputType: type } = step
      const intervalNs = interval?.ns || 1n
      const pointsMax = isLast && plan.limit > 0 ? plan.limit + plan.offset : 0
      if (this.#lazyAt < 0) this.#lazyAt = this.#steps.length
      this.#steps.push(
        new LazyStep(
          () =>
            new FillStep({
              windows,
              ascending,
              companionTypes,
              fill,
              type,
              intervalNs,
              range: span,
              pointsMax,
            }),
        ),
      )
    }
    if (this.#lazyAt < 0) this.#lazyAt = this.#steps.length
    if (plan.limit > 0 || plan.offset > 0) {
      this.#limit = new LimitStep(plan.limit, plan.offset)
      this.#steps.push(this.#limit)
    }
  }

  get isFull(): boolean {
    return this.#limit?.isFull === true
  }

  /** Rows whose columns are the references of the plan, and then the call's own field at `fieldAt`. */
  addRows(block: RowBlock, fieldAt: number): void {
    const column = block.columns[fieldAt]
    // Of several sources some may have the field in a type that the call does not take.
    const values = column && castColumn(column, this.chain.steps[0].inputType, block.count)
    if (values === undefined) return
    const companions = this.#companionTypes.map(
      (type, c) => block.columns[c] ?? missing(type, block.count),
    )
    const points = densePoints({ count: block.count, times: block.times, values, companions })
    if (points.count > 0) this.#push([points], 0)
  }

  /** What the first step gives. `isFilled`: windows without points are among them as they are to be. */
  addReduced(points: readonly Points[], isFilled: boolean): void {
    this.#push(points, isFilled && this.firstFill.kind !== 'none' ? 2 : 1)
  }

  /** The group has ended. */
  finish(): void {
    for (let at = 0; at < this.#lazyAt; at++) this.#push(this.#steps[at].finish(), at + 1)
    this.queue.add(this.#lazyEnd())
  }

  #push(points: Iterable<Points>, at: number): void {
    if (at >= this.#lazyAt) this.queue.add(this.#flow(points, at))
    else for (const each of points) this.#push(this.#steps[at].add(each), at + 1)
  }

  *#flow(points: Iterable<Points>, at: number): Generator<Points, void, void> {
    for (const each of points) {
      if (at === this.#steps.length || each.count === 0) {
        yield each
        continue
      }
      if (this.isFull) return
      yield* this.#flow(this.#steps[at].add(each), at + 1)
      // Steps may take much and give nothing: whoever asks gets to stop them in between.
      if (each.count >= fillBlockRows) yield noPoints
    }
  }

  *#lazyEnd(): Generator<Points, void, void> {
    for (let at = this.#lazyAt; at < this.#steps.length; at++) {
      yield* this.#flow(this.#steps[at].finish(), at + 1)
    }
  }
}

/** Made when the first points come: what the store reduces itself never needs it. */
class LazyStep implements Step {
  readonly #make: () => Step
  #step: Step | undefined

  constructor(make: () => Step) {
    this.#make = make
  }

  add(points: Points): Iterable<Points> {
    this.#step ??= this.#make()
    return this.#step.add(points)
  }

  finish(): Iterable<Points> {
    return this.#step?.finish() ?? []
  }
}

/** What becomes of windows that nothing fell into. Counting nothing gives zero. */
export function fillOf({ spec }: ChainStep, { interval, fill }: SelectPlan): Fill {
  if (interval === undefined || spec.work !== 'reduce' || spec.givesSeveral) return { kind: 'none' }
  const { emptyValue } = spec
  return emptyValue !== undefined && fill.kind === 'null'
    ? { kind: 'number', value: emptyValue }
    : fill
}

/** Where the tags of a call of top or bottom stand among the references. */
function tagCompanions({ spec, args }: ChainStep, plan: SelectPlan): number[] {
  if (spec.work !== 'reduce' || spec.bestOfTags === undefined) return []
  const names = (args as CallChain['field'][]).slice(0, -1).map(({ name }) => name)
  // Ties are told by the tags in the order of their keys.
  return names
    .sort(compareUtf8)
    .map((name) => plan.references.findIndex((reference) => reference.name === name))
}

function missing(type: FieldType, count: number): Column {
  const validity = new Uint8Array(count)
  if (type === 'string') {
    const dictionary = { offsets: new Uint32Array(2), bytes: new Uint8Array(0), count: 1 }
    return { type, values: new Uint32Array(count), dictionary, validity }
  }
  if (type === 'boolean') return { type, values: new Uint8Array(count), validity }
  return { type, values: new Float64Array(count), validity }
}
