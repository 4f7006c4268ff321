// Last-value and distinct-value caches of v3, in both variants: defined over HTTP, read in SQL.

import { expect, it } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { cluster } from './cluster-client.js'
import { type Answer, adminToken, install, send } from './harness.js'

const second = 1_000_000_000n
const hour = 3600n * second
const now = 1_700_000_000n * second

const lines = [
  `Home,room=a,floor=1 Temp=1,name="x" ${now - 5n * hour}`,
  `Home,room=a,floor=1 Temp=2,name="x" ${now - 3n * hour}`,
  `Home,room=a,floor=1 Temp=3 ${now - 2n * hour}`,
  `Home,room=b,floor=1 Temp=4,n=7i ${now - 1n * hour}`,
  `Home,room=b Temp=5 ${now - second}`,
].join('\n')

interface Here {
  configure(method: string, path: string, body?: object): Promise<Answer>
  sql(text: string): Promise<Answer>
}

async function here(variant: 'managed' | 'cluster'): Promise<Here> {
  const clock = new ManualClock(now)
  const { url, token, db } =
    variant === 'cluster'
      ? { url: (await cluster({ clock })).url, token: adminToken, db: 'b' }
      : { ...(await install({ clock })), db: 'b' }
  const write = `${url}/api/v3/write_lp?db=${db}&precision=ns`
  expect((await send(write, { method: 'POST', token, body: lines })).status).toBe(204)
  return {
    configure: (method, path, body) =>
      send(`${url}/api/v3/configure/${path}`, {
        method,
        token,
        ...(body === undefined ? {} : { body: JSON.stringify({ db, ...body }) }),
      }),
    sql: (q) =>
      send(`${url}/api/v3/query_sql`, {
        method: 'POST',
        token,
        body: JSON.stringify({ db, q, format: 'json' }),
      }),
  }
}

const rows = async (answer: Promise<Answer>) => {
  const { status, json, text } = await answer
  expect(status, text).toBe(200)
  return json
}

it.each(['managed', 'cluster'] as const)('last values by key, %s', async (variant) => {
  const { configure, sql } = await here(variant)
  const made = await configure('POST', 'last_cache', { table: 'Home', key_columns: ['room'] })
  expect([made.status, made.json]).toEqual([
    201,
    {
      table: 'Home',
      name: 'Home_room_last_cache',
      key_columns: ['room'],
      value_columns: null,
      count: 1,
      ttl: 14_400,
    },
  ])
  const last = await rows(sql("select * from last_cache('Home') order by room"))
  expect(last.map((row: Record<string, unknown>) => [row.room, row.Temp])).toEqual([
    ['a', 3],
    ['b', 5],
  ])
  expect(Object.keys(last[0])[0]).toBe('room')
  const two = { table: 'Home', name: 'Two', value_columns: ['Temp'], count: 2, ttl: 4 * 3600 }
  expect((await configure('POST', 'last_cache', two)).status).toBe(201)
  // Rows without one of the keys, here all tags, are in no cache; the oldest one is too old.
  const named = `select room, c."Temp" as t from last_cache('Home', 'Two') as c order by t`
  expect(await rows(sql(named))).toEqual([
    { room: 'a', t: 2 },
    { room: 'a', t: 3 },
    { room: 'b', t: 4 },
  ])
  // A name of a WITH clause does not hide the table.
  const hidden = `with "Home" as (select 1 as x) select count(*) as n from last_cache('Home', 'Two')`
  expect(await rows(sql(hidden))).toEqual([{ n: 3 }])
  const joined = `select l.room from last_cache('Home', 'Two') l join "Home" h
    on h.time = l.time and h.room = l.room where l."Temp" = 4`
  expect(await rows(sql(joined))).toEqual([{ room: 'b' }])
  // Without a name there must be one only.
  const several = await sql(`select * from last_cache('Home')`)
  expect(several.status).toBe(400)
  expect(several.text).toContain('could not find cache for the given arguments')
  const gone = await configure('DELETE', 'last_cache?db=b&table=Home&name=Two')
  expect([gone.status, gone.json.count]).toEqual([200, 2])
  expect(await rows(sql(`select count(*) as n from last_cache('Home')`))).toEqual([{ n: 2 }])
  expect((await configure('DELETE', 'last_cache', { table: 'Home', name: 'Two' })).status).toBe(404)
})

it.each(['managed', 'cluster'] as const)('distinct values, %s', async (variant) => {
  const { configure, sql } = await here(variant)
  const made = await configure('POST', 'distinct_cache', {
    table: 'Home',
    columns: ['room', 'floor'],
  })
  expect([made.status, made.json]).toEqual([
    201,
    {
      table_name: 'Home',
      cache_name: 'Home_room_floor_distinct_cache',
      columns: ['room', 'floor'],
      max_cardinality: 100_000,
      max_age_seconds: 86_400,
    },
  ])
  expect(await rows(sql(`select * from distinct_cache('Home')`))).toEqual([
    { room: 'a', floor: '1' },
    { room: 'b' },
    { room: 'b', floor: '1' },
  ])
  const few = { table: 'Home', name: 'few', columns: ['room', 'name'], max_cardinality: 2 }
  expect((await configure('POST', 'distinct_cache', few)).status).toBe(201)
  expect(await rows(sql(`select * from distinct_cache('Home', 'few')`))).toEqual([
    { room: 'a' },
    { room: 'b' },
  ])
  const young = { table: 'Home', name: 'young', columns: ['room'], max_age: 5400 }
  expect((await configure('POST', 'distinct_cache', young)).status).toBe(201)
  expect(await rows(sql(`select room from distinct_cache('Home', 'young')`))).toEqual([
    { room: 'b' },
  ])
  const gone = await configure('DELETE', 'distinct_cache', { table: 'Home', name: 'young' })
  expect(gone.status).toBe(200)
  expect((await sql(`select * from distinct_cache('Home', 'young')`)).status).toBe(400)
})

it('refuses what does not fit the table', async () => {
  const { configure, sql } = await here('cluster')
  const table = 'Home'
  const cases: [kind: string, body: object, status: number, message: string][] = [
    ['last_cache', { table: 'none' }, 404, 'table not found: none'],
    ['last_cache', { table, key_columns: ['x'] }, 400, 'invalid key column provided: x'],
    ['last_cache', { table, key_columns: ['Temp'] }, 400, 'key column "Temp" has the type float'],
    ['last_cache', { table, key_columns: ['time'] }, 400, 'key column "time" has the type time'],
    ['last_cache', { table, key_columns: ['room', 'room'] }, 400, 'is given twice'],
    ['last_cache', { table, value_columns: ['x'] }, 400, 'invalid value column provided: x'],
    ['last_cache', { table, value_columns: ['room'] }, 400, 'cannot be a key and a value'],
    ['last_cache', { table, count: 11 }, 400, 'count'],
    ['last_cache', { table, ttl: 0 }, 400, 'ttl'],
    ['distinct_cache', { table, columns: [] }, 400, 'no columns provided'],
    ['distinct_cache', { table, columns: ['x'] }, 400, 'invalid column provided: x'],
    ['distinct_cache', { table, columns: ['n'] }, 400, 'column "n" has the type integer'],
    ['distinct_cache', { table, columns: ['room'], max_cardinality: 0 }, 400, 'max_cardinality'],
    ['distinct_cache', { table, columns: ['room'], db: 'none' }, 404, 'database not found: none'],
  ]
  for (const [kind, body, status, message] of cases) {
    const answer = await configure('POST', kind, body)
    expect([JSON.stringify(body), answer.status]).toEqual([JSON.stringify(body), status])
    expect(answer.text).toContain(message.replaceAll('"', '\\"'))
  }
  await configure('POST', 'last_cache', { table, name: 'one' })
  const again = await configure('POST', 'last_cache', { table, name: 'one', count: 2 })
  expect(again.status).toBe(409)
  for (const call of ['last_cache(1)', `last_cache('none')`, `last_cache('${table}', 1)`]) {
    expect([call, (await sql(`select * from ${call}`)).status]).toEqual([call, 400])
  }
  // A table takes its caches with it.
  expect((await configure('DELETE', `table?db=b&table=${table}`)).status).toBe(200)
  const gone = await configure('DELETE', `last_cache?db=b&table=${table}&name=one`)
  expect(gone.status).toBe(404)
})
