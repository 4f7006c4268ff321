// The program that reads a Parquet file: DuckDB in a process of its own, which may open this one file and nothing else.
// Says what the columns are and then each row, a line of JSON each, every value as text that loses nothing:
//
//   {"columns":[{"name":"time","type":"dateTime"},{"name":"f","type":"double"}],"measurement":"m","tags":["host"]}
//   ["1700000000000000000","1.5"]
//
// Arguments: the file, and bytes of memory. What is wrong with the file is said on standard error.

import { Socket } from 'node:net'
import { controlDescriptor } from '../../platform/child-program.js'
import { type DuckDBConnection, loadBindings } from '../engine/bindings.js'

const [file, memoryBytesMax] = process.argv.slice(2)

interface FileColumn {
  readonly name: string
  /** As annotated CSV names types. */
  readonly type: string
  /** SQL for its text. */
  readonly text: string
}

const integers = /^(TINYINT|SMALLINT|INTEGER|BIGINT|UTINYINT|USMALLINT|UINTEGER)$/

function columnOf(name: string, type: string): FileColumn {
  const quoted = `"${name.replaceAll('"', '""')}"`
  const plain = `${quoted}::VARCHAR`
  if (type === 'TIMESTAMP_NS')
    return { name, type: 'dateTime', text: `epoch_ns(${quoted})::VARCHAR` }
  if (/^(TIMESTAMP|DATE)/.test(type)) {
    const moment = type.includes('ZONE') ? quoted : `${quoted}::TIMESTAMP`
    return { name, type: 'dateTime', text: `epoch_ns(${moment})::VARCHAR` }
  }
  if (integers.test(type)) return { name, type: 'long', text: plain }
  if (type === 'UBIGINT') return { name, type: 'unsignedLong', text: plain }
  if (type === 'BOOLEAN') return { name, type: 'boolean', text: plain }
  if (/^(FLOAT|DOUBLE|DECIMAL|HUGEINT|UHUGEINT)/.test(type)) {
    // Line protocol has no spelling for what is not finite.
    const double = `${quoted}::DOUBLE`
    return {
      name,
      type: 'double',
      text: `CASE WHEN isfinite(${double}) THEN ${double}::VARCHAR END`,
    }
  }
  if (type === 'BLOB') return { name, type: 'string', text: `base64(${quoted})` }
  return { name, type: 'string', text: plain }
}

async function open(): Promise<DuckDBConnection> {
  const { api } = await loadBindings()
  const kilobytes = Math.ceil(Number(memoryBytesMax) / 1000)
  const instance = await api.DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${kilobytes}KB`,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const connection = await instance.connect()
  await connection.run("SET GLOBAL TimeZone = 'UTC'")
  await connection.run(`SET GLOBAL allowed_paths = [${literal(file)}]`)
  await connection.run('SET GLOBAL enable_external_access = false')
  await connection.run('SET GLOBAL lock_configuration = true')
  return connection
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

async function textRows(connection: DuckDBConnection, sql: string): Promise<string[][]> {
  const reader = await connection.runAndReadAll(sql)
  return reader.getRows().map((row) => row.map(String))
}

/** What an export of ours wrote into the file, or InfluxDB 3. */
async function ownMetadata(connection: DuckDBConnection): Promise<object> {
  const source = `parquet_kv_metadata(${literal(file)})`
  const told = async (key: string) => {
    const sql = `SELECT decode(value) FROM ${source} WHERE decode(key) = ${literal(key)}`
    return (await textRows(connection, sql))[0]?.[0]
  }
  try {
    const own = await told('millrace')
    if (own === undefined) return influxMetadata((await told('ARROW:schema')) ?? '')
    const { measurement, tags } = JSON.parse(own)
    return { measurement, tags }
  } catch {
    return {}
  }
}

/** Arrow's schema of the columns, packed; InfluxDB 3 writes into it which of them are tags. */
async function influxMetadata(packed: string): Promise<object> {
  if (packed === '') return {}
  const { RecordBatchReader } = await import('apache-arrow')
  const { metadata, fields } = RecordBatchReader.from(Buffer.from(packed, 'base64')).open().schema
  const roles = fields.map((field) => field.metadata.get('iox::column::type'))
  if (roles.every((role) => role === undefined)) return {}
  const tags = fields.flatMap(({ name }, i) => (roles[i] === 'iox::column_type::tag' ? [name] : []))
  return { measurement: metadata.get('iox::measurement::name'), tags }
}

async function main(): Promise<void> {
  const control = new Socket({ fd: controlDescriptor, readable: true, writable: true })
  control.on('close', () => process.exit(0))
  control.on('error', () => process.exit(0))
  control.resume()
  const connection = await open()
  const source = `read_parquet(${literal(file)})`
  const described = await textRows(connection, `DESCRIBE SELECT * FROM ${source}`)
  const columns = described.map(([name, type]) => columnOf(name, type))
  const head = {
    columns: columns.map(({ name, type }) => ({ name, type })),
    ...(await ownMetadata(connection)),
  }
  control.write(`${JSON.stringify(head)}\n`)
  const texts = columns.map(({ text }) => text).join(', ')
  const result = await connection.stream(
    `SELECT to_json(list_value(${texts}))::VARCHAR FROM ${source}`,
  )
  for (let chunk = await result.fetchChunk(); chunk?.rowCount; chunk = await result.fetchChunk()) {
    const lines = chunk.getColumnValues(0).join('\n')
    if (!control.write(`${lines}\n`)) await new Promise((drained) => control.once('drain', drained))
  }
  control.end(() => process.exit(0))
}

await main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error)
  process.stderr.write(message, () => process.exit(1))
})
