// A ClickHouse that cannot take more now: whoever writes is told to come back, nothing that was acknowledged is lost,
// and when there is room again everything goes on.

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/index.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { makeTables } from '../../src/store/clickhouse/open.js'
import { adminToken, send } from '../api/client.js'
import {
  type ClickhouseServer,
  clickhouseMissing,
  startClickhouse,
} from '../store/clickhouse-servers.js'

let clickhouse: ClickhouseServer

/** Says something to ClickHouse itself. */
async function tell(address: string, sql: string): Promise<string> {
  const { endpoints, user, database } = requireAddress(address)
  const answer = await fetch(`${endpoints[0]}/?user=${user}&database=${database}`, {
    method: 'POST',
    body: sql,
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}

describe.skipIf(clickhouseMissing !== undefined)('ClickHouse without room', () => {
  beforeAll(async () => {
    clickhouse = await startClickhouse()
  }, 60_000)

  afterAll(() => clickhouse?.stop(), 60_000)

  it('with too many parts: 503 and Retry-After, and then as before', async () => {
    const store = clickhouse.newAddress()
    await makeTables(requireAddress(store), () => undefined)
    const made = await tell(store, 'SHOW CREATE TABLE points_f4 FORMAT TSVRaw')
    await tell(store, 'DROP TABLE points_f4')
    // One part of a span is too many already.
    await tell(store, `${made.trim()}, parts_to_delay_insert = 1, parts_to_throw_insert = 1`)
    const server = await startServer({ jobs: 'inline', adminToken, store })
    onTestFinished(() => server.close())
    const json = JSON.stringify({ username: 'u', password: 'password', org: 'o', bucket: 'b' })
    const { token } = (await send(`${server.url}/api/v2/setup`, { method: 'POST', body: json }))
      .json.auth
    const now = BigInt(Date.now()) * 1_000_000n
    const write = (i: number) => {
      const path = `${server.url}/api/v2/write?org=o&bucket=b`
      return send(path, { method: 'POST', token, body: `m,t=a v=${i} ${now + BigInt(i)}` })
    }
    let kept = 0
    let refused: Awaited<ReturnType<typeof write>> | undefined
    for (let i = 0; i < 10 && refused === undefined; i++) {
      const answer = await write(i)
      if (answer.status === 204) kept++
      else refused = answer
    }
    expect(refused).toMatchObject({ status: 503, json: { code: 'unavailable' } })
    expect(refused?.headers['retry-after']).toMatch(/^\d+$/)
    expect(refused?.text).toContain('too many parts')
    const count = async () => {
      const { json } = await send(`${server.url}/query?db=b&q=SELECT+count(v)+FROM+m`, { token })
      return json.results[0].series[0].values[0][1]
    }
    expect(await count()).toBe(kept)
    // What an operator may do about it.
    await tell(store, 'RENAME TABLE points_f4 TO full')
    await tell(store, made)
    await tell(store, 'INSERT INTO points_f4 SELECT * FROM full')
    expect((await write(100)).status).toBe(204)
    expect(await count()).toBe(kept + 1)
  }, 60_000)
})
