// Batches of another query language as chunks of a Flux table. The arrays of a batch are lent until the
// next one is asked for, those of a chunk are given away: everything is copied.

import { dictionaryEntry, isWide, type StringColumn } from '../../../../column/column.js'
import type { ResultBatch, ResultColumn } from '../../../../query/language.js'
import type { Chunk, TableColumn, ValueCells } from '../../../../query/table.js'
import { cellTypeOfField } from '../../../plan/storage/field-piece.js'
import { int64Moments, int64Values } from '../../../plan/storage/int64.js'
import { FluxError } from '../../../value/error.js'

/** `nameOf`: what a column is called in the table. */
export function tableColumns(
  { columnNames, columns }: ResultBatch,
  nameOf: (name: string) => string,
): TableColumn[] {
  const seen = new Set<string>()
  return columns.map((column, i) => {
    const name = nameOf(columnNames[i])
    if (seen.has(name)) throw new FluxError(`duplicate field name '${name}' in schema`)
    seen.add(name)
    if (column.type === 'time') return { name, type: 'time' }
    if (column.type === 'list') throw unsupported()
    return { name, type: cellTypeOfField[column.type] }
  })
}

export function chunkOf({ columns, rowCount }: ResultBatch): Chunk {
  return { rowCount, columns: columns.map((column) => cellsOf(column, rowCount)) }
}

function cellsOf(column: ResultColumn, rowCount: number): ValueCells {
  const base = { kind: 'values', validity: column.validity?.slice(0, rowCount) } as const
  switch (column.type) {
    case 'time': {
      const { base: first, offsets } = column.times
      return { ...base, type: 'time', values: int64Moments(first, offsets, rowCount) }
    }
    case 'float':
      return { ...base, type: 'float', values: column.values.slice(0, rowCount) }
    case 'integer': {
      const values = isWide(column)
        ? (column.values.slice(0, rowCount) as BigInt64Array)
        : int64Values(column.values as Float64Array, 0, rowCount)
      return { ...base, type: 'int', values }
    }
    case 'unsigned': {
      const values = isWide(column)
        ? (column.values.slice(0, rowCount) as BigUint64Array)
        : new BigUint64Array(int64Values(column.values as Float64Array, 0, rowCount).buffer)
      return { ...base, type: 'uint', values }
    }
    case 'boolean':
      return { ...base, type: 'bool', values: column.values.slice(0, rowCount) }
    case 'string':
      return { ...base, type: 'string', ...textsOf(column, rowCount) }
    case 'list':
      throw unsupported()
  }
}

/** Equal texts share an entry: tags come as a text for each row, and tables that are kept hold them. */
function textsOf({ values: source, dictionary, validity }: StringColumn, rowCount: number) {
  const values = new Uint32Array(rowCount)
  const places = new Map<string, number>()
  const texts: string[] = []
  for (let row = 0; row < rowCount; row++) {
    if (validity !== undefined && validity[row] === 0) continue
    const text = dictionaryEntry(dictionary, source[row])
    let place = places.get(text)
    if (place === undefined) {
      place = texts.length
      places.set(text, place)
      texts.push(text)
    }
    values[row] = place
  }
  return { values, dictionary: texts }
}

function unsupported(): FluxError {
  return new FluxError('unsupported arrow type list', 'internal error')
}
