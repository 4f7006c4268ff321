// A server whose clock stands still until it is moved, with a receiver of messages, and checks and rules that run every
// ten seconds: moving the clock to a boundary waits for what runs there.

import { vi } from 'vitest'
import { ManualClock } from '../../src/platform/clock.js'
import { type Answer, caller, type Installation, install } from '../api/harness.js'
import { RecordingServer } from '../flux/outgoing.js'

export const start = BigInt(Date.parse('2026-03-02T10:00:00Z')) * 1_000_000n
const second = 1_000_000_000n

export interface Message {
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  readonly json: any
}

export class AlertPlace {
  readonly place: Installation
  readonly clock: ManualClock
  readonly receiver: RecordingServer
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>
  #rules: string[] = []
  #checks: string[] = []

  private constructor(place: Installation, clock: ManualClock, receiver: RecordingServer) {
    this.place = place
    this.clock = clock
    this.receiver = receiver
    this.call = caller(place)
  }

  static async open(options: Parameters<typeof install>[0] = {}): Promise<AlertPlace> {
    const clock = new ManualClock(start)
    const receiver = await RecordingServer.start()
    const place = await install({ clock, fluxPrivateHosts: true, ...options })
    return new AlertPlace(place, clock, receiver)
  }

  /** Throws where it is refused. */
  async make(path: string, body: object): Promise<string> {
    const answer = await this.call('POST', `/api/v2/${path}`, { orgID: this.place.orgId, ...body })
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`)
    return answer.json.id
  }

  /** Crit above 90, warn above 70. */
  async check(more: object = {}): Promise<string> {
    const id = await this.make('checks', {
      name: `usage ${this.#checks.length}`,
      type: 'threshold',
      every: '10s',
      query: { text: usage },
      statusMessageTemplate: '${ r.host } is ${ r._level } at ${ string(v: r.usage) }',
      thresholds: [
        { type: 'greater', level: 'CRIT', value: 90 },
        { type: 'greater', level: 'WARN', value: 70 },
      ],
      ...more,
    })
    this.#checks.push(id)
    return id
  }

  async endpoint(more: object = {}): Promise<string> {
    const http = {
      type: 'http',
      url: `${this.receiver.url}/hook`,
      method: 'POST',
      authMethod: 'none',
    }
    return this.make('notificationEndpoints', { name: `e${this.#rules.length}`, ...http, ...more })
  }

  /** Tells every change to crit. */
  async rule(more: object = {}, endpointID?: string): Promise<string> {
    const id = await this.make('notificationRules', {
      name: `tell ${this.#rules.length}`,
      type: 'http',
      endpointID: endpointID ?? (await this.endpoint()),
      every: '10s',
      statusRules: [{ currentLevel: 'CRIT', previousLevel: 'ANY' }],
      ...more,
    })
    this.#rules.push(id)
    return id
  }

  /** A point just before the boundary that comes next. */
  async write(usage: number, host = 'a', more = ''): Promise<void> {
    const time = this.clock.now() + 9n * second
    const answer = await this.place.write(`cpu,host=${host}${more} usage=${usage} ${time}`)
    if (answer.status !== 204) throw new Error(answer.text)
  }

  /** Moves to the next boundary and waits until every check and rule has run for it, and all of it is delivered. */
  async next(): Promise<void> {
    await this.run()
    await this.delivered()
  }

  /** The same without waiting for deliveries. */
  async run(): Promise<void> {
    const boundary = (this.clock.now() / (10n * second) + 1n) * 10n * second
    this.clock.set(boundary + 1n)
    const text = new Date(Number(boundary / 1_000_000n)).toISOString().slice(0, 19)
    const ids = [
      ...this.#checks.map((id) => `checks/${id}`),
      ...this.#rules.map((id) => `notificationRules/${id}`),
    ]
    await vi.waitFor(
      async () => {
        for (const id of ids) {
          const { json } = await this.call('GET', `/api/v2/${id}`)
          if (json.status === 'inactive') continue
          if (json.latestCompleted?.slice(0, 19) !== text) throw new Error(`${id} at ${text}`)
          if (json.lastRunStatus !== 'success') throw new Error(json.lastRunError)
        }
      },
      { timeout: 60_000, interval: 50 },
    )
  }

  /** Waits until every message was taken or given up. */
  async delivered(): Promise<void> {
    await vi.waitFor(
      async () => {
        const waiting = await this.place.server.catalog.alertStates.waitingCount(this.place.orgId)
        if (waiting > 0) throw new Error(`${waiting} messages wait`)
      },
      { timeout: 60_000, interval: 20 },
    )
  }

  /** A point, the next boundary, and what was told then. */
  async step(value: number, host?: string): Promise<Message[]> {
    await this.write(value, host)
    await this.next()
    return this.taken()
  }

  /** What arrived since it was last asked. */
  taken(): Message[] {
    return this.receiver.requests.splice(0).map(({ url, body }) => {
      return { path: url, json: body === '' ? undefined : JSON.parse(body) }
    })
  }

  /** `_message` of each. */
  async told(value: number, host?: string): Promise<string[]> {
    return (await this.step(value, host)).map(({ json }) => json._message)
  }

  async close(): Promise<void> {
    await this.receiver.stop()
  }
}

const usage = `from(bucket: "b")
  |> range(start: v.timeRangeStart)
  |> filter(fn: (r) => r._measurement == "cpu" and r._field == "usage")`
