// Limits of tables and columns, which the management interface of v3 clusters sets: every way to write is held to them,
// in the words of those clusters; what has room is stored.

import { expect, it } from 'vitest'
import { type Cluster, cluster } from './cluster-client.js'
import { send, adminToken as token } from './harness.js'

const databases = (here: Cluster) => `${here.url}/api/v0/accounts/a/clusters/c/databases`

async function limited(limits: object): Promise<Cluster> {
  const here = await cluster()
  const body = JSON.stringify({ name: 'd', ...limits })
  expect((await send(databases(here), { method: 'POST', token, body })).status).toBe(200)
  return here
}

const write = (here: Cluster, body: string, path = '/api/v2/write?bucket=d') =>
  send(here.url + path, { method: 'POST', token, body })

async function tables(here: Cluster): Promise<string[]> {
  const { json } = await send(`${here.url}/query?db=d&q=show+measurements`, { token })
  return json.results[0].series?.[0].values.flat() ?? []
}

const tablesText = (count: number, after: number, max: number) =>
  `service limit reached: couldn't create new table; namespace contains ${count} existing tables, ` +
  `applying this write would result in ${after} tables, limit is ${max}`

const columnsText = (count: number, after: number, max: number) =>
  `service limit reached: couldn't create columns in table \`m\`; table contains ${count} existing ` +
  `columns, applying this write would result in ${after} columns, limit is ${max}`

it('takes no more tables than there may be', async () => {
  const here = await limited({ maxTables: 2 })
  expect((await write(here, 'a f=1')).status).toBe(204)
  for (const path of ['/api/v2/write?bucket=d', '/write?db=d', '/api/v3/write_lp?db=d']) {
    const refused = await write(here, 'a f=2\nb f=1\nc f=1\ne f=1', path)
    expect([path, refused.status]).toEqual([path, 400])
    const isFirst = path === '/api/v2/write?bucket=d'
    expect(refused.text).toContain(isFirst ? tablesText(1, 4, 2) : tablesText(2, 4, 2))
    expect(await tables(here)).toEqual(['a', 'b'])
  }
  const table = await here.manage('POST', 'table', { db: 'd', table: 't', tags: ['x'] })
  expect([table.status, table.json.message]).toEqual([400, 'the database has 2 tables, limit is 2'])
  const into = `${here.url}/query?db=d&q=${encodeURIComponent('select f into z from a')}`
  const copied = await send(into, { method: 'POST', token })
  expect(copied.json.results[0].error).toContain(tablesText(2, 3, 2))
  const more = { method: 'PATCH', token, body: JSON.stringify({ maxTables: 3 }) }
  expect((await send(`${databases(here)}/d`, more)).status).toBe(200)
  expect((await write(here, 'c f=1')).status).toBe(204)
  expect(await tables(here)).toEqual(['a', 'b', 'c'])
})

it('takes no more columns than a table may have: time, tags and fields', async () => {
  const here = await limited({ maxColumnsPerTable: 4 })
  expect((await write(here, 'm,t=1 f=1')).status).toBe(204)
  expect((await write(here, 'm,t=1 f=1,g=1')).status).toBe(204)
  const refused = await write(here, 'm,t=2 f=2\nm,t=2 h=1\nm,u=1 f=3\nm,t=2 g=4')
  expect(refused.status).toBe(400)
  expect(refused.text).toContain(columnsText(4, 6, 4))
  expect(refused.json.line).toBe(2)
  const rows = await send(`${here.url}/query?db=d&q=select+*+from+m`, { token })
  expect(rows.json.results[0].series[0].columns).toEqual(['time', 'f', 'g', 't'])
  expect((await write(here, 'm,t=1 f=1,g=1')).status).toBe(204)
  expect((await write(here, 'wide a=1,b=1,c=1,d=1')).status).toBe(400)
  expect(await tables(here)).toEqual(['m'])
  const all = await write(here, 'm,t=9 f=9\nm h=1', '/api/v3/write_lp?db=d&accept_partial=false')
  expect(all.status).toBe(400)
  const found = await send(`${here.url}/query?db=d&q=select+f+from+m+where+t='9'`, { token })
  expect(found.json.results[0].series).toBeUndefined()
})
