// influxdb-mcp-server, by which language models are given InfluxDB, unmodified, in a process of its own: each of its
// tools and resources, asked over its standard input as its hosts do it.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { type Installation, install, send } from '../api/harness.js'

interface Reply {
  readonly id: number
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own
  readonly result?: any
  readonly error?: { readonly message: string }
}

class McpServer {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #count = 0

  constructor({ url, token }: Installation) {
    const program = createRequire(import.meta.url).resolve('influxdb-mcp-server/src/index.js')
    const env = { INFLUXDB_URL: url, INFLUXDB_TOKEN: token, INFLUXDB_ORG: 'o' }
    this.#child = spawn(process.execPath, [program], { env })
    createInterface(this.#child.stdout).on('line', (line) => {
      const reply = JSON.parse(line) as Reply
      this.#waiting.get(reply.id)?.(reply)
    })
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  #send(message: Record<string, unknown>): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  async call(method: string, params: unknown): Promise<NonNullable<Reply['result']>> {
    const id = ++this.#count
    const reply = new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve)
    })
    this.#send({ id, method, params })
    const { result, error } = await reply
    if (error !== undefined) throw new Error(error.message)
    return result
  }

  async start(): Promise<void> {
    const clientInfo = { name: 'test', version: '1' }
    await this.call('initialize', { protocolVersion: '2024-11-05', capabilities: {}, clientInfo })
    this.#send({ method: 'notifications/initialized' })
  }

  async tool(name: string, args: unknown): Promise<{ text: string; isError: boolean }> {
    const { content, isError = false } = await this.call('tools/call', { name, arguments: args })
    return { text: content[0].text, isError }
  }

  async resource(uri: string): Promise<string> {
    return (await this.call('resources/read', { uri })).contents[0].text
  }
}

test('its tools and resources', async () => {
  const place = await install()
  // It waits for five seconds and no longer: the first query of all loads the language, which may take that alone.
  const { url, token } = place
  const headers = { 'content-type': 'application/vnd.flux' }
  const body = 'import "array" array.from(rows: [{a: 1}])'
  const loaded = await send(`${url}/api/v2/query?org=o`, { method: 'POST', token, headers, body })
  expect(loaded.status).toBe(200)
  const server = new McpServer(place)
  await server.start()
  const { tools } = await server.call('tools/list', {})
  const names = tools.map(({ name }: { name: string }) => name).sort()
  expect(names).toEqual(['create-bucket', 'create-org', 'query-data', 'write-data'])
  const orgs = await server.resource('influxdb://orgs')
  expect(orgs).toContain(place.orgId)
  const bucket = { name: 'power', orgID: place.orgId, retentionPeriodSeconds: 0 }
  expect(await server.tool('create-bucket', bucket)).toMatchObject({ isError: false })
  expect(await server.resource('influxdb://buckets')).toContain('power')
  // It asks for no retention, and a bucket made so keeps its points for 30 days.
  const data = `plug,room=kitchen watts=100 ${Date.now()}\nplug,room=bath watts=50 ${Date.now()}`
  const written = await server.tool('write-data', {
    org: 'o',
    bucket: 'power',
    data,
    precision: 'ms',
  })
  expect(written).toMatchObject({ isError: false })
  const query = 'from(bucket: "power") |> range(start: 0) |> group() |> sum()'
  const asked = await server.tool('query-data', { org: 'o', query })
  expect(asked.isError).toBe(false)
  expect(asked.text).toContain(',_result,0,150')
  expect(await server.resource('influxdb://bucket/power/measurements')).toContain('plug')
  const text = encodeURIComponent('from(bucket: "power") |> range(start: 0) |> count()')
  expect(await server.resource(`influxdb://query/o/${text}`)).toContain('kitchen')
  const org = await server.tool('create-org', { name: 'another' })
  expect(org).toMatchObject({ isError: false })
  const wrong = await server.tool('query-data', { org: 'o', query: 'from(' })
  expect(wrong.isError).toBe(true)
})
