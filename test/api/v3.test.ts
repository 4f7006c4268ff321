// The endpoints of v3 clients over HTTP in both variants: queries in SQL and InfluxQL in every format,
// writes with their switches, errors in their own form, and who may do what.

import { request as httpRequest } from 'node:http'
import { expect, it, vi } from 'vitest'
import { cluster } from './cluster-client.js'
import { type Answer, adminToken, install, send } from './harness.js'

const lines = `home,room=Kitchen temp=21.5,co=1i,note="a ""b"", c" 1641024000000000000
home,room=Hall temp=22 1641024001500000000`.replaceAll('""', '\\"')

interface Place {
  readonly url: string
  readonly token: string
}

async function places(): Promise<Place[]> {
  const { url, makeDatabase } = await cluster()
  await makeDatabase('d')
  const managed = await install()
  const made: Place[] = [
    { url, token: adminToken },
    { url: managed.url, token: managed.token },
  ]
  for (const place of made) {
    // The managed variant's first bucket has the name that the setup gave.
    const written = await write(place, `db=${databaseOf(place, made)}&precision=nanosecond`, lines)
    expect(written.status).toBe(204)
  }
  return made
}

function databaseOf(place: Place, all: readonly Place[]): string {
  return place === all[0] ? 'd' : 'b'
}

function write({ url, token }: Place, query: string, body: string): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` }
  return send(`${url}/api/v3/write_lp?${query}`, { method: 'POST', headers, body })
}

function post({ url, token }: Place, language: string, body: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return send(`${url}/api/v3/query_${language}`, { method: 'POST', headers, body: text })
}

it('answers SQL in every format', async () => {
  const all = await places()
  for (const place of all) {
    const db = databaseOf(place, all)
    const q = 'SELECT time, room, temp, co, note FROM home ORDER BY time'
    const json = await post(place, 'sql', { db, q })
    expect(json.status).toBe(200)
    expect(json.headers['content-type']).toBe('application/json')
    const [first, second] = [
      { time: '2022-01-01T08:00:00', room: 'Kitchen', temp: 21.5, co: 1, note: 'a "b", c' },
      { time: '2022-01-01T08:00:01.5', room: 'Hall', temp: 22 },
    ]
    expect(json.json).toEqual([first, second])
    const jsonl = await post(place, 'sql', { db, q, format: 'jsonl' })
    expect(jsonl.text).toBe(`${JSON.stringify(first)}\n${JSON.stringify(second)}\n`)
    const csv = await post(place, 'sql', { db, q, format: 'csv' })
    expect(csv.headers['content-type']).toBe('text/csv')
    expect(csv.text).toBe(
      'time,room,temp,co,note\n2022-01-01T08:00:00,Kitchen,21.5,1,"a ""b"", c"\n2022-01-01T08:00:01.5,Hall,22,,\n',
    )
    const pretty = await post(place, 'sql', {
      db,
      q: 'SELECT room FROM home ORDER BY 1',
      format: 'pretty',
    })
    expect(pretty.text).toBe(
      '+---------+\n| room    |\n+---------+\n| Hall    |\n| Kitchen |\n+---------+\n',
    )
    const empty = await post(place, 'sql', { db, q: 'SELECT room FROM home WHERE false' })
    expect(empty.text).toBe('[]')
    const head = await post(place, 'sql', {
      db,
      q: 'SELECT room FROM home WHERE false',
      format: 'csv',
    })
    expect(head.text).toBe('room\n')
    const parquet = await post(place, 'sql', { db, q, format: 'parquet' })
    expect(parquet.status).toBe(200)
    expect(parquet.headers['content-type']).toBe('application/vnd.apache.parquet')
    expect(parquet.text).toMatch(/^PAR1[\s\S]*Kitchen[\s\S]*PAR1$/)
    const unknown = await post(place, 'sql', { db, q: 'SELECT nope FROM home', format: 'parquet' })
    expect(unknown).toMatchObject({ status: 400, json: { data: null } })
  }
})

it('takes parameters in the URL and in the body', async () => {
  const all = await places()
  for (const place of all) {
    const db = databaseOf(place, all)
    const q = 'SELECT temp FROM home WHERE room = $room'
    const params = { room: 'Hall' }
    expect((await post(place, 'sql', { db, q, params })).json).toEqual([{ temp: 22 }])
    const query = new URLSearchParams({ db, q, params: JSON.stringify(params), format: 'jsonl' })
    const headers = { authorization: `Token ${place.token}` }
    const got = await send(`${place.url}/api/v3/query_sql?${query}`, { headers })
    expect(got.text).toBe('{"temp":22}\n')
    const accept = { ...headers, accept: 'text/csv' }
    query.delete('format')
    const csv = await send(`${place.url}/api/v3/query_sql?${query}`, { headers: accept })
    expect(csv.text).toBe('temp\n22\n')
  }
})

it('answers InfluxQL with the measurement and the tags as columns', async () => {
  const all = await places()
  for (const place of all) {
    const db = databaseOf(place, all)
    const q = 'SELECT mean(temp) FROM home GROUP BY room'
    const { status, json } = await post(place, 'influxql', { db, q })
    expect(status).toBe(200)
    expect(json).toEqual([
      { 'iox::measurement': 'home', time: '1970-01-01T00:00:00', room: 'Hall', mean: 22 },
      { 'iox::measurement': 'home', time: '1970-01-01T00:00:00', room: 'Kitchen', mean: 21.5 },
    ])
    const shown = await post(place, 'influxql', { db, q: 'SHOW MEASUREMENTS', format: 'csv' })
    expect(shown.text).toBe('iox::measurement,name\nmeasurements,home\n')
  }
})

it('tells errors in the v3 form', async () => {
  const all = await places()
  for (const place of all) {
    const db = databaseOf(place, all)
    const q = 'SELECT 1'
    const planning = 'Error while planning query: Error during planning:'
    const cases: [unknown, number, string][] = [
      [{ db, q: 'SELECT * FROM nope' }, 404, `${planning} table 'public.iox.nope' not found`],
      [{ db, q: 'DROP TABLE home' }, 400, `${planning} DDL not supported: DROP`],
      [{ db: 'nope', q }, 404, 'database not found: nope'],
      [{ q }, 400, "missing query parameter 'db'"],
      [{ db }, 400, "missing query parameter 'q'"],
      [
        { db, q, format: 'xml' },
        400,
        'unknown format "xml": use json, jsonl, csv, parquet, arrow or pretty',
      ],
      [{ db, q, params: [] }, 400, 'params must be a JSON object'],
      [[], 400, 'the body must be a JSON object with db and q'],
    ]
    for (const [body, status, error] of cases) {
      expect(await post(place, 'sql', body)).toMatchObject({ status, json: { error, data: null } })
    }
    expect((await post(place, 'sql', '{')).status).toBe(400)
    const nobody = await post({ url: place.url, token: 'wrong' }, 'sql', { db, q })
    expect(nobody).toMatchObject({ status: 401, json: { data: null } })
    const without = await send(`${place.url}/api/v3/query_sql?db=${db}&q=SELECT+1`)
    expect(without.status).toBe(401)
  }
})

it('writes lines in every precision, and names those that it refuses', async () => {
  const all = await places()
  for (const place of all) {
    const db = databaseOf(place, all)
    const precisions: [string, string][] = [
      ['second', '1641024010'],
      ['millisecond', '1641024011000'],
      ['microsecond', '1641024012000000'],
      ['nanosecond', '1641024013000000000'],
      ['auto', '1641024014'],
      ['', '1641024015000'],
    ]
    for (const [name, time] of precisions) {
      const precision = name === '' ? '' : `&precision=${name}`
      const { status } = await write(place, `db=${db}&no_sync=true${precision}`, `p v=1 ${time}`)
      expect(status).toBe(204)
    }
    const times = await post(place, 'sql', { db, q: 'SELECT time FROM p ORDER BY time' })
    const expected = precisions.map((_, i) => ({ time: `2022-01-01T08:00:${10 + i}` }))
    expect(times.json).toEqual(expected)
    const bad = 'w v=1 1641024000000000000\nw v=\nw v=2 1641024001000000000'
    const partial = await write(place, `db=${db}`, bad)
    expect(partial.status).toBe(400)
    expect(partial.json.error).toBe('partial write of line protocol occurred')
    expect(partial.json.data).toMatchObject([{ original_line: 'w v=', line_number: 2 }])
    const counted = await post(place, 'sql', { db, q: 'SELECT count(*) AS n FROM w' })
    expect(counted.json).toEqual([{ n: 2 }])
    const none = await write(place, `db=${db}&accept_partial=false`, bad.replaceAll('w ', 'x '))
    expect(none.status).toBe(400)
    expect(none.json).toEqual({
      error: 'line protocol parsing error',
      data: {
        original_line: 'x v=',
        line_number: 2,
        error_message: partial.json.data[0].error_message,
      },
    })
    expect((await post(place, 'sql', { db, q: 'SELECT * FROM x' })).status).toBe(404)
    const conflict = await write(
      place,
      `db=${db}&accept_partial=false`,
      'w v=7 7\nw v="x" 8\ny v=1',
    )
    expect(conflict.json).toMatchObject({
      error: 'line protocol parsing error',
      data: { original_line: 'w v="x" 8', line_number: 2 },
    })
    expect((await post(place, 'sql', { db, q: 'SELECT count(*) AS n FROM w' })).json).toEqual([
      { n: 2 },
    ])
    expect((await post(place, 'sql', { db, q: 'SELECT * FROM y' })).status).toBe(404)
    expect((await write(place, `db=${db}&precision=hour`, 'w v=1')).status).toBe(400)
    expect((await write(place, `db=${db}&accept_partial=maybe`, 'w v=1')).status).toBe(400)
    expect((await write(place, '', 'w v=1')).status).toBe(400)
  }
})

it('shows every line that it refuses', async () => {
  for (const place of await places()) {
    const db = place.token === adminToken ? 'd' : 'b'
    const long = `long v="${'é'.repeat(3000)}",`
    const lines = ['n v=1', ' n v="two\nlines"', '', 'bad ü', 'n v=2', 'n v=true\r', long]
    const { status, json } = await write(place, `db=${db}`, lines.join('\n'))
    expect([status, json.error]).toEqual([400, 'partial write of line protocol occurred'])
    const [second, third, fourth, fifth] = json.data
    expect(second).toMatchObject({ line_number: 2, original_line: 'n v="two\nlines"' })
    expect(second.error_message).toMatch(/^field type conflict: /)
    expect(third).toMatchObject({ line_number: 5, original_line: 'bad ü' })
    expect(fourth).toMatchObject({ line_number: 7, original_line: 'n v=true' })
    expect(fifth).toMatchObject({ line_number: 8, original_line: long.slice(0, 1000) })
    const many = await write(place, `db=${db}`, 'bad\n'.repeat(150))
    expect(many.json.data).toHaveLength(100)
    expect(many.json.data[99]).toMatchObject({ line_number: 100, original_line: 'bad' })
  }
})

it('counts writes without a precision among the others, and holds them to the same limits', async () => {
  const { server, url, makeDatabase } = await cluster({ writeRequestsMax: 1 })
  await makeDatabase('d')
  const place = { url, token: adminToken }
  expect((await write(place, 'db=d', 'm v=1')).status).toBe(204)
  const metrics = await send(`${url}/metrics`, { token: adminToken })
  expect(metrics.text).toMatch(/^millrace_write_points_total 1$/m)
  const headers = { authorization: `Bearer ${adminToken}`, 'content-length': 100 }
  const unfinished = httpRequest(`${url}/api/v3/write_lp?db=d`, { method: 'POST', headers })
  unfinished.on('error', () => undefined)
  unfinished.write('m')
  const full = await vi.waitFor(async () => {
    const answer = await write(place, 'db=d', 'm v=1')
    expect(answer.status).toBe(503)
    return answer
  }, 10_000)
  expect(full.json).toEqual({ error: expect.any(String), data: null })
  unfinished.destroy()
  await vi.waitFor(
    async () => expect((await write(place, 'db=d', 'm v=1')).status).toBe(204),
    10_000,
  )
  vi.spyOn(server.store, 'write').mockRejectedValueOnce(new Error('out of order'))
  const broken = await write(place, 'db=d', 'm v=1')
  expect(broken.status).toBe(500)
  expect(broken.json).toEqual({
    error: expect.stringMatching(/^An internal error has occurred/),
    data: null,
  })
})

it('holds tokens of databases to what they are for', async () => {
  const place = await cluster()
  await place.makeDatabase('a')
  await place.makeDatabase('b')
  const reader = await place.giveToken(['a'], ['read'])
  const writer = await place.giveToken(['a'], ['write'])
  const asReader = { url: place.url, token: reader.token }
  const asWriter = { url: place.url, token: writer.token }
  expect((await write(asWriter, 'db=a', 'm v=1')).status).toBe(204)
  expect((await write(asReader, 'db=a', 'm v=1')).status).toBe(401)
  expect((await write(asWriter, 'db=b', 'm v=1')).status).toBe(401)
  expect((await write(asWriter, 'db=new', 'm v=1')).status).toBe(401)
  const q = 'SELECT v FROM m'
  for (const language of ['sql', 'influxql']) {
    expect((await post(asReader, language, { db: 'a', q })).status).toBe(200)
    expect((await post(asWriter, language, { db: 'a', q })).status).toBe(401)
    expect((await post(asReader, language, { db: 'b', q })).status).toBe(401)
  }
})

it('streams large answers', async () => {
  const { url, makeDatabase } = await cluster()
  await makeDatabase('d')
  const place = { url, token: adminToken }
  const count = 30_000
  const rows = Array.from({ length: count }, (_, i) => `m,t=h${i % 7} v=${i}i,s="text ${i}" ${i}`)
  expect((await write(place, 'db=d&precision=nanosecond', rows.join('\n'))).status).toBe(204)
  const q = 'SELECT v, s, t FROM m ORDER BY v'
  const { json } = await post(place, 'sql', { db: 'd', q })
  expect(json.length).toBe(count)
  expect(json[count - 1]).toEqual({
    v: count - 1,
    s: `text ${count - 1}`,
    t: `h${(count - 1) % 7}`,
  })
  const csv = await post(place, 'sql', { db: 'd', q, format: 'csv' })
  const lines = csv.text.split('\n')
  expect(lines.length).toBe(count + 2)
  expect(lines[12_346]).toBe('12345,text 12345,h4')
})
