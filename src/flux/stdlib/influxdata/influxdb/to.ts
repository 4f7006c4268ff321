// `to`: rows become points. Measurement, time and tags come from columns; fields from `_field` and
// `_value`, or from what a function makes of the row. Columns that the function reads are no tags
// unless the call says which are.

import type { MaybePromise } from '../../../../platform/pull-stream.js'
import { type Chunk, cellAt, isNullAt, type TableColumn } from '../../../../query/table.js'
import type { BucketReference } from '../../../context/scope.js'
import { BucketNode } from '../../../node/bucket-node.js'
import { type Call, type Definitions, native } from '../../../package/define.js'
import { cellOf, cellTypeOf, RowRecord } from '../../../table/row-record.js'
import { columnIndex } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import { typeName } from '../../../value/type-name.js'
import type { FluxFunction, PositionalCall } from '../../../value/value.js'
import { DefinedFunction, FluxRecord, type FluxValue } from '../../../value/value.js'
import { fieldText, type LineWriter, measurementText, nameText, TagTexts } from './line-writer.js'
import { membersOf } from './members.js'
import { refuseOtherHost } from './reference.js'
import { type TablePrinter, writtenTables } from './written-tables.js'

const type = `(<-tables: stream[A], ?bucket: string, ?bucketID: string, ?org: string, ?orgID: string,
  ?host: string, ?token: string, ?timeColumn: string, ?measurementColumn: string,
  ?tagColumns: [string], ?fieldFn: (r: A) => B) => stream[A] where A: Record, B: Record`

interface ToCall {
  readonly timeColumn: string
  readonly measurementColumn: string
  /** undefined: all columns of texts that are nothing else. */
  readonly tagColumns: ReadonlySet<string> | undefined
  readonly fieldFn: FluxFunction | undefined
}

function to(call: Call): FluxValue {
  refuseOtherHost(call)
  const reference = targetOf(call)
  const settings: ToCall = {
    timeColumn: call.string('timeColumn', '_time'),
    measurementColumn: call.string('measurementColumn', '_measurement'),
    tagColumns: call.has('tagColumns') ? new Set(call.strings('tagColumns')) : undefined,
    fieldFn: call.has('fieldFn') ? call.function('fieldFn') : undefined,
  }
  const node = call.batchNode([call.stream('tables')], ([input], context) =>
    writtenTables(input, reference, context, ({ columns }) => new PointPrinter(columns, settings)),
  )
  return new BucketNode(node, reference, 'write')
}

function targetOf(call: Call): BucketReference {
  const refuseBoth = (name: string, id: string) => {
    if (!call.has(name) || !call.has(id)) return
    throw new FluxError(
      `cannot provide both \`${name}\` and \`${id}\` parameters to the \`to\` function`,
    )
  }
  refuseBoth('bucket', 'bucketID')
  refuseBoth('org', 'orgID')
  return {
    bucket: call.has('bucket') ? call.string('bucket') : undefined,
    bucketId: call.has('bucket') ? undefined : call.string('bucketID'),
    org: call.has('org') ? call.string('org') : undefined,
    orgId: call.has('orgID') ? call.string('orgID') : undefined,
  }
}

class PointPrinter implements TablePrinter {
  readonly #columns: readonly TableColumn[]
  readonly #measurement: number
  readonly #time: number
  /** Places of the tags. */
  readonly #tags: readonly number[]
  readonly #texts = new TagTexts()
  readonly #fields: FieldPrinter

  constructor(columns: readonly TableColumn[], settings: ToCall) {
    this.#columns = columns
    this.#measurement = measurementPlace(columns, settings.measurementColumn)
    this.#time = timePlace(columns, settings.timeColumn)
    this.#tags = tagPlaces(columns, settings, this.#measurement, this.#time)
    this.#fields =
      settings.fieldFn === undefined
        ? new OwnField(columns)
        : new ComputedFields(columns, settings.fieldFn)
  }

  /** Everything stands in columns. */
  begin(): void {}

  print(chunk: Chunk, start: number, stop: number, lines: LineWriter): MaybePromise<void> {
    this.#fields.chunk = chunk
    const { columns: cells } = chunk
    const shared = [this.#measurement, ...this.#tags].every((at) => cells[at].kind === 'constant')
    let head = ''
    for (let row = start; row < stop; row++) {
      const time = cellAt(cells[this.#time], row)
      if (time === null) continue
      if (head === '' || !shared) head = this.#head(chunk, row)
      const fields = this.#fields.text(row)
      if (typeof fields !== 'string') return this.#printLater(fields, chunk, row, stop, lines)
      if (fields !== '') lines.add(`${head} ${fields} ${time}`)
    }
    return undefined
  }

  /** From a row on whose fields have to be waited for. */
  async #printLater(
    first: Promise<string>,
    chunk: Chunk,
    start: number,
    stop: number,
    lines: LineWriter,
  ): Promise<void> {
    const text = await first
    const time = cellAt(chunk.columns[this.#time], start)
    if (text !== '') lines.add(`${this.#head(chunk, start)} ${text} ${time}`)
    await this.print(chunk, start + 1, stop, lines)
  }

  #head({ columns: cells }: Chunk, row: number): string {
    let head = measurementText((cellAt(cells[this.#measurement], row) as string | null) ?? '')
    for (const place of this.#tags) {
      const value = cellAt(cells[place], row) as string | null
      head += this.#texts.text(place, this.#columns[place].name, value)
    }
    return head
  }

  /** Rows without a time were not written. */
  passed(chunk: Chunk): Uint32Array | null {
    const times = chunk.columns[this.#time]
    const rows = new Uint32Array(chunk.rowCount)
    let count = 0
    for (let row = 0; row < chunk.rowCount; row++) if (!isNullAt(times, row)) rows[count++] = row
    return count === chunk.rowCount ? null : rows.subarray(0, count)
  }
}

function measurementPlace(columns: readonly TableColumn[], name: string): number {
  const place = columnIndex(columns, name)
  if (place < 0) throw new FluxError(`no column with label ${name} exists`)
  const { type: found } = columns[place]
  if (found === 'string') return place
  throw new FluxError(`column ${name} of type ${found} is not of type string`)
}

function timePlace(columns: readonly TableColumn[], name: string): number {
  const place = columnIndex(columns, name)
  if (place < 0) throw new FluxError('no time column detected')
  const { type: found } = columns[place]
  if (found === 'time') return place
  throw new FluxError(`column ${name} of type ${found} is not of type time`)
}

function tagPlaces(
  columns: readonly TableColumn[],
  { tagColumns, fieldFn }: ToCall,
  measurement: number,
  time: number,
): readonly number[] {
  const read = fieldFn instanceof DefinedFunction ? membersOf(fieldFn.node) : new Set()
  const isOwn = (name: string) => name === '_value' || name === '_field' || name === '_measurement'
  const places: number[] = []
  for (const [place, { name, type: found }] of columns.entries()) {
    if (place === measurement || place === time) continue
    if (tagColumns === undefined) {
      if (found === 'string' && !isOwn(name) && !read.has(name)) places.push(place)
    } else if (tagColumns.has(name)) {
      if (found !== 'string') throw new FluxError('invalid type for tag column')
      places.push(place)
    }
  }
  return places
}

interface FieldPrinter {
  chunk: Chunk
  /** Empty: the row has no field that can be written. */
  text(row: number): string | Promise<string>
}

/** The field named by `_field`, of the value of `_value`. */
class OwnField implements FieldPrinter {
  readonly #columns: readonly TableColumn[]
  readonly #name: number
  readonly #value: number
  chunk: Chunk = { rowCount: 0, columns: [] }

  constructor(columns: readonly TableColumn[]) {
    this.#columns = columns
    this.#name = columnIndex(columns, '_field')
    this.#value = columnIndex(columns, '_value')
  }

  text(row: number): string {
    if (this.#name < 0) throw new FluxError('table has no _field column')
    if (this.#value < 0) throw new FluxError('table has no _value column')
    const cell = cellAt(this.chunk.columns[this.#value], row)
    const name = cellAt(this.chunk.columns[this.#name], row)
    if (cell === null || typeof name !== 'string') return ''
    const text = fieldText(this.#columns[this.#value].type, cell)
    return text === undefined ? '' : `${nameText(name)}=${text}`
  }
}

/** What a function makes of the row. */
class ComputedFields implements FieldPrinter {
  readonly #row: RowRecord
  readonly #call: PositionalCall

  constructor(columns: readonly TableColumn[], fn: FluxFunction) {
    this.#row = new RowRecord(columns)
    this.#call = fn.prepare(['r'])
  }

  set chunk(chunk: Chunk) {
    this.#row.chunk = chunk
  }

  text(row: number): string | Promise<string> {
    this.#row.row = row
    const fields = this.#call([this.#row])
    return fields instanceof Promise ? fields.then(fieldsText) : fieldsText(fields)
  }
}

function fieldsText(fields: FluxValue): string {
  if (!(fields instanceof FluxRecord)) throw new FluxError('fieldFn must return a record')
  const parts: string[] = []
  for (const name of fields.names()) {
    const value = fields.get(name) ?? null
    if (value === null) continue
    const found = cellTypeOf(value)
    if (found === undefined) throw new FluxError(`unsupported field type ${typeName(value)}`)
    const text = fieldText(found, cellOf(value)!)
    if (text !== undefined) parts.push(`${nameText(name)}=${text}`)
  }
  return parts.join(',')
}

export const pointWriting: Definitions = {
  to: native(type, to, true),
}
