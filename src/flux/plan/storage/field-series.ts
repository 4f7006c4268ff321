// Points of one measurement as Flux wants them: for each series, field after field. The store reads
// several fields side by side, so that the points of a series are held until its last field has been
// handed on. A series that is too long for that is held as far as it goes: its first field then streams
// from where the read stands, and the rest of the others is read again, each for itself, from there on.

import type { BatchField } from '../../../column/batch.js'
import { isTagPredicate, type Predicate, type TagPredicate } from '../../../column/predicate.js'
import { compareUtf8, type Series } from '../../../column/series.js'
import { timeAt } from '../../../column/time.js'
import type { PointMeter } from '../../../query/limits.js'
import type { AggregateFunction, ReadRequest, Store } from '../../../store/store.js'
import type { MemoryMeter } from '../../context/memory-meter.js'
import { type FieldPiece, pieceBytes } from './field-piece.js'
import { RunCursor } from './run-cursor.js'

/** Points of one series that are held before the rest is streamed: about 4 MB of floats with their times. */
const heldPointsMax = 262_144

export interface FieldSeries {
  readonly series: Series
  /** Its type is that of the points: of an aggregate, of the result. */
  readonly field: BatchField
  /** What the points are of the field's values; undefined: the values themselves. */
  readonly function: AggregateFunction | undefined
  /** In time order, at least one point. A list where all are at hand. To be read at most once, before the next. */
  readonly pieces: readonly FieldPiece[] | AsyncIterable<FieldPiece>
}

export interface MeasurementRead {
  readonly store: Store
  readonly signal: AbortSignal
  readonly memory: MemoryMeter
  readonly points: PointMeter
  /** Each reads some of the fields, all series in the same order. */
  readonly requests: readonly FieldsRequest[]
  /** Only where the points lie is wanted: pieces come without values. */
  readonly withoutValues?: boolean
}

export interface FieldsRequest {
  /** Without `fields` and window aggregates: these follow from `fields` here. */
  readonly request: ReadRequest
  /** By name. */
  readonly fields: readonly RequestedField[]
}

/** A field may be asked for more than once, with different functions. */
export interface RequestedField extends BatchField {
  readonly function?: AggregateFunction | undefined
}

/** The request for these of its fields: all with a function or none. */
function requestFor(request: ReadRequest, fields: readonly RequestedField[]): ReadRequest {
  const aggregates = fields.flatMap(({ name, function: fn }) =>
    fn === undefined ? [] : [{ field: name, function: fn }],
  )
  if (aggregates.length === 0) return { ...request, fields: fields.map(({ name }) => name) }
  return { ...request, window: { ...request.window, aggregates } }
}

/** Series that are handed on together: who reads many short ones need not wait for each. */
const groupSeriesMax = 256
const groupPointsMax = 2048

/** Some series at a time, in order; of those that are streamed, one. */
export async function* readFieldSeries(
  read: MeasurementRead,
): AsyncGenerator<readonly FieldSeries[], void, void> {
  const readers = read.requests.map((request) => new SeriesReader(read, request))
  let group: FieldSeries[] = []
  try {
    await Promise.all(readers.map((reader) => reader.cursor.advance()))
    for (;;) {
      const isFull =
        group.length >= groupSeriesMax ||
        readers.some((reader) => reader.heldPoints > groupPointsMax)
      const here = readersOfNextSeries(readers)
      if (group.length > 0 && (isFull || here.length === 0)) {
        yield group
        group = []
      }
      if (group.length === 0) for (const reader of readers) reader.release()
      if (here.length === 0) return
      for (const reader of here) {
        const held = reader.hold()
        if (held !== undefined) await held
      }
      for (const { reader, field } of inFieldOrder(here)) {
        const held = reader.atHand(field)
        if (held === undefined) {
          if (group.length > 0) yield group
          group = []
          for await (const streamed of reader.streamed(field)) yield [streamed]
        } else if (held.pieces.length > 0) group.push(held)
      }
      for (const reader of here) if (reader.isBehind) await reader.leave()
    }
  } finally {
    for (const reader of readers) await reader.close()
  }
}

function readersOfNextSeries(readers: readonly SeriesReader[]): readonly SeriesReader[] {
  const open = readers.filter(({ cursor }) => cursor.run !== undefined)
  if (open.length <= 1) return open
  let first = open[0].cursor.key
  for (const { cursor } of open) if (compareUtf8(cursor.key, first) < 0) first = cursor.key
  return open.filter(({ cursor }) => cursor.key === first)
}

interface ReaderField {
  readonly reader: SeriesReader
  readonly field: number
}

function inFieldOrder(readers: readonly SeriesReader[]): readonly ReaderField[] {
  if (readers.length === 1) return readers[0].inOrder
  const fields = readers.flatMap((reader) =>
    reader.fields.map((_, field): ReaderField => ({ reader, field })),
  )
  const nameOf = ({ reader, field }: ReaderField) => reader.fields[field].name
  return fields.sort((a, b) => compareUtf8(nameOf(a), nameOf(b)))
}

/** One read of the store: holds the series it stands on, as much as may be. */
class SeriesReader {
  readonly cursor: RunCursor
  readonly fields: readonly RequestedField[]
  /** Its fields, where it reads alone. */
  readonly inOrder: readonly ReaderField[]
  readonly #read: MeasurementRead
  readonly #request: ReadRequest
  #series: Series | undefined
  #seriesId = -1
  /** By field. */
  #held: FieldPiece[][] = []
  #heldBytes = 0
  #heldPoints = 0
  #isOver = false
  /** Where a read of what is not held begins. */
  #heldUntil = 0n
  /** The field that streams from where the cursor stands; -1: none does yet. */
  #live = -1

  constructor(read: MeasurementRead, { request, fields }: FieldsRequest) {
    this.#read = read
    this.#request = request
    this.fields = fields
    this.inOrder = fields.map((_, field) => ({ reader: this, field }))
    this.cursor = new RunCursor(read, requestFor(request, fields))
  }

  get heldPoints(): number {
    return this.#heldPoints
  }

  /** Takes what there is of the series under the cursor, up to the limit. undefined: all of it was at hand. */
  hold(): Promise<void> | undefined {
    this.#series = this.cursor.run!.key
    this.#seriesId = this.cursor.run!.keyId
    this.#held = this.fields.map(() => [])
    this.#isOver = false
    this.#live = -1
    return this.#holdOn()
  }

  #holdOn(): Promise<void> | undefined {
    const { cursor } = this
    while (this.#heldPoints < heldPointsMax) {
      for (let field = 0; field < this.fields.length; field++) {
        const piece = cursor.piece(field)
        if (piece !== undefined) this.#keep(field, piece)
      }
      this.#heldUntil = timeAt(cursor.batch.times, cursor.run!.stop - 1)
      if (!cursor.hasNextAtHand) return this.#holdLater()
      cursor.advanceAtHand()
      if (this.#hasLeft()) return undefined
    }
    return undefined
  }

  async #holdLater(): Promise<void> {
    await this.cursor.advance()
    if (!this.#hasLeft()) await this.#holdOn()
  }

  #hasLeft(): boolean {
    this.#isOver = this.cursor.run?.keyId !== this.#seriesId
    return this.#isOver
  }

  #keep(field: number, piece: FieldPiece): void {
    const bytes = pieceBytes(piece)
    this.#read.memory.take(bytes)
    this.#heldBytes += bytes
    this.#heldPoints += piece.count
    this.#held[field].push(piece)
  }

  /** undefined: more than what is held must be read. */
  atHand(field: number): ({ pieces: readonly FieldPiece[] } & FieldSeries) | undefined {
    if (!this.#isOver) return undefined
    return { ...this.#described(field), pieces: this.#held[field] }
  }

  #described(field: number): Omit<FieldSeries, 'pieces'> {
    const own = this.fields[field]
    return { series: this.#series!, field: own, function: own.function }
  }

  /** The field of a long series; nothing where it has no points. */
  async *streamed(field: number): AsyncGenerator<FieldSeries, void, void> {
    const pieces = this.#allPieces(field)
    try {
      const { done, value } = await pieces.next()
      if (done === true) return
      const all = prepended(value, pieces)
      yield { ...this.#described(field), pieces: all }
    } finally {
      await pieces.return()
    }
  }

  async *#allPieces(field: number): AsyncGenerator<FieldPiece, void, void> {
    yield* this.#held[field]
    if (this.#live < 0) {
      this.#live = field
      yield* this.#livePieces(field)
    } else yield* this.#readAgain(field)
  }

  async *#livePieces(field: number): AsyncGenerator<FieldPiece, void, void> {
    while (this.cursor.run?.keyId === this.#seriesId) {
      const piece = this.cursor.piece(field)
      // The arrays are copied: the cursor may go on before the piece is used.
      await this.cursor.advance()
      if (piece !== undefined) yield piece
    }
  }

  async *#readAgain(field: number): AsyncGenerator<FieldPiece, void, void> {
    const cursor = new RunCursor(this.#read, await this.#restRequest(field))
    try {
      for (await cursor.advance(); cursor.run !== undefined; await cursor.advance()) {
        const piece = cursor.piece(0)
        if (piece !== undefined) yield piece
      }
    } finally {
      await cursor.close()
    }
  }

  /** The rest of this series alone. */
  async #restRequest(field: number): Promise<ReadRequest> {
    const request = this.#request
    const { start, stop } = request.range
    const everyNs = request.window?.everyNs ?? 1n
    const range =
      request.descending === true
        ? { start, stop: this.#heldUntil }
        : { start: nextStart(this.#heldUntil, everyNs, request.window?.offsetNs ?? 0n), stop }
    const predicate = await this.#onlySeries()
    return { ...requestFor(request, [this.fields[field]]), range, predicate }
  }

  /** What the request asks of tags holds for this series; what it asks of values is asked again. */
  async #onlySeries(): Promise<Predicate> {
    const { bucket, measurement, predicate } = this.#request
    const { store, signal } = this.#read
    const { tagKeys: keys } = await store.measurementSchema(bucket, measurement, signal)
    const values = new Map(this.#series!.tags.map(({ key, value }) => [key, value]))
    const parts = keys.map(
      (tag): TagPredicate => ({ kind: 'tag', tag, op: '=', value: values.get(tag) ?? '' }),
    )
    const rest = predicate === undefined || isTagPredicate(predicate) ? [] : [predicate]
    return { kind: 'and', parts: [...parts, ...rest] }
  }

  /** Whether it still stands on the series that it held. */
  get isBehind(): boolean {
    return this.cursor.run?.keyId === this.#seriesId
  }

  /** What was not read of the series is passed over. */
  async leave(): Promise<void> {
    while (this.cursor.run?.keyId === this.#seriesId) await this.cursor.advance()
  }

  /** Everything that was held is handed on. */
  release(): void {
    this.#read.memory.release(this.#heldBytes)
    this.#heldBytes = 0
    this.#heldPoints = 0
  }

  async close(): Promise<void> {
    this.release()
    await this.cursor.close()
  }
}

/** Behind the window that starts at `time`, which may be cut to the start of the range. */
function nextStart(time: bigint, everyNs: bigint, offsetNs: bigint): bigint {
  const into = (((time - offsetNs) % everyNs) + everyNs) % everyNs
  return time - into + everyNs
}

async function* prepended(
  first: FieldPiece,
  rest: AsyncIterator<FieldPiece>,
): AsyncGenerator<FieldPiece, void, void> {
  yield first
  for (;;) {
    const { done, value } = await rest.next()
    if (done === true) return
    yield value
  }
}
