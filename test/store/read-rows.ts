// What a store hands out, as plain rows for tests: one object per row, with every promise of the
// waist about order and shape checked on the way, so that each test that reads also tests these
// promises.

import { expect } from 'vitest'
import type { Batch } from '../../src/column/batch.js'
import { type Column, type FieldType, type Value, valueAt } from '../../src/column/column.js'
import { escapeName, parseSeriesKey, seriesKey } from '../../src/column/series.js'
import { timeAt } from '../../src/column/time.js'
import { printString } from '../../src/line-protocol/printer.js'
import type { ReadRequest, Store } from '../../src/store/store.js'

export interface ReadValue {
  /** The field's name; `mean(v)` for an aggregate. */
  readonly name: string
  readonly type: FieldType
  readonly value: Value
  /** Where the chosen point lay, for a window aggregate that tells. */
  readonly pointTime?: bigint
}

export interface ReadRow {
  readonly key: string
  readonly time: bigint
  readonly values: readonly ReadValue[]
}

const never = new AbortController().signal

/** All rows of a read. Everything is copied: the store may use its arrays again. */
export async function readRows(
  store: Pick<Store, 'read'>,
  request: ReadRequest,
): Promise<ReadRow[]> {
  const rows: ReadRow[] = []
  const ids = new Map<number, string>()
  for await (const batch of store.read(request, never)) {
    expect(batch.measurement).toBe(request.measurement)
    expect(batch.columns.map(({ type }) => type)).toEqual(batch.fields.map(({ type }) => type))
    const names = namesOf(batch, request)
    let next = 0
    for (const run of batch.runs) {
      if (run.start !== next || run.stop <= run.start) expect.fail(`run at row ${run.start}`)
      next = run.stop
      const key = seriesKey(run.key)
      if ((ids.get(run.keyId) ?? key) !== key) expect.fail(`two keys ${run.keyId}`)
      ids.set(run.keyId, key)
      for (let row = run.start; row < run.stop; row++) rows.push(rowOf(batch, names, key, row))
    }
    expect(next).toBe(batch.rowCount)
  }
  expect(new Set(ids.values()).size).toBe(ids.size)
  expectOrder(rows, request)
  return rows
}

/** Aggregates of fields that do not exist are left out; the others keep their order. */
function namesOf(batch: Batch, { window }: ReadRequest): string[] {
  if (window === undefined) return batch.fields.map(({ name }) => name)
  const known = window.aggregates.filter(({ field }) => batch.fields.some((f) => f.name === field))
  expect(batch.fields.map(({ name }) => name)).toEqual(known.map(({ field }) => field))
  return known.map((aggregate) => `${aggregate.function}(${aggregate.field})`)
}

function rowOf(batch: Batch, names: readonly string[], key: string, row: number): ReadRow {
  const values: ReadValue[] = []
  batch.fields.forEach(({ type }, f) => {
    const value = cellAt(batch.columns[f], row)
    if (value === null) return
    const points = batch.pointTimes?.[f]
    const pointTime = points && { pointTime: timeAt(points, row) }
    values.push({ name: names[f], type, value, ...pointTime })
  })
  return { key, time: timeAt(batch.times, row), values }
}

const texts = new WeakMap<object, Map<number, Value | null>>()

/** As `valueAt`, with each text of a dictionary decoded once: large cases repeat theirs. */
function cellAt(column: Column, row: number): Value | null {
  if (column.type !== 'string' || column.validity?.[row] === 0) return valueAt(column, row)
  let known = texts.get(column.dictionary)
  if (known === undefined) {
    known = new Map()
    texts.set(column.dictionary, known)
  }
  const code = column.values[row]
  if (!known.has(code)) known.set(code, valueAt(column, row))
  return known.get(code)!
}

/** Series or groups in order, each in one piece, times strictly one way, no row without a value unless asked for. */
function expectOrder(rows: readonly ReadRow[], request: ReadRequest): void {
  const { descending = false, everyRow = false, window } = request
  const mayBeEmpty = everyRow && window === undefined
  for (let i = 0; i < rows.length; i++) {
    if (rows[i].values.length === 0 && !mayBeEmpty) {
      expect.fail(`row ${i} of ${rows[i].key} has no value`)
    }
    if (i === 0) continue
    const [before, row] = [rows[i - 1], rows[i]]
    const order = before.key === row.key ? 0 : compareKeys(before, row, window?.groupBy)
    if (order > 0) expect.fail(`${row.key} comes after ${before.key}`)
    if (order < 0) continue
    const follows = descending ? row.time < before.time : row.time > before.time
    if (!follows) expect.fail(`${row.key}: time ${row.time} comes after ${before.time}`)
  }
}

/** Series by their keys, groups by the values of their tags. */
function compareKeys(a: ReadRow, b: ReadRow, tags: readonly string[] | undefined): number {
  if (tags === undefined) return Buffer.compare(Buffer.from(a.key), Buffer.from(b.key))
  for (const tag of tags) {
    const [x, y] = [a, b].map(({ key }) => {
      const { tags: own } = parseSeriesKey(Buffer.from(key))
      return Buffer.from(own.find((each) => each.key === tag)?.value ?? '')
    })
    const order = Buffer.compare(x, y)
    if (order !== 0) return order
  }
  return 0
}

/** `cpu,host=a 1000 v=1.5,n=2i`: line protocol, with the time in front where it is easy to see. */
export function printRow(row: ReadRow): string {
  const values = row.values.map((v) => {
    const at = v.pointTime === undefined ? '' : `@${v.pointTime}`
    return `${escapeName(v.name)}=${printValue(v.type, v.value)}${at}`
  })
  return `${row.key} ${row.time} ${values.join(',')}`
}

export function printValue(type: Column['type'], value: Value): string {
  switch (type) {
    case 'float':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'integer':
      return `${value}i`
    case 'unsigned':
      return `${value}u`
    case 'boolean':
      return String(value)
    case 'string':
      return printString(value as string)
  }
}
