// Columns of an answer as views of a batch of the store: nothing is copied but times of windows, and tags, which a
// batch has once for each run.

import type { Batch } from '../../column/batch.js'
import type { Column, Validity } from '../../column/column.js'
import { floorDiv, type TimeColumn, type TimeRange } from '../../column/time.js'
import { assert } from '../../errors.js'
import { ColumnBuilder, dictionaryOf } from '../../query/column-builder.js'
import type { ResultColumn } from '../../query/language.js'
import type { WindowAggregate } from '../../store/store.js'
import { computedColumn, LeftToEngine } from './computed-column.js'
import type { Source } from './select-plan.js'

/** The first window, where the range does not begin with it. */
export interface CutWindow {
  readonly start: bigint
  /** Where the range begins. */
  readonly shownAs: bigint
}

export function cutWindow(
  { everyNs, offsetNs = 0n }: WindowAggregate,
  range: TimeRange,
): CutWindow | undefined {
  if (everyNs === undefined) return undefined
  const start = floorDiv(range.start - offsetNs, everyNs) * everyNs + offsetNs
  return start === range.start ? undefined : { start, shownAs: range.start }
}

/** Rows `from` up to `to`. */
export function columnsOf(
  batch: Batch,
  sources: readonly Source[],
  cut: CutWindow | undefined,
  from: number,
  to: number,
): ResultColumn[] {
  return sources.map((source) => columnOf(batch, source, cut, from, to))
}

function columnOf(
  batch: Batch,
  source: Source,
  cut: CutWindow | undefined,
  from: number,
  to: number,
): ResultColumn {
  switch (source.kind) {
    case 'time': {
      const times = part(batch.times, from, to)
      const shown = cut === undefined ? times : windowStarts(times, cut)
      return { type: 'time', times: shown, validity: undefined }
    }
    case 'tag':
      return tagColumn(batch, source.tag, from, to)
    case 'field': {
      const at = batch.fields.findIndex(({ name }) => name === source.field)
      return at < 0 ? nulls(source, to - from) : slice(batch.columns[at], from, to)
    }
    case 'aggregate': {
      const column = slice(batch.columns[source.at], from, to)
      return source.isCount ? withoutHoles(column, to - from) : column
    }
    case 'computed': {
      const inputs = source.inputs.map((input) => columnOf(batch, input, cut, from, to))
      return computedColumn(source.expression, inputs, to - from)
    }
    case 'point-time':
      return pointTimes(batch, source, from, to)
  }
}

function pointTimes(
  batch: Batch,
  { places, isLatest }: Extract<Source, { kind: 'point-time' }>,
  from: number,
  to: number,
): ResultColumn {
  const valued = places.flatMap((place) => {
    const { validity } = slice(batch.columns[place], from, to)
    if (validity?.includes(1) === false) return []
    const times = batch.pointTimes?.[place]
    assert(times !== undefined, 'the times of points were asked for')
    return [{ times: part(times, from, to), validity }]
  })
  if (valued.length === 1) return { type: 'time', ...valued[0] }
  const base = valued[0]?.times.base ?? 0n
  const offsets = new Float64Array(to - from)
  const isThere = new Uint8Array(to - from)
  for (const { times, validity } of valued) {
    const ahead = Number(times.base - base)
    for (let row = 0; row < to - from; row++) {
      if (validity !== undefined && validity[row] === 0) continue
      const offset = ahead + times.offsets[row]
      // Months apart: its nanoseconds do not fit.
      if (!Number.isSafeInteger(offset)) throw new LeftToEngine()
      const isBetter = isLatest ? offset > offsets[row] : offset < offsets[row]
      if (isThere[row] === 0 || isBetter) offsets[row] = offset
      isThere[row] = 1
    }
  }
  return { type: 'time', times: { base, offsets }, validity: isThere }
}

function part({ base, offsets }: TimeColumn, from: number, to: number): TimeColumn {
  return { base, offsets: offsets.subarray(from, to) }
}

function slice(column: Column, from: number, to: number): Column {
  const validity: Validity = column.validity?.subarray(from, to)
  return { ...column, values: column.values.subarray(from, to), validity } as Column
}

/** The store cuts the first window to where the range begins; its bin begins where it would. */
function windowStarts({ base, offsets }: TimeColumn, cut: CutWindow): TimeColumn {
  const cutAt = Number(cut.shownAs - base)
  const ahead = Number(cut.shownAs - cut.start)
  return { base, offsets: offsets.map((offset) => (offset === cutAt ? offset - ahead : offset)) }
}

/** A count of nothing is 0. */
function withoutHoles(column: Column, rowCount: number): Column {
  const { validity } = column
  if (validity === undefined) return column
  const values = column.values as Float64Array
  return {
    type: 'integer',
    values: Float64Array.from({ length: rowCount }, (_, i) => (validity[i] === 0 ? 0 : values[i])),
    validity: undefined,
  }
}

function tagColumn({ runs }: Batch, tag: string, from: number, to: number): Column {
  const values = new Uint32Array(to - from)
  const entries: string[] = []
  let validity: Uint8Array | undefined
  for (const { key, start, stop } of runs) {
    const [first, end] = [Math.max(start, from) - from, Math.min(stop, to) - from]
    if (first >= end) continue
    const value = key.tags.find((each) => each.key === tag)?.value
    if (value === undefined) {
      validity ??= new Uint8Array(to - from).fill(1)
      validity.fill(0, first, end)
      values.fill(0, first, end)
    } else {
      if (entries.at(-1) !== value) entries.push(value)
      values.fill(entries.length - 1, first, end)
    }
  }
  if (entries.length === 0) entries.push('')
  return { type: 'string', values, dictionary: dictionaryOf(entries), validity }
}

/** A column without rows. */
export function emptyColumn(source: Source): ResultColumn {
  return nulls(source, 0)
}

export function nulls(source: Source, rowCount: number): ResultColumn {
  if (source.kind === 'time' || source.kind === 'point-time') {
    const validity = rowCount === 0 ? undefined : new Uint8Array(rowCount)
    return { type: 'time', times: { base: 0n, offsets: new Float64Array(rowCount) }, validity }
  }
  const builder = new ColumnBuilder(source.kind === 'tag' ? 'string' : source.type)
  builder.pushNulls(rowCount)
  return builder.finish()
}
