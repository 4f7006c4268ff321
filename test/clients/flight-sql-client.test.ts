// The Flight SQL client in Rust, as its package for Node brings it: arrow-rs reads our messages, and is stricter than
// Arrow's other libraries. What it hands out is Arrow's file format, which Arrow's own library reads.

import {
  createFlightSqlClient,
  type FlightSqlClient,
  rustCrateVersion,
} from '@lakehouse-rs/flight-sql-client'
import { tableFromIPC } from 'apache-arrow'
import { describe, expect, test } from 'vitest'
import { rowsOf } from '../flight/flight-client.js'
import { type Place, placeOf, type Variant } from '../flight/places.js'

function clientOf({ host, token }: Place): Promise<FlightSqlClient> {
  const { hostname, port } = new URL(host)
  return createFlightSqlClient({
    headers: [{ key: 'database', value: 'b' }],
    token,
    tls: false,
    host: hostname,
    port: Number(port),
  })
}

const table = async (answer: Promise<Buffer>) => rowsOf(tableFromIPC(await answer))

describe.each<Variant>(['managed', 'cluster'])('%s', (variant) => {
  test('rows of all types', async () => {
    const client = await clientOf(await placeOf(variant))
    expect(rustCrateVersion()).toMatch(/^\d/)
    expect(
      await table(client.query('SELECT room, temp, co, ok, note FROM home ORDER BY time')),
    ).toEqual([
      { room: 'Kitchen', temp: 21.5, co: 9n, ok: true, note: 'warm' },
      { room: 'Bath', temp: 19, co: null, ok: null, note: null },
      { room: 'Kitchen', temp: 22.5, co: null, ok: null, note: null },
    ])
  })

  test('answers without rows, and of calls', async () => {
    const client = await clientOf(await placeOf(variant))
    expect(await table(client.query("SELECT * FROM home WHERE room = 'none'"))).toEqual([])
    const counted = await table(
      client.query('SELECT room, count(*) AS n FROM home GROUP BY room ORDER BY n'),
    )
    expect(counted).toEqual([
      { room: 'Bath', n: 1n },
      { room: 'Kitchen', n: 2n },
    ])
  })

  test('what there is', async () => {
    const client = await clientOf(await placeOf(variant))
    expect(await table(client.getCatalogs())).toEqual([{ catalog_name: 'public' }])
    const schemas = await table(client.getDbSchemas({}))
    expect(schemas).toContainEqual({ catalog_name: 'public', db_schema_name: 'iox' })
    const [home] = await table(client.getTables({ tableNameFilterPattern: 'ho%' }))
    expect(home).toMatchObject({ table_name: 'home', table_type: 'BASE TABLE' })
    const described = await table(client.getTables({ includeSchema: true, tableTypes: ['VIEW'] }))
    expect(described.length).toBeGreaterThan(0)
  })

  // It keeps the server's words to itself.
  test('errors are told', async () => {
    const client = await clientOf(await placeOf(variant))
    await expect(client.query('SELECT * FROM nowhere')).rejects.toThrow(
      'failed to prepare statement',
    )
  })
})
