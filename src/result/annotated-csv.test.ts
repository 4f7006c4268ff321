// Annotated CSV byte by byte: blocks, annotations, names, tables without rows, quoting, numbers and
// moments, failures, and that an answer of any size comes in pieces.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { UserError } from '../errors.js'
import type { TablePiece } from '../query/language.js'
import type { Cell, Cells, CellType } from '../query/table.js'
import { type CsvDialect, encodeFailure, encodeTables } from './annotated-csv.js'

const plain: CsvDialect = {
  annotations: [],
  hasHeader: true,
  delimiter: ',',
  commentPrefix: '#',
  dateTimeFormat: 'RFC3339',
}
const annotated: CsvDialect = { ...plain, annotations: ['datatype', 'group', 'default'] }

interface TestTable {
  readonly name?: string
  readonly table?: number
  /** `name:type`, with a `*` behind it where it belongs to the key. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (Cell | null)[])[]
  /** Of a table without rows. */
  readonly key?: readonly (Cell | null)[]
  /** Columns of the key come as one cell for all rows. */
  readonly hasConstants?: boolean
}

function* pieces({ name = '_result', table = 0, ...given }: TestTable): Generator<TablePiece> {
  const columns = given.columns.map((text, i) => {
    const [, label, type, star] = /^(.*):(\w+)(\*?)$/.exec(text)!
    const isGroup = star === '*'
    const value = isGroup ? (given.rows[0]?.[i] ?? given.key?.[i] ?? null) : null
    return { name: label, type: type as CellType, isGroup, value }
  })
  yield { kind: 'table', name, table, columns }
  if (given.rows.length === 0) return
  const cells = columns.map(({ type, isGroup, value }, i): Cells => {
    if (isGroup && given.hasConstants) return { kind: 'constant', type, value }
    return column(
      type,
      given.rows.map((row) => row[i]),
    )
  })
  yield { kind: 'rows', rowCount: given.rows.length, columns: cells }
}

function column(type: CellType, cells: readonly (Cell | null)[]): Cells {
  const validity = cells.includes(null)
    ? Uint8Array.from(cells, (cell) => (cell === null ? 0 : 1))
    : undefined
  const wide = cells.map((cell) => (typeof cell === 'bigint' ? cell : 0n))
  const kind = 'values'
  switch (type) {
    case 'float':
      return { kind, type, values: Float64Array.from(cells, Number), validity }
    case 'int':
    case 'time':
      return { kind, type, values: BigInt64Array.from(wide), validity }
    case 'uint':
      return { kind, type, values: BigUint64Array.from(wide), validity }
    case 'bool':
      return { kind, type, values: Uint8Array.from(cells, Number), validity }
    case 'string': {
      const dictionary = [...new Set(cells.map((cell) => String(cell ?? '')))]
      const values = Uint32Array.from(cells, (cell) => dictionary.indexOf(String(cell ?? '')))
      return { kind, type, values, dictionary, validity }
    }
  }
}

async function encode(
  tables: readonly TestTable[],
  dialect: CsvDialect = annotated,
  error?: Error,
): Promise<string> {
  async function* source(): AsyncGenerator<TablePiece> {
    for (const table of tables) yield* pieces(table)
    if (error !== undefined) throw error
  }
  const parts: Buffer[] = []
  for await (const part of encodeTables(source(), dialect)) parts.push(Buffer.from(part))
  return Buffer.concat(parts).toString()
}

const lines = (...texts: string[]) => texts.map((text) => `${text}\r\n`).join('')

const second = 1_000_000_000n
const start = 1_523_923_200n * second
const columns = ['_start:time*', '_time:time', 'host:string*', '_value:float']
const host = (name: string, ...values: number[]): TestTable => ({
  columns,
  rows: values.map((value, i) => [start, start + BigInt(i) * second, name, value]),
})

test('one table, with and without annotations', async () => {
  const header = ',result,table,_start,_time,host,_value'
  for (const hasConstants of [false, true]) {
    const table = { ...host('A', 42, 43.5), hasConstants }
    expect(await encode([table])).toBe(
      lines(
        '#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,string,double',
        '#group,false,false,true,false,true,false',
        '#default,_result,,,,,',
        header,
        ',,0,2018-04-17T00:00:00Z,2018-04-17T00:00:00Z,A,42',
        ',,0,2018-04-17T00:00:00Z,2018-04-17T00:00:01Z,A,43.5',
        '',
      ),
    )
    expect(await encode([table], plain)).toBe(
      lines(
        header,
        ',_result,0,2018-04-17T00:00:00Z,2018-04-17T00:00:00Z,A,42',
        ',_result,0,2018-04-17T00:00:00Z,2018-04-17T00:00:01Z,A,43.5',
        '',
      ),
    )
  }
})

test('annotations come in the order that was asked for, with the prefix and the delimiter', async () => {
  const dialect: CsvDialect = {
    annotations: ['group', 'datatype'],
    hasHeader: false,
    delimiter: ';',
    commentPrefix: '@',
    dateTimeFormat: 'RFC3339Nano',
  }
  expect(await encode([host('a;b', 1)], dialect)).toBe(
    lines(
      '@group;false;false;true;false;true;false',
      '@datatype;string;long;dateTime:RFC3339Nano;dateTime:RFC3339Nano;string;double',
      ';_result;0;2018-04-17T00:00:00Z;2018-04-17T00:00:00Z;"a;b";1',
      '',
    ),
  )
})

test('tables of one shape share a block; others, and other keys, get their own', async () => {
  const ungrouped = { ...host('B', 3), columns: columns.map((text) => text.replace('*', '')) }
  const answer = await encode([
    host('A', 1),
    { ...host('B', 2), table: 1 },
    { ...ungrouped, table: 2 },
    { columns: ['_value:int'], rows: [[7n]], table: 3 },
    { columns: ['_value:float'], rows: [[7]], table: 4 },
  ])
  expect(answer.split('\r\n').filter((line) => !line.startsWith('#'))).toEqual([
    ',result,table,_start,_time,host,_value',
    ',,0,2018-04-17T00:00:00Z,2018-04-17T00:00:00Z,A,1',
    ',,1,2018-04-17T00:00:00Z,2018-04-17T00:00:00Z,B,2',
    '',
    ',result,table,_start,_time,host,_value',
    ',,2,2018-04-17T00:00:00Z,2018-04-17T00:00:00Z,B,3',
    '',
    ',result,table,_value',
    ',,3,7',
    '',
    ',result,table,_value',
    ',,4,7',
    '',
    '',
  ])
})

test('a table without rows is told by its key, and what follows begins anew', async () => {
  const empty: TestTable = { columns, rows: [], key: [start, null, 'A', null] }
  const head = [
    '#datatype,string,long,dateTime:RFC3339,dateTime:RFC3339,string,double',
    '#group,false,false,true,false,true,false',
  ]
  const names = ',result,table,_start,_time,host,_value'
  expect(await encode([empty, { ...host('B', 1), table: 1 }])).toBe(
    lines(
      ...head,
      '#default,_result,0,2018-04-17T00:00:00Z,,A,',
      names,
      '',
      ...head,
      '#default,_result,,,,,',
      names,
      ',,1,2018-04-17T00:00:00Z,2018-04-17T00:00:00Z,B,1',
      '',
    ),
  )
  expect(await encode([empty], plain)).toBe(lines(names, ''))
})

test('results begin anew, and an answer without any is a blank line', async () => {
  const answer = await encode([host('A', 1), { ...host('A', 2), name: 'mean, "all"' }])
  expect(answer).toContain('A,1\r\n\r\n#datatype,string,long')
  expect(answer.split('#default')).toHaveLength(3)
  expect(answer).toContain(lines('#default,"mean, ""all""",,,,,'))
  expect(answer.endsWith(lines(',,0,2018-04-17T00:00:00Z,2018-04-17T00:00:00Z,A,2', ''))).toBe(true)
  expect(await encode([])).toBe('\r\n')
})

test('texts are quoted where Go quotes them, and are whole', async () => {
  const texts: [string, string][] = [
    ['', ''],
    ['plain text', 'plain text'],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    [' front', '" front"'],
    ['\tfront', '"\tfront"'],
    ['\u00a0front', '"\u00a0front"'],
    ['\ufefffront', '\ufefffront'],
    ['back ', 'back '],
    ['a\nb', '"a\nb"'],
    ['a\r\nb', '"a\r\nb"'],
    ['a\rb', '"a\rb"'],
    ['\\.', '"\\."'],
    ['#x', '#x'],
    ['größe 温度 🌡', 'größe 温度 🌡'],
    ['half \ud800', 'half \ufffd'],
  ]
  const answer = await encode([{ columns: ['v:string'], rows: texts.map(([text]) => [text]) }])
  for (const [text, spelt] of texts) {
    expect(answer).toContain(`,,0,${spelt}\r\n`)
    const constant = { columns: ['v:string*'], rows: [[text], [text]], hasConstants: true }
    expect(await encode([constant])).toContain(lines(`,,0,${spelt}`, `,,0,${spelt}`))
  }
})

test('entries that repeat are spelt alike', async () => {
  const rows = Array.from({ length: 50 }, (_, i) => [['a', 'b "c"', ''][i % 3]])
  const answer = await encode([{ columns: ['v:string'], rows }], { ...plain, hasHeader: false })
  const spelt = ['a', '"b ""c"""', '']
  expect(answer).toBe(lines(...rows.map((_, i) => `,_result,0,${spelt[i % 3]}`), ''))
})

test('every type, its extremes, and what is absent', async () => {
  const names = ['b:bool', 'i:int', 'u:uint', 'f:float', 's:string', 't:time']
  const rows: (Cell | null)[][] = [
    [true, 2n ** 63n - 1n, 2n ** 64n - 1n, 1e21, 'x', 2n ** 63n - 1n],
    [false, -(2n ** 63n), 2n ** 53n, 5e-324, 'y', -(2n ** 63n)],
    [null, null, null, null, null, null],
    [true, -1n, 0n, Number.POSITIVE_INFINITY, 'z', 1n],
    [true, 2n ** 53n, 1n, Number.NEGATIVE_INFINITY, 'z', 100_000_000n],
    [true, 9007199254740993n, 12n, Number.NaN, 'z', -1n],
    [true, -9007199254740993n, 12n, -0, 'z', 0n],
  ]
  const answer = await encode([{ columns: names, rows }], { ...plain, hasHeader: false })
  const tiny = `0.${'0'.repeat(323)}5`
  expect(answer.split('\r\n')).toEqual([
    `,_result,0,true,9223372036854775807,18446744073709551615,1${'0'.repeat(21)},x,2262-04-11T23:47:16.854775807Z`,
    `,_result,0,false,-9223372036854775808,9007199254740992,${tiny},y,1677-09-21T00:12:43.145224192Z`,
    ',_result,0,,,,,,',
    ',_result,0,true,-1,0,+Inf,z,1970-01-01T00:00:00.000000001Z',
    ',_result,0,true,9007199254740992,1,-Inf,z,1970-01-01T00:00:00.1Z',
    ',_result,0,true,9007199254740993,12,NaN,z,1969-12-31T23:59:59.999999999Z',
    ',_result,0,true,-9007199254740993,12,-0,z,1970-01-01T00:00:00Z',
    '',
    '',
  ])
  const head = await encode([{ columns: names, rows }])
  expect(head).toContain(
    lines('#datatype,string,long,boolean,long,unsignedLong,double,string,dateTime:RFC3339'),
  )
})

test('moments of the whole range', async () => {
  const time = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
  await fc.assert(
    fc.asyncProperty(fc.array(time, { minLength: 1 }), async (times) => {
      const table = { columns: ['t:time'], rows: times.map((moment) => [moment]) }
      const answer = await encode([table], { ...plain, hasHeader: false })
      const texts = answer.split('\r\n').slice(0, -2)
      expect(texts.map((text) => readMoment(text.slice(',_result,0,'.length)))).toEqual(times)
    }),
  )
})

function readMoment(text: string): bigint {
  const [, whole, fraction = ''] = /^([^.]+?)(?:\.(\d{0,8}[1-9]))?Z$/.exec(text)!
  return BigInt(Date.parse(`${whole}Z`)) * 1_000_000n + BigInt(fraction.padEnd(9, '0'))
}

test('a delimiter that numbers and moments contain', async () => {
  const rows = [[1.5, 25n, start, true]]
  const table = { columns: ['f:float', 'i:int', 't:time*', 'b:bool'], rows }
  for (const hasConstants of [false, true]) {
    const dialect = { ...plain, hasHeader: false }
    const encoded = (delimiter: string) =>
      encode([{ ...table, hasConstants }], { ...dialect, delimiter })
    expect(await encoded('.')).toBe(lines('._result.0."1.5".25.2018-04-17T00:00:00Z.true', ''))
    expect(await encoded('5')).toBe(lines('5_result505"1.5"5"25"52018-04-17T00:00:00Z5true', ''))
    expect(await encoded(':')).toBe(lines(':_result:0:1.5:25:"2018-04-17T00:00:00Z":true', ''))
  }
})

test('what fails behind the first table is a table; what fails before is thrown', async () => {
  const error = new UserError('invalid', 'cannot go on, "sorry"')
  const failed = await encode([host('A', 1)], annotated, error)
  expect(failed.endsWith(`A,1\r\n\r\n${errorTable}`)).toBe(true)
  expect(await encode([{ columns: ['v:int'], rows: [[1n]] }], plain, error)).toBe(
    lines(',result,table,v', ',_result,0,1', '', ',error,reference', ',"cannot go on, ""sorry""",'),
  )
  await expect(encode([], annotated, error)).rejects.toBe(error)
  await expect(encode([{ columns, rows: [] }], annotated, error)).rejects.toBe(error)
  expect(Buffer.from(encodeFailure(error.message, annotated)).toString()).toBe(errorTable)
})

const errorTable = lines(
  '#datatype,string,string',
  '#group,true,true',
  '#default,,',
  ',error,reference',
  ',"cannot go on, ""sorry""",',
)

test('large answers come in pieces, whatever the size of a row', async () => {
  const long = 'x'.repeat(200_000)
  const rows = Array.from({ length: 5000 }, (_, i) => [i, i === 17 ? long : `text ${i}`])
  async function* source(): AsyncGenerator<TablePiece> {
    yield* pieces({ columns: ['f:float', 's:string'], rows })
  }
  const parts: string[] = []
  for await (const part of encodeTables(source(), { ...plain, hasHeader: false })) {
    parts.push(Buffer.from(part).toString())
  }
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.join('')).toBe(lines(...rows.map(([f, s]) => `,_result,0,${f},${s}`), ''))
})

test('whoever stops reading stops the source', async () => {
  let hasStopped = false
  async function* source(): AsyncGenerator<TablePiece> {
    try {
      yield* pieces({ columns: ['s:string'], rows: [['x'.repeat(100_000)]] })
      yield* pieces({ columns: ['s:string'], rows: [['y']] })
    } finally {
      hasStopped = true
    }
  }
  const chunks = encodeTables(source(), plain)
  await chunks.next()
  expect(hasStopped).toBe(false)
  await chunks.return()
  expect(hasStopped).toBe(true)
})
