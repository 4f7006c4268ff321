// `wideTo`: rows of pivoted tables become points with a field for each column. Columns of the key are
// tags, one of them the measurement.

import { type Chunk, cellAt, type TableColumn } from '../../../../query/table.js'
import { BucketNode } from '../../../node/bucket-node.js'
import { type Call, type Definitions, native } from '../../../package/define.js'
import { areSameColumns, columnIndex } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import type { GroupKey } from '../../../value/key.js'
import { quoted } from '../../../value/quote.js'
import type { FluxValue } from '../../../value/value.js'
import { fieldText, type LineWriter, measurementText, nameText, TagTexts } from './line-writer.js'
import { bucketOf, refuseOtherHost } from './reference.js'
import { type PrintedShape, type TablePrinter, writtenTables } from './written-tables.js'

const type = `(<-tables: stream[A], ?bucket: string, ?bucketID: string, ?org: string, ?orgID: string,
  ?host: string, ?token: string) => stream[A] where A: Record`

function wideTo(call: Call): FluxValue {
  refuseOtherHost(call)
  const reference = bucketOf(call)
  const node = call.batchNode([call.stream('tables')], ([input], context) => {
    const fields = new WideFields()
    return writtenTables(input, reference, context, (shape) => new WidePrinter(shape, fields))
  })
  return new BucketNode(node, reference, 'write')
}

/** Neither tags nor fields. */
const ownColumns: ReadonlySet<string> = new Set(['_start', '_stop', '_time', '_measurement'])

interface WideField extends TableColumn {
  readonly place: number
  readonly text: string
}

/** Which columns become fields: worked out once for tables that are alike, and most of a stream are. */
class WideFields {
  #columns: readonly TableColumn[] = []
  #keyNames: readonly string[] = []
  #fields: readonly WideField[] = []

  of({ key, columns }: PrintedShape): readonly WideField[] {
    const { entries } = key
    const isKnown =
      areSameColumns(columns, this.#columns) &&
      entries.length === this.#keyNames.length &&
      this.#keyNames.every((name, i) => entries[i].name === name)
    if (isKnown) return this.#fields
    this.#columns = columns
    this.#keyNames = entries.map(({ name }) => name)
    const fields: WideField[] = []
    for (const [place, { name, type: found }] of columns.entries()) {
      if (ownColumns.has(name) || key.has(name)) continue
      fields.push({ name, type: found, place, text: nameText(name) })
    }
    this.#fields = fields
    return fields
  }
}

class WidePrinter implements TablePrinter {
  readonly #time: number
  readonly #fields: readonly WideField[]
  readonly #tags = new TagTexts()
  #head = ''

  constructor(shape: PrintedShape, fields: WideFields) {
    const { key, columns } = shape
    this.begin(key)
    this.#time = columnIndex(columns, '_time')
    if (this.#time < 0) throw new FluxError('input table is missing required column "_time"')
    const { type: found } = columns[this.#time]
    if (found !== 'time') {
      throw new FluxError(`column "_time" has type ${found}; type time is required`)
    }
    this.#fields = fields.of(shape)
  }

  begin(key: GroupKey): void {
    this.#head = headOf(key, this.#tags)
  }

  print({ columns }: Chunk, start: number, stop: number, lines: LineWriter): void {
    const times = columns[this.#time]
    for (let row = start; row < stop; row++) {
      const time = cellAt(times, row)
      if (time === null) continue
      let fields = ''
      for (const { place, type: found, text } of this.#fields) {
        const cell = cellAt(columns[place], row)
        const value = cell === null ? undefined : fieldText(found, cell)
        if (value !== undefined) fields += `${fields === '' ? '' : ','}${text}=${value}`
      }
      if (fields !== '') lines.add(`${this.#head} ${fields} ${time}`)
    }
  }

  passed(): null {
    return null
  }
}

/** Measurement and tags. */
function headOf(key: GroupKey, texts: TagTexts): string {
  if (key.has('_field')) {
    throw new FluxError('found column "_field" in the group key; wideTo() expects pivoted data')
  }
  let tags = ''
  const { entries } = key
  for (let place = 0; place < entries.length; place++) {
    const { name, type: found, value } = entries[place]
    if (name === '_start' || name === '_stop') continue
    if (found !== 'string') {
      throw new FluxError(
        `group key column ${quoted(name)} has type ${found}; type string is required`,
      )
    }
    if (name !== '_measurement') tags += texts.text(place, name, value as string | null)
  }
  const measurement = key.entry('_measurement')
  if (measurement === undefined) {
    throw new FluxError('required column "_measurement" not in group key')
  }
  return measurementText((measurement.value as string | null) ?? '') + tags
}

export const wideWriting: Definitions = {
  wideTo: native(type, wideTo, true),
}

/** The same under its older name. */
export const experimentalWriting: Definitions = {
  to: native(type, wideTo, true),
}
