// A shard as batches for a store: all layers are walked together in the order of their keys, the fields of a series
// are brought together into rows, and rows into batches.
//
// Time is cut into aligned stretches of 2^52 ns (52 days), so that offsets from a stretch's start are exact and those
// of a block that reaches over its ends are too. Most shards lie in one.

import type { FieldType } from '../../column/column.js'
import { floorDiv, type TimeRange } from '../../column/time.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { CorruptionError } from '../../errors.js'
import type { DecodedPoints } from '../encoding/block.js'
import { BatchBuilder, type RowField } from './batch-builder.js'
import { type DamageHandler, FieldStream } from './field-stream.js'
import type { Layer, LayerCursor, Piece } from './layers.js'
import { findOffset, slicePoints } from './points.js'

const stretchNs = 2n ** 52n
const separator = Buffer.from('#!~#')

/** What becomes of a series: its measurement and its canonical key. */
export interface SeriesTarget {
  readonly measurement: string
  readonly key: Uint8Array
}

export interface FieldTarget {
  readonly name: string
  /** The type itself, or float for integers. */
  readonly type: FieldType
}

export interface ShardRequest {
  /** Older ones first: later ones win. */
  readonly layers: readonly Layer[]
  readonly range: TimeRange
  /** Undefined: it is not wanted. */
  seriesTarget(key: Uint8Array): SeriesTarget | undefined
  fieldTarget(measurement: string, field: string, type: FieldType): FieldTarget
  /** Where it returns, what is damaged is left out. */
  readonly onDamage: DamageHandler
}

interface Field {
  readonly target: FieldTarget
  readonly pieces: Piece[]
}

/** The arrays of a batch are the caller's. Throws what `onDamage` throws. */
export function* readShard(request: ShardRequest): Generator<WriteBatch> {
  const builder = new BatchBuilder()
  for (const [key, fields] of seriesOf(request)) {
    const target = request.seriesTarget(key)
    if (target === undefined) continue
    for (const range of stretches(fields, request.range)) {
      for (const rows of joinFields(fields, range, request.onDamage)) {
        builder.add(target.measurement, target.key, range.start, rows.offsets, rows.fields)
        if (!builder.isFull) continue
        const batch = builder.take()
        if (batch !== undefined) yield batch
      }
    }
  }
  const rest = builder.take()
  if (rest !== undefined) yield rest
}

/** Each series with its fields; keys of one series follow each other. */
function* seriesOf(request: ShardRequest): Generator<[Uint8Array, Field[]]> {
  let series: Uint8Array | undefined
  let measurement = ''
  let fields = new Map<string, Field>()
  for (const { key, pieces } of keysOf(request)) {
    const split = Buffer.from(key.buffer, key.byteOffset, key.length).indexOf(separator)
    // No writer makes such a key.
    if (split <= 0) continue
    if (series === undefined || Buffer.compare(series, key.subarray(0, split)) !== 0) {
      if (series !== undefined) yield [series, [...fields.values()]]
      series = key.subarray(0, split)
      measurement = request.seriesTarget(series)?.measurement ?? ''
      fields = new Map()
    }
    const name = Buffer.from(key.subarray(split + separator.length)).toString('utf8')
    let type: FieldType | undefined
    let field: Field | undefined
    for (const piece of pieces) {
      if (field === undefined || piece.type !== type) {
        type = piece.type
        field = fieldOf(fields, request.fieldTarget(measurement, name, type))
      }
      field.pieces.push(piece)
    }
  }
  if (series !== undefined) yield [series, [...fields.values()]]
}

function fieldOf(fields: Map<string, Field>, target: FieldTarget): Field {
  const key = `${target.type} ${target.name}`
  let field = fields.get(key)
  if (field === undefined) {
    field = { target, pieces: [] }
    fields.set(key, field)
  }
  return field
}

/** Every key once, with its pieces in the order of layers. */
function* keysOf({ layers, onDamage }: ShardRequest) {
  let open = layers.map((layer) => layer.open()).filter((cursor) => advance(cursor, onDamage))
  while (open.length > 0) {
    let least = open[0]
    for (const cursor of open) if (Buffer.compare(cursor.key, least.key) < 0) least = cursor
    const { key } = least
    const pieces: Piece[] = []
    const ended = new Set<LayerCursor>()
    for (const cursor of open) {
      if (Buffer.compare(cursor.key, key) !== 0) continue
      for (const piece of cursor.pieces()) pieces.push(piece)
      if (!advance(cursor, onDamage)) ended.add(cursor)
    }
    if (ended.size > 0) open = open.filter((cursor) => !ended.has(cursor))
    yield { key, pieces }
  }
}

function advance(cursor: LayerCursor, onDamage: DamageHandler): boolean {
  try {
    return cursor.next()
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    onDamage(error)
    return false
  }
}

/** The stretches that pieces reach into, cut to the range. */
function* stretches(fields: readonly Field[], { start, stop }: TimeRange): Generator<TimeRange> {
  let at = start
  while (at < stop) {
    const first = firstMoment(fields, at, stop)
    if (first >= stop) return
    const number = floorDiv(first > at ? first : at, stretchNs)
    const range = { start: number * stretchNs, stop: (number + 1n) * stretchNs }
    yield {
      start: range.start > start ? range.start : start,
      stop: range.stop < stop ? range.stop : stop,
    }
    at = range.stop
  }
}

/** Of the pieces that reach to `at` or beyond; `stop` where there are none. */
function firstMoment(fields: readonly Field[], at: bigint, stop: bigint): bigint {
  let first = stop
  for (const { pieces } of fields) {
    for (const { min, max } of pieces) if (min < first && max >= at) first = min
  }
  return first
}

interface Rows {
  readonly offsets: Float64Array
  readonly fields: readonly RowField[]
}

/** Rows in time order, told from the start of the range. */
function* joinFields(
  fields: readonly Field[],
  range: TimeRange,
  onDamage: DamageHandler,
): Generator<Rows> {
  let open = fields.map(({ target, pieces }) => {
    const stream = new FieldStream(target.type, pieces, range, onDamage)
    return { name: target.name, stream, chunk: stream.next() }
  })
  for (;;) {
    open = open.filter(({ chunk }) => chunk !== undefined)
    if (open.length === 0) return
    // Up to where every field's chunk reaches: what comes later may still get values from other fields.
    let last = Number.POSITIVE_INFINITY
    for (const { chunk } of open) if (chunk !== undefined) last = Math.min(last, lastOf(chunk))
    const parts: { name: string; points: DecodedPoints }[] = []
    for (const field of open) {
      const chunk = field.chunk as DecodedPoints
      const stop =
        lastOf(chunk) === last ? chunk.offsets.length : findOffset(chunk.offsets, last + 1)
      if (stop > 0) parts.push({ name: field.name, points: slicePoints(chunk, 0, stop) })
      field.chunk =
        stop === chunk.offsets.length
          ? field.stream.next()
          : slicePoints(chunk, stop, chunk.offsets.length)
    }
    yield joinParts(parts)
  }
}

function lastOf({ offsets }: DecodedPoints): number {
  return offsets[offsets.length - 1]
}

function joinParts(parts: readonly { name: string; points: DecodedPoints }[]): Rows {
  const first = parts[0].points.offsets
  if (parts.every(({ points }) => isSame(points.offsets, first))) {
    const fields = parts.map(({ name, points }) => ({
      name,
      column: points.column,
      rows: undefined,
    }))
    return { offsets: first, fields }
  }
  let offsets = first
  for (const { points } of parts) offsets = union(offsets, points.offsets)
  const fields = parts.map(({ name, points }) => {
    return { name, column: points.column, rows: placesIn(offsets, points.offsets) }
  })
  return { offsets, fields }
}

function isSame(a: Float64Array, b: Float64Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function union(a: Float64Array, b: Float64Array): Float64Array {
  if (isSame(a, b)) return a
  const all = new Float64Array(a.length + b.length)
  let count = 0
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const next = j >= b.length || (i < a.length && a[i] <= b[j]) ? a[i] : b[j]
    if (a[i] === next) i++
    if (b[j] === next) j++
    all[count++] = next
  }
  return all.subarray(0, count)
}

function placesIn(all: Float64Array, some: Float64Array): Uint32Array {
  const rows = new Uint32Array(some.length)
  let at = 0
  for (let i = 0; i < some.length; i++) {
    while (all[at] !== some[i]) at++
    rows[i] = at
  }
  return rows
}
