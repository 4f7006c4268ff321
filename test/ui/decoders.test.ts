// How the page reads answers: annotated CSV and Arrow in pieces that end anywhere, v1's JSON, rows line by line; and
// the lines of a chart that follow from them.

import {
  Table as ArrowTable,
  Bool,
  Field,
  Float64,
  Int64,
  List,
  makeData,
  makeVector,
  TimestampNanosecond,
  tableToIPC,
  Uint8,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'
import { expect, it } from 'vitest'
import { AnnotatedCsv } from '../../ui/src/query/annotated-csv.js'
import { ArrowStream, Unreadable } from '../../ui/src/query/arrow-stream.js'
import { csvText } from '../../ui/src/query/csv-text.js'
import { JsonLines, V1Results } from '../../ui/src/query/json-results.js'
import { ColumnBuilder, cellText, type Table } from '../../ui/src/query/result.js'
import { seriesOf } from '../../ui/src/query/series.js'

const flux = [
  '#group,false,false,false,false,true,true',
  '#datatype,string,long,dateTime:RFC3339,double,string,string',
  '#default,_result,,,,,',
  ',result,table,_time,_value,_field,room',
  ',,0,2026-01-01T00:00:00.000000001Z,1.5,t,"a,""b"""',
  ',,0,2026-01-01T00:00:01Z,,t,"a,""b"""',
  ',,1,2026-01-01T00:00:00Z,-2,t,"two\nlines"',
  '',
  '#datatype,string,string',
  '#group,true,true',
  '#default,,',
  ',error,reference',
  ',broken,',
  '',
].join('\r\n')

function read(text: string, pieceLength: number): AnnotatedCsv {
  const reader = new AnnotatedCsv()
  for (let at = 0; at < text.length; at += pieceLength) reader.add(text.slice(at, at + pieceLength))
  reader.finish()
  return reader
}

const texts = ({ columns, rowCount }: Table) =>
  Array.from({ length: rowCount }, (_, row) => columns.map((column) => cellText(column, row)))

it('reads annotated CSV however it is cut', () => {
  for (const length of [1, 7, 64, 10_000]) {
    const { tables, failure } = read(flux, length)
    expect(failure).toBe('broken')
    expect(tables.map(({ tags }) => tags)).toEqual([
      { _field: 't', room: 'a,"b"' },
      { _field: 't', room: 'two\nlines' },
    ])
    expect(texts(tables[0])).toEqual([
      ['2026-01-01T00:00:00.000000001Z', '1.5', 't', 'a,"b"'],
      ['2026-01-01T00:00:01Z', '', 't', 'a,"b"'],
    ])
    const { series } = seriesOf(tables)
    expect(series.map(({ label, values }) => [label, [...values]])).toEqual([
      ['a,"b"', [1.5]],
      ['two\nlines', [-2]],
    ])
  }
})

it('reads InfluxQL, failures of statements included', () => {
  const answer = {
    results: [
      {
        statement_id: 0,
        series: [
          {
            name: 'm',
            tags: { host: 'a' },
            columns: ['time', 'v', 's', 'b'],
            values: [
              ['2026-01-01T00:00:00Z', 1, '=cmd', true],
              ['2026-01-01T00:00:01Z', null, null, false],
            ],
          },
        ],
      },
      { statement_id: 1, error: 'no such function' },
    ],
  }
  const reader = new V1Results()
  reader.add(JSON.stringify(answer))
  const tables = reader.finish(false)
  expect(reader.failure).toBe('no such function')
  expect(texts(tables[0])).toEqual([
    ['2026-01-01T00:00:00Z', '1', '=cmd', 'true'],
    ['2026-01-01T00:00:01Z', '', '', 'false'],
  ])
  // A spreadsheet must not take a text for a formula.
  const csv = csvText({ tables, rowCount: 2, byteCount: 0, elapsedMs: 0 })
  expect(csv).toBe(
    "name,host,time,v,s,b\nm,a,2026-01-01T00:00:00Z,1,'=cmd,true\nm,a,2026-01-01T00:00:01Z,,,false\n",
  )
})

it("joins the chunks of v1's results, and leaves out what was cut off", () => {
  const chunk = (host: string, partial: boolean, ...values: readonly number[]) => {
    const rows = values.map((value) => ['2026-01-01T00:00:00Z', value])
    const series = { name: 'm', tags: { host }, columns: ['time', 'v'], values: rows, partial }
    return `${JSON.stringify({ results: [{ statement_id: 0, series: [series], partial: true }] })}\n`
  }
  const text = chunk('a', true, 1, 2) + chunk('a', false, 3) + chunk('b', true, 4)
  const reader = new V1Results()
  for (let i = 0; i < text.length; i += 37) reader.add(text.slice(i, i + 37))
  expect(reader.rowCount).toBe(4)
  reader.add(chunk('b', false, 5).slice(0, -20))
  const tables = reader.finish(true)
  expect(tables.map(({ tags, rowCount }) => [tags.host, rowCount])).toEqual([
    ['a', 3],
    ['b', 1],
  ])
  expect(texts(tables[0]).map(([, v]) => v)).toEqual(['1', '2', '3'])
})

it('reads rows of SQL, whose columns may come late, and takes them apart by their texts', () => {
  const reader = new JsonLines()
  const rows = [
    { time: '2026-01-01T00:00:00', host: 'a', v: 1 },
    { time: '2026-01-01T00:00:00', host: 'b', v: 2, late: 3 },
    { time: '2026-01-01T00:00:01', host: 'a', v: 4 },
  ]
  const text = rows.map((row) => JSON.stringify(row)).join('\n')
  reader.add(text.slice(0, 50))
  reader.add(text.slice(50))
  const tables = reader.finish()
  expect(tables[0].columns.map(({ name, kind }) => [name, kind])).toEqual([
    ['time', 'time'],
    ['host', 'text'],
    ['v', 'number'],
    ['late', 'number'],
  ])
  const { series } = seriesOf(tables)
  expect(series.map(({ label, values }) => [label, [...values]])).toEqual([
    ['v · a', [1, 4]],
    ['late · a', []],
    ['v · b', [2]],
    ['late · b', [3]],
  ])
})

it('spells what came before where a column turns out to be mixed', () => {
  const reader = new JsonLines()
  reader.add('{"x":1}\n{"x":"two"}\n{}\n{"x":3}\n')
  expect(texts(reader.finish()[0])).toEqual([['1'], ['two'], [''], ['3']])
})

/** Made by Arrow's own library. */
function arrowBytes(): Uint8Array {
  const second = 1_700_000_000_000_000_000n
  const moments = BigInt64Array.of(second, second + 1n, -1n)
  const columns = {
    time: makeVector(makeData({ type: new TimestampNanosecond(), data: moments })),
    room: vectorFromArray(['attic', null, 'attic'], new Utf8()),
    value: vectorFromArray([1.5, null, -2], new Float64()),
    count: vectorFromArray([7n, -8n, null], new Int64()),
    size: vectorFromArray([1, 2, 3], new Uint8()),
    on: vectorFromArray([true, false, null], new Bool()),
  }
  return tableToIPC(new ArrowTable(columns), 'stream')
}

it('reads Arrow however it is cut', () => {
  const bytes = arrowBytes()
  for (const length of [1, 7, 64, 100_000]) {
    const reader = new ArrowStream()
    for (let at = 0; at < bytes.length; at += length) reader.add(bytes.slice(at, at + length))
    const [table] = reader.finish()
    expect(table.columns.map(({ name }) => name)).toEqual([
      'time',
      'room',
      'value',
      'count',
      'size',
      'on',
    ])
    expect(texts(table)).toEqual([
      ['2023-11-14T22:13:20Z', 'attic', '1.5', '7', '1', 'true'],
      ['2023-11-14T22:13:20.000000001Z', '', '', '-8', '2', 'false'],
      ['1969-12-31T23:59:59.999999999Z', 'attic', '-2', '', '3', ''],
    ])
  }
})

it('leaves types of Arrow to JSON that have no place in a column', () => {
  const lists = vectorFromArray([[1], [2, 3]], new List(new Field('item', new Float64())))
  const bytes = tableToIPC(new ArrowTable({ lists }), 'stream')
  expect(() => new ArrowStream().add(bytes)).toThrow(Unreadable)
})

it('keeps the nanoseconds of every row, also where a column grows', () => {
  const column = new ColumnBuilder('time', 'time')
  for (let row = 0; row < 200; row++) column.time(row, row)
  expect([...(column.finish().nanos ?? [])]).toEqual(Array.from({ length: 200 }, (_, i) => i))
})
