// An answer as Arrow: result pieces in, a schema and record batches out. Small pieces are gathered and
// large ones cut, so that a batch has about `batchBytes`: messages cost some ten microseconds each, and
// clients refuse those above 4 MB. Memory stays bounded however large the answer is.

import { UserError } from '../errors.js'
import type { ResultBatch, ResultColumn, ResultPiece } from '../query/language.js'
import { type ArrowBatch, arrowBatch } from './arrow-batch.js'
import {
  BooleanBuilder,
  ListBuilder,
  RunBuilder,
  TextBuilder,
  textBytes,
  WordBuilder,
} from './arrow-builders.js'
import type { ArrowField, ArrowSchema } from './arrow-schema.js'
import {
  type ArrowShape,
  emptyShape,
  type FieldSource,
  isSameShape,
  requireSameShape,
  type ShapeKind,
  shapeOf,
  valueField,
} from './arrow-shape.js'

const batchBytes = 1024 * 1024
/** How many rows are looked at before it is asked again whether the batch is full. */
const stepRows = 4096

export type ArrowPart =
  /** First, and once; where tables may differ, before the rows of each that differs from the one before. */
  | { readonly kind: 'schema'; readonly schema: ArrowSchema }
  /** Its body must be written before the next part is asked for: the memory is then used again. */
  | { readonly kind: 'batch'; readonly batch: ArrowBatch }

/** Throws what the answer failed with, also after some of its parts. */
export async function* encodeArrow(
  pieces: AsyncIterable<ResultPiece>,
  kind: ShapeKind,
  bytesPerBatch: number = batchBytes,
  shapes: 'one' | 'many' = 'one',
): AsyncGenerator<ArrowPart, void, void> {
  let table: ArrowTable | undefined
  for await (const piece of pieces) {
    if (piece.kind === 'start') continue
    if (piece.kind === 'failure') throw piece.error
    if (shapes === 'many' && table !== undefined && !table.takes(piece)) {
      if (table.rowCount > 0) yield { kind: 'batch', batch: table.take() }
      table = undefined
    }
    if (table === undefined) {
      table = new ArrowTable(piece, shapeOf(piece, kind))
      yield { kind: 'schema', schema: table.shape.schema }
    }
    table.begin(piece)
    for (let row = 0; row < piece.rowCount; ) {
      row = table.append(piece, row)
      if (table.bytes >= bytesPerBatch) yield { kind: 'batch', batch: table.take() }
    }
  }
  if (table === undefined) yield { kind: 'schema', schema: emptyShape(kind).schema }
  else if (table.rowCount > 0) yield { kind: 'batch', batch: table.take() }
}

/** The schema of the answer, and no more of it than that takes. */
export async function arrowSchemaOf(
  pieces: AsyncIterable<ResultPiece>,
  kind: ShapeKind,
): Promise<ArrowSchema> {
  for await (const piece of pieces) {
    if (piece.kind === 'failure') throw piece.error
    if (piece.kind === 'batch') return shapeOf(piece, kind).schema
  }
  return emptyShape(kind).schema
}

/** A batch without rows. */
export function emptyArrowBatch({ fields }: ArrowSchema): ArrowBatch {
  const vectors = fields.map((field) => builderFor(field).take())
  return arrowBatch(0, vectors)
}

type ValueBuilder = WordBuilder | BooleanBuilder | TextBuilder | ListBuilder
type Builder = ValueBuilder | RunBuilder<ValueBuilder>

const encoder = new TextEncoder()

/** The rows that wait for the next batch. */
class ArrowTable {
  readonly shape: ArrowShape
  rowCount = 0
  readonly #first: ResultBatch
  readonly #builders: readonly Builder[]
  #name = new Uint8Array(0)
  #tags: readonly (Uint8Array | undefined)[] = []

  constructor(first: ResultBatch, shape: ArrowShape) {
    this.shape = shape
    this.#first = { ...first, columns: [] }
    this.#builders = shape.schema.fields.map(builderFor)
  }

  get bytes(): number {
    let bytes = 0
    for (const builder of this.#builders) bytes += builder.bytes
    return bytes
  }

  takes(batch: ResultBatch): boolean {
    return isSameShape(this.#first, this.shape, batch)
  }

  begin(batch: ResultBatch): void {
    requireSameShape(this.#first, batch)
    this.#name = encoder.encode(batch.name)
    // Whoever groups by a tag gets no value where a series has none.
    this.#tags = batch.tags.map(({ value }) => (value === '' ? undefined : encoder.encode(value)))
  }

  /** Takes some rows; returns the row to go on with. */
  append(batch: ResultBatch, from: number): number {
    const to = this.#end(batch, from)
    const { sources, schema } = this.shape
    for (let i = 0; i < sources.length; i++) {
      this.#appendField(this.#builders[i], schema.fields[i], sources[i], batch, from, to)
    }
    this.rowCount += to - from
    return to
  }

  /** Up to where rows are taken: fewer where their texts are long, and at least one. */
  #end(batch: ResultBatch, from: number): number {
    let to = Math.min(batch.rowCount, from + stepRows)
    for (const column of batch.columns) {
      if (column.type !== 'string') continue
      while (to - from > 1 && textBytes(column, from, to) > batchBytes) to = (from + to) >> 1
    }
    return to
  }

  #appendField(
    builder: Builder,
    field: ArrowField,
    source: FieldSource,
    batch: ResultBatch,
    from: number,
    to: number,
  ): void {
    switch (source.kind) {
      case 'measurement':
        return (builder as TextBuilder).appendSame(this.#name, to - from)
      case 'tag':
        return (builder as TextBuilder).appendSame(this.#tags[source.tag], to - from)
      case 'column':
        return appendField(builder, field, batch.columns[source.column], from, to)
    }
  }

  take(): ArrowBatch {
    const vectors = this.#builders.map((builder) => builder.take())
    const batch = arrowBatch(this.rowCount, vectors)
    for (const builder of this.#builders) builder.reset()
    this.rowCount = 0
    return batch
  }
}

function builderFor(field: ArrowField): Builder {
  const values = valueBuilderFor(valueField(field))
  return field.type.kind === 'runs' ? new RunBuilder(values) : values
}

function valueBuilderFor({ type }: ArrowField): ValueBuilder {
  switch (type.kind) {
    case 'utf8':
      return new TextBuilder()
    case 'boolean':
      return new BooleanBuilder()
    case 'list':
      return new ListBuilder()
    default:
      return new WordBuilder()
  }
}

/** Of a run its first row stands for all. */
function appendField(
  builder: Builder,
  field: ArrowField,
  column: ResultColumn,
  from: number,
  to: number,
): void {
  if (!(builder instanceof RunBuilder)) return appendColumn(builder, field, column, from, to)
  if (from === to) return
  appendColumn(builder.values, { ...valueField(field), name: field.name }, column, from, from + 1)
  builder.append(to - from)
}

function appendColumn(
  builder: ValueBuilder,
  field: ArrowField,
  column: ResultColumn,
  from: number,
  to: number,
): void {
  const { kind } = field.type
  switch (column.type) {
    case 'time':
      if (kind !== 'timestamp') break
      return (builder as WordBuilder).appendTimes(column.times, column.validity, from, to)
    case 'string':
      if (kind !== 'utf8') break
      return (builder as TextBuilder).append(column, from, to)
    case 'boolean':
      if (kind !== 'boolean') break
      return (builder as BooleanBuilder).append(column.values, column.validity, from, to)
    case 'list':
      if (kind !== 'list') break
      return (builder as ListBuilder).append(column, from, to)
    default:
      if (kind === 'float64') return (builder as WordBuilder).appendFloats(column, from, to)
      if (kind === 'integer') return (builder as WordBuilder).appendIntegers(column, from, to)
  }
  const types = `${kind} in one table and ${column.type} in another`
  throw new UserError('invalid', `column "${field.name}" of the answer is ${types}: cast it`)
}
