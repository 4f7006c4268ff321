// The encoders against what InfluxDB 1.6.7 printed for the same rows, byte for byte in JSON and CSV.
// The expected texts were taken from a running server.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  batch,
  type Cell,
  csv,
  encode,
  failure,
  floats,
  json,
  start,
  stream,
  type Table,
} from '../../test/result/sample-pieces.js'
import { UserError } from '../errors.js'
import { streamOf } from '../platform/pull-stream.js'
import type { ResultColumn, ResultPiece } from '../query/language.js'
import type { ResultFormat } from './format.js'
import { encodeResults } from './results.js'

/** Too far from the others for one base. */
const lateFloats: Table = {
  ...floats,
  rows: [
    [1500000000000000000n, 1e21],
    [1500000000123456700n, 5e-324],
  ],
}
const allFloats = [start(0), batch(floats), batch(lateFloats)]

function jsonNumber(value: number | bigint | null): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return 'null'
  return Object.is(value, -0) ? '-0' : String(value)
}

describe('JSON', () => {
  test('moments, floats, and one series in several batches', async () => {
    expect(await encode(allFloats, json)).toBe(
      '{"results":[{"statement_id":0,"series":[{"name":"m","columns":["time","f"],"values":[' +
        '["1969-12-31T23:59:58.499999999Z",123456789.125],["1969-12-31T23:59:59.999999999Z",0.000001],' +
        '["1970-01-01T00:00:00.000000001Z",1.5],["1970-01-01T00:00:01.5Z",1e-7],' +
        '["2017-07-14T02:40:00Z",1e+21],["2017-07-14T02:40:00.1234567Z",5e-324]]}]}]}\n',
    )
  })

  test('every type, and strings as Go escapes them', async () => {
    const raw = Buffer.from('q"\\<&>\u2028\xff\x01\b\f\x7f\ttab é', 'utf8')
    // ÿ stands for the byte 0xff, which is no UTF-8.
    const bytes = Buffer.concat([
      raw.subarray(0, raw.indexOf('ÿ')),
      Buffer.of(0xff),
      raw.subarray(raw.indexOf('ÿ') + 2),
    ])
    const offsets = Uint32Array.of(0, bytes.length)
    const text: ResultColumn = {
      type: 'string',
      values: Uint32Array.of(0, 0),
      dictionary: { offsets, bytes, count: 1 },
      validity: Uint8Array.of(1, 0),
    }
    const rows: Cell[][] = [
      [true, 9223372036854775807n, 18446744073709551615n, -5n, -0],
      [null, null, null, 0n, Number.NaN],
    ]
    const table = batch({
      kinds: ['boolean', 'integer', 'unsigned', 'integer', 'float'],
      columns: ['b', 'i', 'u', 'j', 'g', 's'],
      rows,
      tags: { t: 'a<b>&c' },
    })
    const pieces = [start(0), { ...table, columns: [...table.columns, text] }]
    expect(await encode(pieces, json)).toBe(
      '{"results":[{"statement_id":0,"series":[{"name":"m","tags":{"t":"a\\u003cb\\u003e\\u0026c"},' +
        '"columns":["b","i","u","j","g","s"],"values":[' +
        '[true,9223372036854775807,18446744073709551615,-5,-0,' +
        '"q\\"\\\\\\u003c\\u0026\\u003e\\u2028\\ufffd\\u0001\\u0008\\u000c\x7f\\ttab é"],' +
        '[null,null,null,0,null,null]]}]}]}\n',
    )
  })

  test('numbers side by side are written as if they stood alone', async () => {
    const small = fc.integer({ min: -11, max: 1100 })
    const float = fc.oneof(small, fc.constantFrom(-0, Number.NaN, 1e15), fc.double())
    const row = fc.tuple(small, float, float, fc.option(float), float, fc.bigInt(-(2n ** 60n), 9n))
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        const kinds = ['integer', 'float', 'float', 'float', 'float', 'integer'] as const
        const columns = kinds.map((_, i) => `c${i}`)
        const text = await encode([start(0), batch({ kinds, columns, rows })], json)
        const lines = rows.map((cells) => `[${cells.map(jsonNumber).join()}]`)
        const names = JSON.stringify(columns)
        const table = `{"name":"m","columns":${names},"values":[${lines.join()}]}`
        expect(text).toBe(`{"results":[{"statement_id":0,"series":[${table}]}]}\n`)
      }),
      { numRuns: 500 },
    )
  })

  test('columns that say the same entry in every row are spelt as if they stood alone', async () => {
    const values = Uint32Array.of(1, 0, 1, 0)
    const tag = (texts: readonly string[], validity?: Uint8Array): ResultColumn => {
      const bytes = Buffer.from(texts.join(''))
      const offsets = Uint32Array.of(0, Buffer.byteLength(texts[0]), bytes.length)
      return { type: 'string', values, dictionary: { offsets, bytes, count: 2 }, validity }
    }
    const table = batch({
      kinds: ['integer'],
      columns: ['i', 'a', 'b', 'c', 'd', 'j'],
      rows: [[1n], [2n], [3n], [4n]],
    })
    const [numbers] = table.columns
    const columns = (first: string): ResultColumn[] => [
      numbers,
      tag([first, 'y']),
      tag(['"', '\u00e9']),
      tag(['n', ''], Uint8Array.of(1, 0, 1, 1)),
      { ...tag(['p', 'q']), values: values.slice() } as ResultColumn,
      numbers,
    ]
    const pieces = [
      start(0),
      { ...table, columns: columns('x') },
      { ...table, columns: columns('long'.repeat(9)) },
    ]
    const rows = (x: string) => [
      [1, 'y', '\u00e9', '', 'q', 1],
      [2, x, '"', null, 'p', 2],
      [3, 'y', '\u00e9', '', 'q', 3],
      [4, x, '"', 'n', 'p', 4],
    ]
    const expected = [...rows('x'), ...rows('long'.repeat(9))]
    for (const isPretty of [false, true]) {
      const text = await encode(pieces, { ...json, isPretty })
      expect(JSON.parse(text).results[0].series[0].values).toEqual(expected)
      if (isPretty)
        expect(text).toContain(
          '\n                            "y",\n                            "\u00e9",',
        )
    }
  })

  test('numbers since 1970 are for the first column only, and round towards 1970', async () => {
    const at = [-1500000001n, -1n, 1n, 1500000000n, 1500000000123456n]
    const rows = at.map((time) => [time, time])
    const table: Table = { kinds: ['time', 'time'], columns: ['time', 'x'], rows: rows.slice(0, 1) }
    expect(await encode([start(0), batch(table)], { ...json, time: 'ms' })).toContain(
      '[[-1500,"1969-12-31T23:59:58.499999999Z"]]',
    )
    const one: Table = { kinds: ['time'], columns: ['time'], rows: at.map((time) => [time]) }
    const values = async (time: ResultFormat['time']) =>
      /"values":(.*?)\}/.exec(await encode([start(0), batch(one)], { ...json, time }))?.[1]
    expect(await values('ns')).toBe('[[-1500000001],[-1],[1],[1500000000],[1500000000123456]]')
    expect(await values('us')).toBe('[[-1500000],[0],[0],[1500000],[1500000000123]]')
    expect(await values('ms')).toBe('[[-1500],[0],[0],[1500],[1500000000]]')
    expect(await values('s')).toBe('[[-1],[0],[0],[1],[1500000]]')
    expect(await values('m')).toBe('[[0],[0],[0],[0],[25000]]')
    expect(await values('h')).toBe('[[0],[0],[0],[0],[416]]')
  })

  test('zones, those of old too', async () => {
    const print = async (time: bigint, zone: string) => {
      const table = batch({ kinds: ['time'], columns: ['time'], rows: [[time]], zone })
      return /\[\["(.*?)"\]\]/.exec(await encode([start(0), table], json))?.[1]
    }
    const summer = 1500000000123456700n
    expect(await print(summer, 'America/New_York')).toBe('2017-07-13T22:40:00.1234567-04:00')
    expect(await print(-1n, 'Europe/London')).toBe('1970-01-01T00:59:59.999999999+01:00')
    expect(await print(summer, 'UTC')).toBe('2017-07-14T02:40:00.1234567Z')
    const first = -9223372036854775806n
    expect(await print(first, 'America/New_York')).toBe('1677-09-20T19:16:41.145224194-04:56')
    expect(await print(first, 'Asia/Kolkata')).toBe('1677-09-21T06:06:11.145224194+05:53')
    const last = 9223372036854775806n
    expect(await print(last, 'Europe/Amsterdam')).toBe('2262-04-12T01:47:16.854775806+02:00')
  })

  test('series by tags, statements, errors, messages, tables without rows', async () => {
    const tagged = (t: string) => batch({ ...floats, rows: floats.rows.slice(2, 3), tags: { t } })
    const pieces = [
      start(0),
      tagged(''),
      tagged('b'),
      start(1, { messages: ['careful'] }),
      start(2),
      batch({ result: 2, name: 'd', kinds: ['string'], columns: ['name'], rows: [] }),
      batch({ result: 2, name: '', kinds: ['string'], columns: ['name'], rows: [['x']] }),
      start(3),
      failure(3, 'database not found: "x"'),
      start(4),
      failure(4, 'not executed'),
    ]
    const values = '"columns":["time","f"],"values":[["1970-01-01T00:00:00.000000001Z",1.5]]'
    expect(await encode(pieces, json)).toBe(
      `{"results":[{"statement_id":0,"series":[{"name":"m","tags":{"t":""},${values}},` +
        `{"name":"m","tags":{"t":"b"},${values}}]},` +
        '{"statement_id":1,"messages":[{"level":"warning","text":"careful"}]},' +
        '{"statement_id":2,"series":[{"name":"d","columns":["name"]},' +
        '{"columns":["name"],"values":[["x"]]}]},' +
        '{"statement_id":3,"error":"database not found: \\"x\\""},' +
        '{"statement_id":4,"error":"not executed"}]}\n',
    )
  })

  test('a result that fails keeps nothing else, and the last failure counts', async () => {
    const pieces = [start(0), batch(floats), failure(0, 'first'), failure(0, 'last')]
    expect(await encode(pieces, json)).toBe('{"results":[{"statement_id":0,"error":"last"}]}\n')
  })

  test('no statement at all', async () => {
    expect(await encode([], json)).toBe('{}\n')
  })

  test('indented', async () => {
    const table: Table = { ...floats, rows: [[1n, 1.5]], tags: { t: '' } }
    const list: ResultColumn = { type: 'list', lists: [['a', 'b']], validity: undefined }
    const lists = {
      ...batch({ result: 1, kinds: [], columns: ['l'], rows: [[]] }),
      columns: [list],
    }
    const pieces = [start(0), batch(table), start(1), lists, start(2, { messages: ['x'] })]
    expect(await encode(pieces, { ...json, isPretty: true })).toBe(`{
    "results": [
        {
            "statement_id": 0,
            "series": [
                {
                    "name": "m",
                    "tags": {
                        "t": ""
                    },
                    "columns": [
                        "time",
                        "f"
                    ],
                    "values": [
                        [
                            "1970-01-01T00:00:00.000000001Z",
                            1.5
                        ]
                    ]
                }
            ]
        },
        {
            "statement_id": 1,
            "series": [
                {
                    "name": "m",
                    "columns": [
                        "l"
                    ],
                    "values": [
                        [
                            [
                                "a",
                                "b"
                            ]
                        ]
                    ]
                }
            ]
        },
        {
            "statement_id": 2,
            "messages": [
                {
                    "level": "warning",
                    "text": "x"
                }
            ]
        }
    ]
}
`)
    expect(await encode([start(0), lists], json)).toContain('"values":[[["a","b"]]]')
  })
})

describe('chunks', () => {
  const chunked: ResultFormat = { ...json, chunkRows: 2, time: 'ns' }
  const head = (id: number, tags = '') =>
    `{"results":[{"statement_id":${id},"series":[{"name":"m",${tags}"columns":["time","f"],"values":`

  test('each is a document that says what goes on', async () => {
    const pieces = [
      start(0),
      batch({ ...floats, tags: { t: 'a' } }),
      batch({ ...floats, rows: [[9n, 1]], tags: { t: 'a' } }),
      batch({ ...floats, rows: [[9n, 1]], tags: { t: 'b' } }),
      start(1),
      start(2, { messages: ['w'] }),
      failure(2, 'no'),
      start(3),
      failure(3, 'not executed'),
    ]
    const a = '"tags":{"t":"a"},'
    expect((await encode(pieces, chunked)).split('\n')).toEqual([
      `${head(0, a)}[[-1500000001,123456789.125],[-1,0.000001]],"partial":true}],"partial":true}]}`,
      `${head(0, a)}[[1,1.5],[1500000000,1e-7]],"partial":true}],"partial":true}]}`,
      `${head(0, a)}[[9,1]]}],"partial":true}]}`,
      `${head(0, '"tags":{"t":"b"},')}[[9,1]]}]}]}`,
      '{"results":[{"statement_id":1}]}',
      '{"results":[{"statement_id":2,"error":"no"}]}',
      '{"results":[{"statement_id":3,"error":"not executed"}]}',
      '',
    ])
  })

  test('one that is just full is not partial', async () => {
    const two = batch({ ...floats, rows: floats.rows.slice(0, 2) })
    expect(await encode([start(0), two], chunked)).toBe(
      `${head(0)}[[-1500000001,123456789.125],[-1,0.000001]]}]}]}\n`,
    )
  })

  test('results that come in tables or in one', async () => {
    const names = (name: string, result: number) =>
      batch({ result, name, kinds: ['string'], columns: ['k'], rows: [['x'], ['y'], ['z']] })
    const pieces = [
      start(0, { chunks: 'tables' }),
      names('a', 0),
      names('b', 0),
      start(1, { chunks: 'one' }),
      names('a', 1),
      names('b', 1),
    ]
    const table = (name: string) =>
      `{"name":"${name}","columns":["k"],"values":[["x"],["y"],["z"]]}`
    expect((await encode(pieces, chunked)).split('\n')).toEqual([
      `{"results":[{"statement_id":0,"series":[${table('a')}]}]}`,
      `{"results":[{"statement_id":0,"series":[${table('b')}]}]}`,
      `{"results":[{"statement_id":1,"series":[${table('a')},${table('b')}]}]}`,
      '',
    ])
  })

  test('what is complete leaves while the source is slow', async () => {
    let isLate = true
    async function* slow(): AsyncGenerator<ResultPiece> {
      yield start(0)
      yield batch(floats)
      await new Promise((resolve) => setTimeout(resolve, 5))
      isLate = false
      yield batch({ ...floats, tags: { t: 'b' } })
    }
    const parts = encodeResults(streamOf(slow()), chunked)
    const first = await parts.next()
    expect(isLate).toBe(true)
    expect(Buffer.from(first.value as Uint8Array).toString()).toContain('"partial":true')
    await parts.return()
  })
})

describe('CSV', () => {
  test('as Go writes it', async () => {
    const text = batch({
      kinds: ['time', 'float', 'boolean', 'string', 'integer'],
      columns: ['time', 'g', 'b', 's', 'i'],
      rows: [
        [1n, 1e20, true, 'q"\\<&>\u2028', 9223372036854775807n],
        [2n, -0, false, 'line\nbreak,comma', null],
        [3n, null, null, ' x', -1n],
        [4n, 2.5, null, '\\.', null],
        [5n, -2.5, null, '', null],
      ],
      result: 1,
      tags: { a: '', b: 'x y', c: 'z' },
    })
    const pieces = [...allFloats, start(1), text, start(2), failure(2, 'no, thanks')]
    expect(await encode(pieces, csv)).toBe(`name,tags,time,f
m,,-1500000001,123456789.125
m,,-1,0.000001
m,,1,1.5
m,,1500000000,0.0000001
m,,1500000000000000000,1000000000000000000000
m,,1500000000123456700,0.${'0'.repeat(323)}5

name,tags,time,g,b,s,i
m,"b=x\\ y,c=z",1,100000000000000000000,true,"q""\\<&>\u2028",9223372036854775807
m,"b=x\\ y,c=z",2,-0,false,"line
break,comma",
m,"b=x\\ y,c=z",3,,," x",-1
m,"b=x\\ y,c=z",4,2.5,,"\\.",
m,"b=x\\ y,c=z",5,-2.5,,,

error
"no, thanks"
`)
  })

  test('other moments on request, other names where the columns change', async () => {
    const other: Table = { kinds: ['integer'], columns: ['n'], rows: [[1n]], name: 'o' }
    const pieces = [start(0), batch({ ...floats, rows: [[1500000000n, 1]] }), batch(other)]
    const rest = '\n\nname,tags,n\no,,1\n'
    expect(await encode(pieces, { ...csv, time: 's' })).toBe(`name,tags,time,f\nm,,1,1${rest}`)
    expect(await encode(pieces, { ...csv, time: 'rfc3339' })).toBe(
      `name,tags,time,f\nm,,1970-01-01T00:00:01.5Z,1${rest}`,
    )
  })
})

describe('the driver', () => {
  const many = (count: number): ResultPiece[] => {
    const rows = Array.from({ length: 1000 }, (_, i): Cell[] => [BigInt(i), `text ${i}`])
    const one = batch({ kinds: ['time', 'string'], columns: ['time', 's'], rows })
    return [start(0), ...Array<ResultPiece>(count).fill(one)]
  }

  test('large answers leave in pieces that make up the same text', async () => {
    const parts: Buffer[] = []
    for await (const part of encodeResults(streamOf(stream(many(20))), json))
      parts.push(Buffer.from(part))
    expect(parts.length).toBeGreaterThan(5)
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(100_000)
    const answer = JSON.parse(Buffer.concat(parts).toString())
    expect(answer.results[0].series[0].values).toHaveLength(20_000)
    expect(answer.results[0].series[0].values[19_999][1]).toBe('text 999')
  })

  test('a failure after bytes have left stands behind them', async () => {
    const answer = JSON.parse(await encode([...many(20), failure(0, 'late')], json))
    expect(answer.results[0].error).toBe('late')
    expect(answer.results[0].series[0].values).toHaveLength(20_000)
  })

  test('strings larger than the buffer', async () => {
    const long = '<'.repeat(300_000)
    const table = batch({
      kinds: ['string', 'float'],
      columns: ['s', 'f'],
      rows: [
        [long, 1],
        ['', 2],
      ],
    })
    const answer = JSON.parse(await encode([start(0), table], json))
    expect(answer.results[0].series[0].values).toEqual([
      [long, 1],
      ['', 2],
    ])
  })

  test('what the source throws', async () => {
    async function* broken(error: Error): AsyncGenerator<ResultPiece> {
      yield start(0)
      throw error
    }
    const text = async (error: Error) => {
      let all = ''
      for await (const part of encodeResults(streamOf(broken(error)), json))
        all += Buffer.from(part)
      return all
    }
    const interrupted = new UserError('invalid', 'query interrupted')
    expect(await text(interrupted)).toBe(
      '{"results":[{"statement_id":0,"error":"query interrupted"}]}\n',
    )
    await expect(text(new Error('BUG: x'))).rejects.toThrow('BUG: x')
  })

  test('what refuses the request as a whole is thrown, as long as nothing came before', async () => {
    const refusal = (error: Error) => (error.message === 'no' ? new Error('refused') : undefined)
    const text = async (pieces: AsyncIterable<ResultPiece>) => {
      let all = ''
      const parts = encodeResults(streamOf(pieces), json, { refusal })
      for await (const part of parts) all += Buffer.from(part)
      return all
    }
    await expect(text(stream([start(0), failure(0, 'no')]))).rejects.toThrow('refused')
    const told = '{"results":[{"statement_id":0,"error":"but"}]}\n'
    expect(await text(stream([start(0), failure(0, 'but')]))).toBe(told)
    const later = [start(0), start(1), failure(1, 'no')]
    expect(await text(stream(later))).toContain('{"statement_id":1,"error":"no"}')
    async function* broken(pieces: ResultPiece[]): AsyncGenerator<ResultPiece> {
      yield* pieces
      throw new UserError('unavailable', 'elsewhere')
    }
    await expect(text(broken([]))).rejects.toThrow('elsewhere')
    await expect(text(broken([start(0)]))).rejects.toThrow('elsewhere')
    expect(await text(broken([start(0), batch(floats)]))).toContain('"error":"elsewhere"')
  })

  test('answers that are encoded side by side share no memory', async () => {
    const alone = await encode(allFloats, json)
    for (let round = 0; round < 3; round++) {
      const answers = Array.from({ length: 10 }, () =>
        encodeResults(streamOf(stream(allFloats)), json),
      )
      const parts = await Promise.all(answers.map((answer) => answer.next()))
      for (const { value } of parts) expect(Buffer.from(value ?? []).toString()).toBe(alone)
      expect(answers.every(({ isLast }) => isLast)).toBe(true)
      for (const answer of answers) expect((await answer.next()).done).toBe(true)
      for (const answer of answers) expect((await answer.return()).done).toBe(true)
    }
  })

  test('a reader that leaves closes the source', async () => {
    let isClosed = false
    async function* endless(): AsyncGenerator<ResultPiece> {
      try {
        for (;;) yield* many(1)
      } finally {
        isClosed = true
      }
    }
    for await (const _part of encodeResults(streamOf(endless()), json)) break
    expect(isClosed).toBe(true)
  })
})
