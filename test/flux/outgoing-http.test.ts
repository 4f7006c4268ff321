// Scripts that ask other services: what is sent to a server on this machine, what comes back, and that they get nowhere
// near it unless they may.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { outgoingRequests, RecordingServer } from './outgoing.js'
import { fluxError, runFlux, runRows } from './run-flux.js'

let server: RecordingServer
/** Never answers; who gave up waiting may still be coming in when the next test runs. */
let silent: RecordingServer

beforeAll(async () => {
  server = await RecordingServer.start()
  silent = await RecordingServer.start()
  silent.answer = () => undefined
})

afterEach(() => {
  server.requests.length = 0
  server.answer = (_, response) => response.end()
})

afterAll(() => Promise.all([server.stop(), silent.stop()]))

const scope = { outgoing: outgoingRequests({ arePrivateHostsAllowed: true }) }

/** The value of an expression, as a cell; HOST stands for the server. */
async function evaluated(imports: string, expression: string) {
  const text = `import "array"
${imports}
value = ${expression.replaceAll('HOST', server.url)}
array.from(rows: [{v: value}])`
  const [row] = await runRows(text, { scope })
  return row.v
}

describe('http', () => {
  it('posts, and tells the status', async () => {
    server.answer = (_, response) => response.writeHead(204).end()
    const post =
      'http.post(url: "HOST/path/a/b/c", headers: {x: "a", y: "b"}, data: bytes(v: "body"))'
    expect(await evaluated('import "http"', post)).toBe(204n)
    const { method, url, headers, body } = server.only()
    expect([method, url, body]).toEqual(['POST', '/path/a/b/c', 'body'])
    expect(headers).toMatchObject({ x: 'a', y: 'b', 'content-length': '4' })
    expect(await evaluated('import "http"', 'http.post(url: "HOST")')).toBe(204n)
    expect(server.only().headers['content-length']).toBe('0')
  })

  it('posts for each row, in order', async () => {
    const text = `import "array"
import "http"
array.from(rows: [{n: 1}, {n: 2}, {n: 3}])
  |> filter(fn: (r) => http.post(url: "${server.url}/asked") == 200 and r.n != 2)
  |> map(fn: (r) => ({r with status: http.post(url: "${server.url}", data: bytes(v: string(v: r.n)))}))`
    expect(await runRows(text, { scope })).toEqual([
      { n: 1n, status: 200n },
      { n: 3n, status: 200n },
    ])
    const bodies = server.requests.filter(({ url }) => url === '/').map(({ body }) => body)
    expect(bodies).toEqual(['1', '3'])
  })

  it('has an endpoint that groups by whether it was sent', async () => {
    server.answer = ({ body }, response) => response.writeHead(body === 'a' ? 200 : 201).end()
    const text = `import "array"
import "http"
send = http.endpoint(url: "${server.url}")(mapFn: (r) => ({headers: {k: r.v}, data: bytes(v: r.v)}))
array.from(rows: [{v: "a"}, {v: "b"}]) |> send()`
    const [{ tables }] = await runFlux(text, { scope })
    expect(tables.map(({ key }) => key)).toEqual([
      new Map([['_sent', 'true']]),
      new Map([['_sent', 'false']]),
    ])
    expect(server.requests.map(({ headers }) => headers.k)).toEqual(['a', 'b'])
  })

  it('spells credentials and paths', async () => {
    expect(await evaluated('import "http"', 'http.basicAuth(u: "me", p: "p:ä")')).toBe(
      `Basic ${Buffer.from('me:p:ä').toString('base64')}`,
    )
    const escaped = (text: string) =>
      evaluated('import "http"', `http.pathEscape(inputString: "${text}")`)
    expect(await escaped('random:/#')).toBe('random:%2F%23')
    expect(await escaped("a b;c,d?e=f&g+h$i@j!k*l'm(n)~o")).toBe(
      'a%20b%3Bc%2Cd%3Fe=f&g+h$i@j%21k%2Al%27m%28n%29~o',
    )
  })

  it('says what is wrong', async () => {
    const failing = (expression: string) =>
      fluxError(`import "http"\n${expression.replaceAll('HOST', server.url)}`, { scope })
    expect(await failing('http.post(url: "HOST", headers: {a: 1})')).toContain(
      'header value "a" must be a string',
    )
    expect(await failing('http.post(url: "ftp://example.com/")')).toContain(
      'Post "ftp://example.com/": unsupported protocol scheme "ftp"',
    )
    expect(await failing('http.post(url: "HOST", headers: {"a b": "c"})')).toContain(
      'net/http: invalid header field name "a b"',
    )
  })
})

describe.each(['http/requests', 'experimental/http/requests'])('%s', (path) => {
  const imports = `import "${path}"\nimport "dict"`

  it('asks in any way, and gives the whole answer', async () => {
    server.answer = ({ body }, response) => {
      response.setHeader('h1', 'v1')
      response.end(`response: ${body}`)
    }
    const text = `import "array"
${imports}
answer = requests.do(
    method: "PUT",
    url: "${server.url}/path?replaced=1",
    params: ["p1": ["l", "m n"], "p2": ["é"]],
    headers: ["x": "a"],
    body: bytes(v: "body"),
)
array.from(rows: [{status: answer.statusCode, body: string(v: answer.body), took: int(v: answer.duration) > 0,
  header: dict.get(dict: answer.headers, key: "H1", default: "")}])`
    expect(await runRows(text, { scope })).toEqual([
      { status: 200n, body: 'response: body', took: true, header: 'v1' },
    ])
    const { method, url, headers, body } = server.only()
    expect([method, url]).toEqual(['PUT', '/path?p1=l&p1=m+n&p2=%C3%A9'])
    expect(headers.x).toBe('a')
    expect(body).toBe('body')
  })

  it('gets, posts and peeks', async () => {
    server.answer = (_, response) => response.end('ok')
    const text = `${imports}
requests.peek(response: requests.get(url: "${server.url}/get?kept=1"))`
    const [{ tables }] = await runFlux(text, { scope })
    const [row] = tables[0].rows
    expect([...row.keys()].sort()).toEqual(['body', 'duration', 'headers', 'statusCode'])
    expect(row.get('body')).toBe('ok')
    expect(row.get('headers')).toMatch(/^\[Content-Length: 2, Date: /)
    expect(server.only()).toMatchObject({ method: 'GET', url: '/get?kept=1' })
    await evaluated(imports, '(requests.post(url: "HOST", body: bytes(v: "b"))).statusCode')
    expect(server.only()).toMatchObject({ method: 'POST', body: 'b' })
  })

  it('has a configuration, as an option and for one call', async () => {
    const late = 'context deadline exceeded'
    const one = `${imports}
c = requests.defaultConfig
config = {c with timeout: 10ms}
requests.get(url: "${silent.url}", config: config)`
    expect(await fluxError(one, { scope })).toContain(`Get "${silent.url}": ${late}`)
    const all = `${imports}
option requests.defaultConfig = {timeout: 10ms, insecureSkipVerify: false}
requests.get(url: "${silent.url}")`
    expect(await fluxError(all, { scope })).toContain(late)
    const mixed = one.replace('10ms', '1mo1s')
    expect(await fluxError(mixed, { scope })).toContain(
      'config timeout must not be a mixed duration',
    )
  })

  it('does not know every method', async () => {
    const text = `${imports}\nrequests.do(method: "CONNECT", url: "${server.url}")`
    expect(await fluxError(text, { scope })).toContain('invalid HTTP method "CONNECT"')
  })
})

describe('experimental', () => {
  it('http.get gives headers as a record', async () => {
    server.answer = (_, response) => {
      response.setHeader('X-One', '1')
      response.end('body')
    }
    const text = `import "array"
import "experimental/http"
answer = http.get(url: "${server.url}/a", headers: {x: "y"})
array.from(rows: [{status: answer.statusCode, body: string(v: answer.body), one: answer.headers["X-One"]}])`
    expect(await runRows(text, { scope })).toEqual([{ status: 200n, body: 'body', one: '1' }])
    expect(server.only()).toMatchObject({ method: 'GET', url: '/a' })
  })

  it('http.get takes no longer than it is told', async () => {
    const text = `import "experimental/http"\nhttp.get(url: "${silent.url}", timeout: 10ms)`
    expect(await fluxError(text, { scope })).toContain('context deadline exceeded')
  })

  it('csv.from reads annotated CSV', async () => {
    const lines = ['#datatype,string,long,long', '#group,false,false,false', '#default,_result,,']
    const text = [...lines, ',result,table,v', ',,0,7', ''].join('\r\n')
    server.answer = (_, response) => response.end(text)
    const script = `import "experimental/csv"\ncsv.from(url: "${server.url}")`
    expect(await runRows(script, { scope })).toEqual([{ v: 7n }])
  })

  it('influxdb.api asks with a token', async () => {
    const api = `(influxdb.api(method: "post", host: "HOST", path: "/api/v2/foo", token: "t", body: bytes(v: "{}"),
      headers: ["Key": "Value", "authorization": "other"], query: ["a": "b c"])).statusCode`
    expect(await evaluated('import "experimental/influxdb"', api)).toBe(200n)
    const { method, url, headers, body } = server.only()
    expect([method, url, body]).toEqual(['POST', '/api/v2/foo?a=b+c', '{}'])
    expect(headers).toMatchObject({ authorization: 'Token t', key: 'Value' })
  })

  it.each([
    ['token: "t"', 'keyword argument "host" is required when executing outside InfluxDB'],
    ['host: "HOST"', 'keyword argument "token" is required when executing outside InfluxDB'],
  ])('influxdb.api with only %s', async (argument, message) => {
    const api = `influxdb.api(method: "get", path: "/", ${argument})`.replace('HOST', server.url)
    expect(await fluxError(`import "experimental/influxdb"\n${api}`, { scope })).toContain(message)
  })
})

describe('contrib/qxip', () => {
  const csv = 'a,b\n1,x\n'

  it('clickhouse.query', async () => {
    server.answer = (_, response) => response.end(csv)
    const text = `import "contrib/qxip/clickhouse"
clickhouse.query(url: "${server.url}", query: "SELECT 1", limit: 5)`
    expect(await runRows(text, { scope })).toEqual([{ a: '1', b: 'x' }])
    const { url, headers } = server.only()
    expect(url).toBe(
      '/?add_http_cors_header=1&default_format=CSVWithNames&max_result_bytes=10000000&max_result_rows=5' +
        '&query=SELECT+1',
    )
    expect(headers['x-clickhouse-format']).toBe('CSVWithNames')
  })

  it('logql.query_range', async () => {
    server.answer = (_, response) => response.end(csv)
    const text = `import "contrib/qxip/logql"
option logql.defaultURL = "${server.url}"
logql.query_range(query: "{job=\\"a\\"}", start: 2020-01-01T00:00:00Z, end: 2020-01-01T01:00:00Z, orgid: "o")`
    expect(await runRows(text, { scope })).toEqual([{ a: '1', b: 'x' }])
    const { url, headers, body } = server.only()
    expect(url).toBe(
      '/loki/api/v1/query_range?csv=1&end=1577840400000000000&limit=100&query=%7Bjob%3D%22a%22%7D' +
        '&start=1577836800000000000&step=10',
    )
    expect(headers['x-scope-orgid']).toBe('o')
    expect(body).toBe('{job="a"}')
  })
})

/** A script for each function that asks, with HOST where it shall go. */
const asking: readonly (readonly [string, string])[] = [
  ['http.post', 'import "http"\nhttp.post(url: "HOST")'],
  ['requests.get', 'import "http/requests"\nrequests.get(url: "HOST")'],
  ['http.get', 'import "experimental/http"\nhttp.get(url: "HOST")'],
  ['csv.from', 'import "experimental/csv"\ncsv.from(url: "HOST")'],
  ['prometheus.scrape', 'import "experimental/prometheus"\nprometheus.scrape(url: "HOST")'],
  [
    'influxdb.api',
    'import "experimental/influxdb"\ninfluxdb.api(method: "get", host: "HOST", path: "/", token: "t")',
  ],
  [
    'slack.message',
    'import "slack"\nslack.message(url: "HOST", channel: "", text: "", color: "good")',
  ],
  [
    'clickhouse.query',
    'import "contrib/qxip/clickhouse"\nclickhouse.query(url: "HOST", query: "")',
  ],
  [
    'in map',
    'import "array"\nimport "http"\narray.from(rows: [{a: 1}]) |> map(fn: (r) => ({s: http.post(url: "HOST")}))',
  ],
]

it.each(asking)('%s reaches no private host by default', async (_, text) => {
  const { port } = server
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
    const script = text.replaceAll('HOST', `http://${host}:${port}`)
    expect(await fluxError(script)).toMatch(/no such host$/)
  }
  expect(server.requests).toEqual([])
})

it('tells why it could not connect', async () => {
  const gone = await RecordingServer.start()
  const { url, port } = gone
  await gone.stop()
  expect(await fluxError(`import "http"\nhttp.post(url: "${url}")`, { scope })).toMatch(
    /: connect: connection refused$/,
  )
  const withPassword = url.replace('//', '//me:secret@')
  const get = `import "http/requests"\nrequests.get(url: "${withPassword}/a")`
  expect(await fluxError(get, { scope })).toContain(
    `Get "http://me:***@127.0.0.1:${port}/a": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  )
})

it('a failure can be caught, and the end of a query cannot', async () => {
  const caught = `import "array"
import "experimental"
import "http"
outcome = experimental.catch(fn: () => http.post(url: "http://127.0.0.1/"))
array.from(rows: [{msg: outcome.msg, code: outcome.code}])`
  const [row] = await runRows(caught)
  expect(row.msg).toContain('no such host')
  expect(row.code).toBe(3n)
  const stop = new AbortController()
  silent.answer = () => stop.abort(new Error('killed'))
  const text = caught.replace('http://127.0.0.1/', silent.url)
  await expect(runRows(text, { scope, signal: stop.signal })).rejects.toThrow('killed')
})

it('counts what a script keeps of answers', async () => {
  server.answer = (_, response) => response.end('x'.repeat(60_000))
  const text = `import "array"
import "http/requests"
a = requests.get(url: "${server.url}")
b = requests.get(url: "${server.url}")
array.from(rows: [{a: a.statusCode, b: b.statusCode}])`
  const within = { scope, limits: { memoryBytesMax: 200_000 } }
  expect(await runRows(text, within)).toEqual([{ a: 200n, b: 200n }])
  const beyond = { scope, limits: { memoryBytesMax: 100_000 } }
  expect(await fluxError(text, beyond)).toContain('memory allocation limit reached')
})

it.each([
  [
    'import "kafka"\nimport "array"\narray.from(rows: [{a: 1}]) |> kafka.to(brokers: ["b"], topic: "t")',
    'kafka.to() is not available here: there is no Kafka client',
  ],
  [
    'import "socket"\nsocket.from(url: "tcp://127.0.0.1:1")',
    'socket.from() is not available here: scripts may not open sockets',
  ],
  [
    'import "experimental/mqtt"\nmqtt.publish(broker: "tcp://a:1883", topic: "t", message: "m")',
    'mqtt.publish() is not available here: there is no MQTT client',
  ],
  [
    'import "experimental/mqtt"\nimport "array"\narray.from(rows: [{a: 1}]) |> mqtt.to(broker: "tcp://a:1883")',
    'mqtt.to() is not available here: there is no MQTT client',
  ],
  [
    'import "experimental/bigtable"\nbigtable.from(token: "", project: "", instance: "", table: "")',
    'bigtable.from() is not available here: there is no Bigtable client',
  ],
])('%j is refused by name', async (text, message) => {
  expect(await fluxError(text)).toContain(message)
})
