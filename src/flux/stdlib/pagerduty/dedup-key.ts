// `pagerduty.dedupKey`: tells the tables of one problem by their group key. PagerDuty limits the length of such keys,
// so that it is a hash.

import { createHash } from 'node:crypto'
import { type Definitions, transformation } from '../../package/define.js'
import { constantCells } from '../../table/cells.js'
import { mapChunks, mapTables } from '../../table/streams.js'
import { columnIndex, type Table } from '../../table/table.js'
import { FluxError } from '../../value/error.js'
import { plainFloatText } from '../../value/float-text.js'
import type { GroupKey, KeyEntry } from '../../value/key.js'
import { rfc3339Text } from '../../value/time.js'

const column = '_pagerdutyDedupKey'
const excludedByDefault = ['_start', '_stop', '_level']

const type = `(<-tables: stream[A], ?exclude: [string])
  => stream[{A with _pagerdutyDedupKey: string}]`

export const dedupKeys: Definitions = {
  dedupKey: transformation(type, (call) => {
    const excluded = new Set(call.strings('exclude', excludedByDefault))
    return (input) => mapTables(input, (table) => withDedupKey(table, excluded))
  }),
}

function withDedupKey(table: Table, excluded: ReadonlySet<string>): Table {
  if (columnIndex(table.columns, column) >= 0) {
    throw new FluxError(`table builder already has column with label ${column}`)
  }
  const cells = constantCells('string', dedupKey(table.key, excluded))
  return mapChunks(table, [...table.columns, { name: column, type: 'string' }], (chunk) => ({
    rowCount: chunk.rowCount,
    columns: [...chunk.columns, cells],
  }))
}

function dedupKey(key: GroupKey, excluded: ReadonlySet<string>): string {
  const hash = createHash('sha256')
  for (const entry of key.entries) {
    if (!excluded.has(entry.name)) hash.update(`${entry.name}\n${valueText(entry)}\n`)
  }
  return hash.digest('hex')
}

function valueText({ type, value }: KeyEntry): string {
  if (value === null) return ''
  if (type === 'float') return plainFloatText(value as number)
  return type === 'time' ? rfc3339Text(value as bigint) : String(value)
}
