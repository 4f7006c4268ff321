// Flight SQL as Grafana's SQL mode and the drivers speak it: what there is, statements, prepared statements
// with parameters. The client puts its messages together itself.

import {
  Field,
  Float64,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
} from 'apache-arrow'
import { expect, test } from 'vitest'
import {
  command,
  descriptor,
  FlightClient,
  field,
  fieldsOf,
  first,
  message,
  numberField,
  rowsOf,
} from './flight-client.js'
import { placeOf, type Variant } from './places.js'

const variants = ['managed', 'cluster'] as const

async function clientOf(variant: Variant): Promise<FlightClient> {
  const { host, token } = await placeOf(variant)
  return new FlightClient(host, { authorization: `Bearer ${token}`, database: 'b' })
}

const statement = (text: string) => command('CommandStatementQuery', field(1, text))

test.each(variants)('%s: a conversation as Grafana holds it', async (variant) => {
  const client = await clientOf(variant)
  // Its check whether the data source works.
  expect(rowsOf(await client.ask(statement('select 1')))).toHaveLength(1)
  const tables = await client.ask(
    statement(
      'SELECT table_name FROM information_schema.tables WHERE table_schema = database() ORDER BY table_name',
    ),
  )
  expect(rowsOf(tables)).toEqual([{ table_name: 'home' }])
  const series = await client.ask(
    statement(`SELECT date_bin(interval '60 second', time, timestamp '1970-01-01T00:00:00Z') AS time,
      room, avg(temp) AS temp FROM home
      WHERE time >= cast('2023-11-14T00:00:00Z' as timestamp) AND time <= cast('2023-11-15T00:00:00Z' as timestamp)
      GROUP BY 1, room ORDER BY 1, room`),
  )
  expect(series.schema.fields.map(({ name, type }) => `${name} ${type}`)).toEqual([
    'time Timestamp<NANOSECOND>',
    'room Utf8',
    'temp Float64',
  ])
  expect(rowsOf(series).map(({ room, temp }) => [room, temp])).toEqual([
    ['Bath', 19],
    ['Kitchen', 21.5],
    ['Kitchen', 22.5],
  ])
})

test('the answer is described before it is fetched', async () => {
  const client = await clientOf('cluster')
  const asked = descriptor(statement('SELECT room, temp FROM home'))
  const info = await client.unary('GetFlightInfo', asked)
  expect(first(info, 2).equals(asked)).toBe(true)
  const fields = (bytes: Buffer) => {
    return tableFromIPC(bytes).schema.fields.map(({ name, type }) => `${name} ${type}`)
  }
  expect(fields(first(info, 1))).toEqual(['room Utf8', 'temp Float64'])
  expect(fields(first(await client.unary('GetSchema', asked), 1))).toEqual(fields(first(info, 1)))
  const [endpoint, ...others] = fieldsOf(info).get(3) ?? []
  expect(others).toEqual([])
  expect(fieldsOf(endpoint).get(2)).toBeUndefined()
  const types = (await client.doGet(first(endpoint, 1))).schema.fields.map(({ metadata }) => {
    return metadata.get('iox::column::type')
  })
  expect(types).toEqual(['iox::column_type::tag', 'iox::column_type::field::float'])
})

test('metadata as drivers ask for it', async () => {
  const client = await clientOf('managed')
  const ask = async (name: string, ...fields: Buffer[]) => {
    return rowsOf(await client.ask(command(name, ...fields)))
  }
  expect(await ask('CommandGetCatalogs')).toEqual([{ catalog_name: 'public' }])
  expect((await ask('CommandGetDbSchemas')).map((row) => row.db_schema_name)).toEqual([
    'information_schema',
    'iox',
    'system',
  ])
  expect(await ask('CommandGetDbSchemas', field(2, 'i_x'))).toEqual([
    { catalog_name: 'public', db_schema_name: 'iox' },
  ])
  expect(await ask('CommandGetTableTypes')).toEqual([
    { table_type: 'BASE TABLE' },
    { table_type: 'VIEW' },
  ])
  const tables = await ask('CommandGetTables')
  expect(tables.map((row) => `${row.db_schema_name}.${row.table_name} ${row.table_type}`)).toEqual([
    'information_schema.columns VIEW',
    'information_schema.df_settings VIEW',
    'information_schema.parameters VIEW',
    'information_schema.routines VIEW',
    'information_schema.schemata VIEW',
    'information_schema.tables VIEW',
    'information_schema.views VIEW',
    'iox.home BASE TABLE',
    'system.queries BASE TABLE',
  ])
  const [home] = await ask('CommandGetTables', field(3, 'h%'), numberField(5, 1))
  const columns = tableFromIPC(home.table_schema as Uint8Array).schema.fields
  expect(columns.map(({ name, type, nullable }) => `${name} ${type} ${nullable}`)).toEqual([
    'co Int64 true',
    'note Utf8 true',
    'ok Bool true',
    'room Utf8 true',
    'temp Float64 true',
    'time Timestamp<NANOSECOND> false',
  ])
  expect(columns[3].metadata.get('iox::column::type')).toBe('iox::column_type::tag')
  expect(await ask('CommandGetTables', field(4, 'NO SUCH TYPE'))).toEqual([])
  expect(await ask('CommandGetPrimaryKeys', field(3, 'home'))).toEqual([])
  expect(await ask('CommandGetImportedKeys', field(3, 'home'))).toEqual([])
  const types = await ask('CommandGetXdbcTypeInfo', numberField(1, 12))
  expect(types).toMatchObject([{ type_name: 'VARCHAR', data_type: 12, literal_prefix: "'" }])
})

test('information about the server', async () => {
  const client = await clientOf('cluster')
  const all = rowsOf(await client.ask(command('CommandGetSqlInfo')))
  const values = new Map(all.map((row) => [row.info_name, row.value]))
  expect(values.get(0)).toBe('InfluxDB IOx')
  expect(values.get(3)).toBe(true)
  expect(values.get(8)).toBe(0)
  // Names are folded to lower case (3), quoted ones told without their case (1), nulls sorted high (0).
  expect([503, 505, 507].map((id) => values.get(id))).toEqual([3n, 1n, 0n])
  expect(values.get(504)).toBe('"')
  expect(values.get(541)).toBe(2147483647n)
  expect([...(values.get(511) as Iterable<string>)]).toEqual(['arrow_typeof'])
  const some = await client.ask(command('CommandGetSqlInfo', numberField(1, 1), numberField(1, 4)))
  expect(rowsOf(some)).toEqual([
    { info_name: 1, value: '2' },
    { info_name: 4, value: true },
  ])
})

/** The messages of a stream of one batch, as DoPut carries them. */
function parameterMessages(
  descriptorBytes: Buffer,
  values: Record<string, string | number>,
): Buffer[] {
  const names = Object.keys(values)
  const fields = names.map((name) => {
    return new Field(name, typeof values[name] === 'string' ? new Utf8() : new Float64(), true)
  })
  const children = names.map((name) => {
    const value = values[name]
    if (typeof value === 'number') {
      return makeData({ type: new Float64(), length: 1, data: Float64Array.of(value) })
    }
    const data = new TextEncoder().encode(value)
    const valueOffsets = Int32Array.of(0, data.length)
    return makeData({ type: new Utf8(), length: 1, valueOffsets, data })
  })
  const data = makeData({ type: new Struct(fields), length: 1, children })
  const schema = new Schema(fields)
  const bytes = Buffer.from(tableToIPC(new Table([new RecordBatch(schema, data)]), 'stream'))
  const messages: Buffer[] = []
  for (let at = 0; at + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4)
    if (length === 0) break
    const header = bytes.subarray(at + 8, at + 8 + length)
    // In these two messages all that is behind a header is the body of a batch.
    const isBatch = messages.length > 0
    const end = isBatch ? bytes.length - 8 : at + 8 + length
    const parts = [field(2, header), field(1000, bytes.subarray(at + 8 + length, end))]
    messages.push(message(...(isBatch ? [] : [field(1, descriptorBytes)]), ...parts))
    at = end
  }
  return messages
}

test('prepared statements, their parameters in the handle', async () => {
  const client = await clientOf('cluster')
  const text = 'SELECT temp FROM home WHERE room = $room AND temp > $least'
  const create = command('ActionCreatePreparedStatementRequest', field(1, text))
  const action = message(field(1, 'CreatePreparedStatement'), field(2, create))
  const [result] = await client.all('DoAction', action)
  const prepared = first(first(result, 1), 2)
  expect(tableFromIPC(first(prepared, 2)).schema.names).toEqual(['temp'])
  expect(tableFromIPC(first(prepared, 3)).schema.names).toEqual(['$room', '$least'])
  const handle = first(prepared, 1)
  const query = (bytes: Buffer) => command('CommandPreparedStatementQuery', field(1, bytes))
  const bind = parameterMessages(descriptor(query(handle)), { $room: 'Kitchen', $least: 22 })
  const { messages } = await client.both('DoPut', bind)
  const bound = first(first(messages[0], 1), 1)
  expect(rowsOf(await client.ask(query(bound)))).toEqual([{ temp: 22.5 }])
  const close = command('ActionClosePreparedStatementRequest', field(1, handle))
  const closing = message(field(1, 'ClosePreparedStatement'), field(2, close))
  expect(await client.all('DoAction', closing)).toEqual([])
  const unbound = await client.refusal('GetFlightInfo', descriptor(query(handle)))
  expect(unbound).toMatchObject({ code: 3 })
})

test('a handshake gives the token back', async () => {
  const place = await placeOf('cluster')
  const basic = `Basic ${Buffer.from(`anybody:${place.token}`).toString('base64')}`
  const client = new FlightClient(place.host, { authorization: basic, database: 'b' })
  const request = message(numberField(1, 7), field(2, 'payload'))
  const { messages, metadata } = await client.both('Handshake', [request])
  expect(messages).toEqual([request])
  expect(metadata.get('authorization')).toEqual([`Bearer ${place.token}`])
})
