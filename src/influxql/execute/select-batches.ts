// A SELECT as batches of its result: planned when the first batch is asked for, and run from there. Batches
// without rows are left out.

import { type MaybePromise, PullStream } from '../../platform/pull-stream.js'
import type { ResultBatch } from '../../query/language.js'
import { QueryMeter } from '../../query/limits.js'
import { RowMemoryPool } from '../../query/row-memory.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { SlotValues } from '../syntax/literal-slots.js'
import { type ExecuteContext, newFigures } from './context.js'
import type { PlannedSelect, PreparedSelect } from './prepared-select.js'
import { readableRange } from './readable-range.js'
import { resultBatch } from './result-batches.js'
import type { SelectPiece } from './rows.js'
import { runSelect } from './select.js'

interface StartedSelect extends PlannedSelect {
  readonly context: ExecuteContext
}

/** A promise where the sources must be waited for. */
export function startSelect(
  select: PreparedSelect,
  scope: InfluxqlScope,
  signal: AbortSignal,
  literals: SlotValues,
): MaybePromise<StartedSelect> {
  const now = scope.clock.now()
  const planned = select.plan(scope, now, literals)
  if (!(planned instanceof Promise)) return withContext(planned, now, scope, signal)
  return planned.then((made) => withContext(made, now, scope, signal))
}

function withContext(
  { plan, steps }: PlannedSelect,
  now: bigint,
  scope: InfluxqlScope,
  signal: AbortSignal,
): StartedSelect {
  const { store, random, limits, pushesCalls = true, rowMemory = new RowMemoryPool() } = scope
  const meter = new QueryMeter(limits, scope.figures)
  const figures = newFigures()
  const readable = readableRange(plan)
  const context: ExecuteContext = {
    store,
    signal,
    random,
    meter,
    now,
    readable,
    figures,
    rowMemory,
    pushesCalls,
  }
  return { plan, steps, context }
}

export class SelectBatches extends PullStream<ResultBatch> {
  readonly #select: PreparedSelect
  readonly #scope: InfluxqlScope
  readonly #signal: AbortSignal
  readonly #result: number
  readonly #literals: SlotValues
  #running: RunningSelect | undefined

  constructor(
    select: PreparedSelect,
    scope: InfluxqlScope,
    result: number,
    signal: AbortSignal,
    literals: SlotValues,
  ) {
    super()
    this.#literals = literals
    this.#select = select
    this.#scope = scope
    this.#signal = signal
    this.#result = result
  }

  take(): MaybePromise<ResultBatch | undefined> {
    if (this.#running !== undefined) return this.#batch(this.#running)
    const started = startSelect(this.#select, this.#scope, this.#signal, this.#literals)
    if (started instanceof Promise) return started.then((made) => this.#begin(made))
    return this.#begin(started)
  }

  #begin({ plan, steps, context }: StartedSelect): MaybePromise<ResultBatch | undefined> {
    this.#running = { plan, steps, pieces: runSelect(plan, steps, context) }
    return this.#batch(this.#running)
  }

  #batch(running: RunningSelect): MaybePromise<ResultBatch | undefined> {
    for (;;) {
      const piece = running.pieces.take()
      if (piece instanceof Promise) return this.#later(running, piece)
      if (piece === undefined) return undefined
      if (piece.block.count > 0) return this.#resultBatch(piece, running)
    }
  }

  async #later(
    running: RunningSelect,
    next: Promise<SelectPiece | undefined>,
  ): Promise<ResultBatch | undefined> {
    let piece = await next
    while (piece?.block.count === 0) piece = await running.pieces.take()
    return piece && this.#resultBatch(piece, running)
  }

  #resultBatch(piece: SelectPiece, { plan, steps }: RunningSelect): ResultBatch {
    return resultBatch(piece, plan, steps, this.#result)
  }

  async close(): Promise<void> {
    await this.#running?.pieces.close()
  }
}

interface RunningSelect extends PlannedSelect {
  readonly pieces: PullStream<SelectPiece>
}
