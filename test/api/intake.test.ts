// Points that nobody sends over HTTP: UDP packets, and targets that are scraped.

import { createSocket } from 'node:dgram'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { scrapedLines } from '../../src/intake/scraped-lines.js'
import { caller, install, send, temporaryFolder } from './harness.js'

it('takes line protocol in packets', async () => {
  const logged: (number | undefined)[] = []
  const place = await install({
    dataDir: temporaryFolder(),
    udpAddress: { host: '127.0.0.1', port: 0 },
    udpBucket: 'o/b',
    udpPrecision: 's',
    log: (_, message, fields) => {
      if (message.includes('UDP packets')) logged.push(fields?.port as number | undefined)
    },
  })
  const [port] = logged
  const socket = createSocket('udp4')
  onTestFinished(() => void socket.close())
  for (const packet of ['m,t=a f=1 1\nm,t=a f=2 2', 'm,t=b f=3 3\n', 'nonsense']) {
    socket.send(packet, Number(port), '127.0.0.1')
  }
  const lines = ['m,t=a f=1 1000000000', 'm,t=a f=2 2000000000', 'm,t=b f=3 3000000000']
  await expect.poll(() => place.lines()).toEqual(lines)
  await expect
    .poll(async () => (await send(`${place.url}/metrics`)).text)
    .toContain('millrace_udp_points_refused_total 1\n')
})

const exposition = `# TYPE up gauge
up{job="a b"} 1
# TYPE requests_total counter
requests_total{code="200"} 7 1500
plain 2
broken NaN
# TYPE took histogram
took_bucket{le="0.50",x="y"} 3
took_bucket{le="+Inf",x="y"} 4
took_sum{x="y"} 1.5
took_count{x="y"} 4
# TYPE q summary
q{quantile="0.9"} 8
q_sum 9
q_count 10
`

const scraped = [
  'plain value=2 5',
  'q 0.9=8,sum=9,count=10 5',
  'requests_total,code=200 counter=7 1500000000',
  'took,x=y 0.5=3,+Inf=4,sum=1.5,count=4 5',
  'up,job=a\\ b gauge=1 5',
]

it('reads metrics as InfluxDB does', () => {
  const { lines, sampleCount } = scrapedLines(exposition, 5n)
  expect(lines.trim().split('\n').sort()).toEqual(scraped)
  expect(sampleCount).toBe(10)
  expect(() => scrapedLines('no metric here at all', 5n)).toThrow('line 1')
})

it('scrapes targets, and private ones only where it may', async () => {
  const server = createServer((_, response) => response.end('# TYPE up gauge\nup 1 3\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  for (const fluxPrivateHosts of [true, false]) {
    const place = await install({ fluxPrivateHosts })
    const call = caller(place)
    const body = { name: 's', type: 'prometheus', url: `http://127.0.0.1:${port}/metrics` }
    const owned = { ...body, orgID: place.orgId, bucketID: place.bucketId }
    const made = await call('POST', '/api/v2/scrapers', owned)
    expect(made.json).toMatchObject({ ...owned, bucket: 'b', org: 'o', allowInsecure: false })
    const figure = fluxPrivateHosts ? 'scrapes' : 'scrape_failures'
    await expect
      .poll(async () => (await call('GET', '/metrics')).text, { timeout: 5000 })
      .toContain(`millrace_${figure}_total 1\n`)
    // What Prometheus adds to a scrape is there also where it was in vain.
    const number = fluxPrivateHosts ? 1 : 0
    const series = `,instance=127.0.0.1:${port},job=s gauge`
    await expect
      .poll(async () => (await place.lines()).map((line) => line.replace(/ \d{15,}$/, ' now')))
      .toEqual([
        expect.stringMatching(new RegExp(`^scrape_duration_seconds${series}=[\\d.e-]+ now$`)),
        `scrape_samples_scraped${series}=${number} now`,
        ...(fluxPrivateHosts ? ['up gauge=1 3000000'] : []),
        `up${series}=${number} now`,
      ])
    const self = `/api/v2/scrapers/${made.json.id}`
    expect((await call('PATCH', self, { intervalSeconds: 0 })).status).toBe(400)
    expect((await call('PATCH', self, { url: 'file:///etc' })).status).toBe(400)
    expect((await call('PATCH', self, { name: 't' })).json.name).toBe('t')
    expect((await call('GET', '/api/v2/scrapers?name=t')).json.configurations).toHaveLength(1)
    expect((await call('DELETE', self)).status).toBe(204)
  }
})
