// The real process, killed while a message waits for its receiver: after the next start the message arrives, and what
// was told before is not told again.

import { expect, it, onTestFinished, vi } from 'vitest'
import { send, temporaryFolder } from '../api/client.js'
import { serve, setUp } from '../crash/server-process.js'
import { RecordingServer } from '../flux/outgoing.js'

const usage = `from(bucket: "b")
  |> range(start: v.timeRangeStart)
  |> filter(fn: (r) => r._measurement == "cpu" and r._field == "usage")`

const wait = { timeout: 40_000, interval: 100 }

class Place {
  readonly folder = temporaryFolder()
  readonly receiver: RecordingServer
  url = ''
  token = ''
  isDown = true
  usage = 95
  readonly delivered: { readonly [name: string]: unknown }[] = []

  constructor(receiver: RecordingServer) {
    this.receiver = receiver
    receiver.answer = ({ body }, response) => {
      if (!this.isDown) this.delivered.push(JSON.parse(body))
      response.writeHead(this.isDown ? 503 : 200).end()
    }
  }

  async call(path: string, body: object) {
    const sent = { method: 'POST', token: this.token, body: JSON.stringify(body) }
    const answer = await send(`${this.url}/api/v2/${path}`, sent)
    expect(answer.status, answer.text).toBe(201)
    return answer.json
  }

  async start() {
    const process = await serve(this.folder, ['--flux-private-hosts'])
    this.url = process.url
    if (this.token === '') this.token = await setUp(this.url)
    return process
  }

  /** As somebody does who writes all the time, whether the server is there or not. */
  keepWriting(): void {
    const timer = setInterval(() => {
      const target = `${this.url}/api/v2/write?org=o&bucket=b`
      const body = `cpu,host=a usage=${this.usage}`
      send(target, { method: 'POST', token: this.token, body }).catch(() => undefined)
    }, 200)
    onTestFinished(() => clearInterval(timer))
  }

  async watch(): Promise<void> {
    const http = { type: 'http', url: this.receiver.url, method: 'POST', authMethod: 'none' }
    const endpoint = await this.call('notificationEndpoints', { name: 'e', ...http })
    const thresholds = [{ type: 'greater', level: 'CRIT', value: 90 }]
    const check = { name: 'c', type: 'threshold', every: '2s', query: { text: usage }, thresholds }
    await this.call('checks', { ...check, statusMessageTemplate: 'hot' })
    const statusRules = [{ currentLevel: 'CRIT', previousLevel: 'ANY' }]
    const rule = { name: 'r', type: 'http', endpointID: endpoint.id, every: '2s', statusRules }
    await this.call('notificationRules', rule)
  }

  async deliveredCount(count: number): Promise<void> {
    await vi.waitFor(() => expect(this.delivered.length).toBeGreaterThanOrEqual(count), wait)
  }

  /** Long enough for two runs of the rule. */
  async settled(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 5000))
  }
}

it('loses no message to a kill, and repeats none that was delivered', async () => {
  const receiver = await RecordingServer.start()
  onTestFinished(() => receiver.stop())
  const place = new Place(receiver)
  const first = await place.start()
  await place.watch()
  place.keepWriting()
  await vi.waitFor(() => expect(receiver.requests.length).toBeGreaterThan(0), wait)
  const { _status_timestamp: told } = JSON.parse(receiver.requests[0].body)
  await first.end('SIGKILL')
  place.isDown = false
  const second = await place.start()
  await place.deliveredCount(1)
  expect(place.delivered[0]).toMatchObject({ _message: 'hot', _status_timestamp: told })
  await place.settled()
  expect(place.delivered).toHaveLength(1)
  await second.end('SIGTERM')
  const third = await place.start()
  await place.settled()
  expect(place.delivered).toHaveLength(1)
  place.usage = 10
  await place.settled()
  place.usage = 99
  await place.deliveredCount(2)
  await third.end('SIGKILL')
})
