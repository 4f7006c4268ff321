// A newer ClickHouse than Debian's, for tests: the engine of npm's `chdb-wasm`, which is no server, behind as much
// of its HTTP interface as `@clickhouse/client` uses. Needs Node 23 or newer, has one disk in memory, no replicas, and
// does one statement after the other. `scripts/test-clickhouse.mjs` installs and starts it; it prints its address.

import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'

const installed = createRequire(resolve(process.argv[2], 'package.json')).resolve('chdb-wasm')
const { AsyncChdb } = await import(pathToFileURL(installed).href)
const engine = await AsyncChdb.create({ moduleUrl: join(dirname(installed), 'chdb.mjs') })
const connection = await engine.connect()

/** Of the client's connections and not of statements; databases are named by whoever asks. */
const ownParameters = new Set(['query', 'query_id', 'database', 'session_id', 'role'])
/** Its disk knows no links to files, and is memory: what was merged leaves soon. */
const settingsOfTables = 'always_use_copy_instead_of_hardlinks = 1, old_parts_lifetime = 1'
const running = new Set()
let last = Promise.resolve()
let files = 0

function inTurn(work) {
  const result = last.then(work)
  last = result.catch(() => undefined)
  return result
}

/** As a clause of the statement: what one asks for must not hold for the next. */
function settingsOf(parameters) {
  const settings = [...parameters]
    .filter(([name]) => !ownParameters.has(name))
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "\\'")}'`)
  return settings.length === 0 ? '' : ` SETTINGS ${settings.join(', ')}`
}

async function answer(parameters, body) {
  const database = parameters.get('database')
  if (database) await connection.query(`USE ${database}`)
  const settings = settingsOf(parameters)
  const sql = parameters.get('query')
  if (sql !== null) return insert(sql, settings, body)
  const text = body.toString()
  return (await connection.query(withClauses(text, settings))).data
}

function withClauses(sql, settings) {
  if (/^\s*(SELECT|WITH)\b/i.test(sql))
    return sql.replace(/(\sFORMAT\s+\w+\s*)?$/i, `${settings}$1`)
  const isTable = /^\s*CREATE TABLE/i.test(sql) && /MergeTree/.test(sql)
  return isTable ? `${sql} SETTINGS ${settingsOfTables}` : sql
}

/** What is inserted comes as the body. */
async function insert(sql, settings, body) {
  const file = `/sent-${files++}`
  await engine.putFile(file, new Uint8Array(body))
  const from = ` FROM INFILE '${file}'${settings} FORMAT `
  try {
    return (await connection.query(sql.replace(/\sFORMAT\s/i, from))).data
  } finally {
    await engine.putFile(file, new Uint8Array(0))
  }
}

/** What is asked of the list of statements under way: the engine knows of none that waits for its turn here. */
function aboutOthers(body) {
  const sql = body.toString('latin1', 0, 200)
  if (!/FROM system\.processes/.test(sql)) return undefined
  const [, asked] = /query_id = '([^']+)'/.exec(sql) ?? []
  return asked === undefined ? `${[...running].join('\n')}\n` : `${Number(running.has(asked))}\n`
}

async function bodyOf(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  const body = Buffer.concat(pieces)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  if (pathname === '/ping') return response.end('Ok.\n')
  const id = searchParams.get('query_id') ?? ''
  const body = await bodyOf(request)
  running.add(id)
  try {
    const data = aboutOthers(body) ?? (await inTurn(() => answer(searchParams, body)))
    response.writeHead(200, { 'X-ClickHouse-Query-Id': id }).end(data)
  } catch (error) {
    const [, code = '1002'] = /Code: (\d+)/.exec(error.message) ?? []
    response.writeHead(500, { 'X-ClickHouse-Exception-Code': code }).end(`${error.message}\n`)
  } finally {
    running.delete(id)
  }
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`clickhouse://default@127.0.0.1:${server.address().port}\n`)
})
// Ends with whoever started it, however that ended.
process.stdin.resume().on('end', () => process.exit())
