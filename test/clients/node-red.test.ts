// Node-RED's own runtime with the unmodified nodes of node-red-contrib-influxdb, in a process of its own: flows that
// write and ask, with each of the three kinds of servers that the nodes know.

import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { caller, type Installation, install, temporaryFolder } from '../api/harness.js'

interface Told {
  readonly kind: 'started' | 'arrived' | 'done'
  readonly at?: string
  readonly payload?: unknown
  readonly error?: string
}

class NodeRed {
  readonly #child: ChildProcess
  readonly #told: Told[] = []
  #wake = () => {}
  #hasEnded = false

  constructor(nodes: readonly Record<string, unknown>[], credentials: unknown) {
    const folder = temporaryFolder()
    mkdirSync(folder, { recursive: true })
    const tab = { id: 'tab', type: 'tab', label: 'test' }
    writeFileSync(`${folder}/flows.json`, JSON.stringify([tab, ...nodes]))
    writeFileSync(`${folder}/flows_cred.json`, JSON.stringify(credentials))
    const program = fileURLToPath(new URL('./node-red/runtime.mjs', import.meta.url))
    this.#child = fork(program, [folder], { execArgv: [] })
    this.#child.on('message', (told) => {
      this.#told.push(told as Told)
      this.#wake()
    })
    this.#child.on('exit', () => {
      this.#hasEnded = true
      this.#wake()
    })
    onTestFinished(() => void this.#child.kill('SIGKILL'))
  }

  async next(kind: Told['kind']): Promise<Told> {
    for (;;) {
      const at = this.#told.findIndex((told) => told.kind === kind)
      if (at >= 0) return this.#told.splice(at, 1)[0]
      if (this.#hasEnded) throw new Error('Node-RED has ended')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Hands it to a node; how that ends. */
  async send(to: string, message: Record<string, unknown>): Promise<string | undefined> {
    this.#child.send({ to, message })
    const { at, error } = await this.next('done')
    expect(at).toBe(to)
    return error
  }

  /** What a node that asks passes on. */
  async ask(to: string, message: Record<string, unknown>): Promise<unknown> {
    expect(await this.send(to, message)).toBeUndefined()
    return (await this.next('arrived')).payload
  }
}

/** A node without a place on the tab would be a setting. */
const inTab = { z: 'tab', x: 0, y: 0, influxdb: 'server' }
const probe = { id: 'probe', type: 'probe', ...inTab }

async function started(
  { url, token }: Installation,
  version: '1.x' | '1.8-flux' | '2.0',
): Promise<NodeRed> {
  const { hostname, port } = new URL(url)
  const server = { hostname, port, database: 'b', url, influxdbVersion: version }
  const v2 = { org: 'o', bucket: 'b', database: 'd', precisionV18FluxV20: 'ms', precision: 'ms' }
  const nodeRed = new NodeRed(
    [
      { id: 'server', type: 'influxdb', ...server },
      { id: 'out', type: 'influxdb out', measurement: 'room', ...inTab, ...v2 },
      { id: 'batch', type: 'influxdb batch', ...inTab, ...v2 },
      { id: 'in', type: 'influxdb in', ...inTab, ...v2, wires: [['probe']] },
      probe,
    ],
    { server: { username: 'u', password: token, token } },
  )
  await nodeRed.next('started')
  return nodeRed
}

const time = 1_700_000_000_000

async function writes(nodeRed: NodeRed): Promise<void> {
  const values = { temp: 21.5, people: '3i', open: true, note: 'warm', time }
  expect(await nodeRed.send('out', { payload: [values, { room: 'kitchen' }] })).toBeUndefined()
  const several = [
    [{ temp: 19, time: time + 1 }, { room: 'bath' }],
    [{ temp: 18, time: time + 2 }, { room: 'bath' }],
  ]
  expect(await nodeRed.send('out', { payload: several })).toBeUndefined()
  expect(await nodeRed.send('out', { payload: 7, measurement: 'single' })).toBeUndefined()
  const batch = [
    { measurement: 'power', fields: { w: 100 }, tags: { plug: 'a' }, timestamp: time },
    { measurement: 'energy', fields: { wh: 5 }, timestamp: time },
  ]
  expect(await nodeRed.send('batch', { payload: batch })).toBeUndefined()
}

test('a server of version 1', async () => {
  const place = await install()
  const nodeRed = await started(place, '1.x')
  await writes(nodeRed)
  const rows = (query: string) => nodeRed.ask('in', { query })
  expect(await rows("SELECT temp, people, open, note FROM room WHERE room = 'kitchen'")).toEqual([
    { time: '2023-11-14T22:13:20.000Z', temp: 21.5, people: 3, open: true, note: 'warm' },
  ])
  expect(await rows('SELECT mean(temp) AS t FROM room GROUP BY room')).toMatchObject([
    { room: 'bath', t: 18.5 },
    { room: 'kitchen', t: 21.5 },
  ])
  expect(await rows('SELECT w FROM power; SELECT wh FROM energy')).toMatchObject([
    [{ w: 100 }],
    [{ wh: 5 }],
  ])
  const wrong = await nodeRed.send('in', { query: 'SELECT nonsense' })
  expect(wrong).toContain('error parsing query')
})

test.each([
  ['1.8-flux', 'd/autogen'],
  ['2.0', 'b'],
] as const)('a server of version %s', async (version, bucket) => {
  const place = await install()
  await caller(place)('POST', '/query?q=CREATE%20DATABASE%20d')
  const nodeRed = await started(place, version)
  await writes(nodeRed)
  const rows = (query: string) => nodeRed.ask('in', { query })
  const from = `from(bucket: "${bucket}") |> range(start: 0)`
  expect(
    await rows(`${from} |> filter(fn: (r) => r._measurement == "room" and r._field == "temp")`),
  ).toMatchObject([
    { room: 'bath', _value: 19 },
    { room: 'bath', _value: 18 },
    { room: 'kitchen', _value: 21.5 },
  ])
  expect(await rows(`${from} |> filter(fn: (r) => r._measurement == "power")`)).toMatchObject([
    { plug: 'a', _value: 100, _time: '2023-11-14T22:13:20Z' },
  ])
  expect(await nodeRed.send('in', { query: 'from(' })).toContain('expected')
})
