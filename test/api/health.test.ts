// Ping, health, ready, metrics; the headers of every answer; unknown paths and wrong methods.

import { expect, it } from 'vitest'
import { BusyError, DiskError } from '../../src/errors.js'
import { install, send, start } from './harness.js'

it('answers ping', async () => {
  const { url } = await start()
  for (const method of ['GET', 'HEAD']) {
    const answer = await send(`${url}/ping`, { method })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers['content-length'], method).toBeUndefined()
  }
  expect((await send(`${url}/ping?wait_for_leader=1s`)).status).toBe(204)
  const verbose = await send(`${url}/ping?verbose=true`)
  expect([verbose.status, verbose.json]).toEqual([200, { version: '2.7.12' }])
  expect((await send(`${url}/ping?verbose=false`)).status).toBe(204)
})

it('answers HEAD as GET, without the body', async () => {
  const { url, token, orgId } = await install()
  const paths = ['/api/v2/me', `/api/v2/orgs/${orgId}`, '/api/v2/buckets/nothing', '/api/v2/delete']
  for (const path of paths) {
    const asked = await send(`${url}${path}`, { token })
    const head = await send(`${url}${path}`, { token, method: 'HEAD' })
    expect([head.status, head.text], path).toEqual([asked.status, ''])
    expect(head.headers['content-length'], path).toBe(asked.headers['content-length'])
    expect(head.headers.allow, path).toBe(asked.headers.allow)
  }
  const wrong = await send(`${url}/api/v2/me`, { token, method: 'DELETE' })
  expect(wrong.headers.allow).toBe('GET, HEAD')
})

it('answers health and ready', async () => {
  const { url } = await start()
  expect((await send(`${url}/health`)).json).toMatchObject({
    name: 'influxdb',
    message: 'ready for queries and writes',
    status: 'pass',
    checks: [],
    version: 'v2.7.12',
  })
  const ready = await send(`${url}/ready`)
  expect(ready.json.status).toBe('ready')
  expect(ready.json.started).toMatch(/^\d{4}-.*\.\d{9}Z$/)
  expect(ready.json.up).toMatch(/^(\d+h)?(\d+m)?[\d.]+s$/)
})

it('shows metrics', async () => {
  const { url, write } = await install()
  await write('m f=1 1\nbad')
  const { status, headers, text } = await send(`${url}/metrics`)
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(text).toContain('millrace_write_points_total 1\n')
  expect(text).toContain('millrace_write_points_rejected_total{reason="malformed"} 1\n')
  expect(text).toContain(
    'millrace_http_requests_total{method="POST",route="/api/v2/write",status="400"} 1\n',
  )
  expect(text).toContain('millrace_http_request_duration_seconds_count{route="/api/v2/write"} 1\n')
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  expect(text).toMatch(/^process_cpu_seconds_total [\d.]+$/m)
  // Every name is declared once, the store's own included.
  const names = [...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1])
  expect(new Set(names).size).toBe(names.length)
})

it('packs what is long for those who take it', async () => {
  const { url, token } = await install()
  const plain = await send(`${url}/api/v2/buckets`, { token })
  expect(plain.text.length).toBeGreaterThan(1400)
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.headers.vary).toBe('Accept-Encoding')
  const ask = async (encoding: string) => {
    const authorization = `Token ${token}`
    const headers = { authorization, origin: 'http://there', 'accept-encoding': encoding }
    const answer = await fetch(`${url}/api/v2/buckets`, { headers })
    const told = ['content-encoding', 'vary'].map((name) => answer.headers.get(name))
    return { told, length: Number(answer.headers.get('content-length')), text: await answer.text() }
  }
  const packed = await ask('gzip, br')
  expect(packed.told).toEqual(['gzip', 'Origin, Accept-Encoding'])
  expect(packed.length).toBeLessThan(plain.text.length / 2)
  expect(packed.text).toBe(plain.text)
  const refused = await ask('gzip;q=0')
  expect(refused.told).toEqual([null, 'Origin, Accept-Encoding'])
  expect(refused.text).toBe(plain.text)
  const short = await send(`${url}/health`, { headers: { 'accept-encoding': 'gzip' } })
  expect(short.headers['content-encoding']).toBeUndefined()
})

it('sends the version and a request id with every answer', async () => {
  const { url, token } = await install()
  for (const path of ['/ping', '/health', '/nothing', '/api/v2/write', '/write', '/%zz']) {
    for (const method of ['GET', 'POST']) {
      const { headers } = await send(url + path, { method, token })
      // With the letter, as InfluxDB 2 has it; Grafana asks `/ping` for the number alone.
      const isPing = path === '/ping' && method === 'GET'
      expect(headers['x-influxdb-version']).toBe(isPing ? '2.7.12' : 'v2.7.12')
      expect(headers['x-influxdb-build']).toBe('OSS')
      expect(headers['x-service-version']).toBe('2.7.12')
      expect(headers['x-service-build']).toBe('OSS')
      expect(headers['request-id']).toMatch(/^[0-9a-f]{16}$/)
      expect(headers['x-request-id']).toBe(headers['request-id'])
    }
  }
  const echoed = await send(`${url}/ping`, { headers: { 'x-request-id': 'mine-1' } })
  expect(echoed.headers['request-id']).toBe('mine-1')
  const odd = await send(`${url}/ping`, { headers: { 'request-id': 'x'.repeat(500) } })
  expect(odd.headers['request-id']).toMatch(/^[0-9a-f]{16}$/)
})

it('tells unknown paths from wrong methods', async () => {
  const { url } = await start()
  const unknown = await send(`${url}/nothing`)
  expect([unknown.status, unknown.json]).toEqual([
    404,
    { code: 'not found', message: 'path not found' },
  ])
  const wrong = await send(`${url}/api/v2/write`, { method: 'GET' })
  expect([wrong.status, wrong.json]).toEqual([
    405,
    { code: 'method not allowed', message: 'allow: POST' },
  ])
  expect(wrong.headers.allow).toBe('POST')
  const v1 = await send(`${url}/write/`, { method: 'DELETE' })
  const both = { error: 'allow: POST', code: 'method not allowed', message: 'allow: POST' }
  expect([v1.status, v1.json]).toEqual([405, both])
  const v3 = await send(`${url}/api/v3/write_lp`)
  expect([v3.status, v3.json]).toEqual([405, { error: 'allow: POST', data: null }])
  const options = await send(`${url}/write`, {
    method: 'OPTIONS',
    headers: { origin: 'http://elsewhere' },
  })
  expect(options.status).toBe(204)
  expect(options.headers['access-control-allow-origin']).toBe('http://elsewhere')
  expect(options.headers.vary).toBe('Origin')
})

it('tells a busy store, a failing disk and our own mistakes apart', async () => {
  const logged: string[] = []
  const { server, write, writeV1 } = await install({ log: (level) => logged.push(level) })
  const original = server.store.write
  const failWith = (error: Error) => {
    server.store.write = () => Promise.reject(error)
  }
  logged.length = 0
  failWith(new BusyError('memory is full', 3))
  const busyV2 = await write('m f=1')
  expect([busyV2.status, busyV2.json.code]).toEqual([429, 'too many requests'])
  expect(busyV2.headers['retry-after']).toBe('3')
  const busyV1 = await writeV1('m f=1')
  const told = { error: 'memory is full', code: 'unavailable', message: 'memory is full' }
  expect([busyV1.status, busyV1.json]).toEqual([503, told])
  expect(busyV1.headers['retry-after']).toBe('3')
  expect(logged).toEqual([])

  failWith(new DiskError('wal', 'disk is full'))
  const full = await write('m f=1')
  expect([full.status, full.json.code]).toEqual([503, 'unavailable'])

  failWith(new Error('secret detail'))
  const bug = await write('m f=1')
  expect([bug.status, bug.json.code]).toEqual([500, 'internal error'])
  expect(bug.json.message).toContain(String(bug.headers['request-id']))
  expect(bug.text).not.toContain('secret')
  expect(logged).toEqual(['error', 'error'])

  server.store.write = original
  expect((await write('m f=1')).status).toBe(204)
})

it('does not find paths, whatever is sent there', async () => {
  const { url, token } = await install()
  const types = ['application/json', 'text/plain', 'application/x-www-form-urlencoded', 'a/b']
  for (const type of types) {
    for (const body of ['', '{', 'x'.repeat(100_000)]) {
      const headers = { 'content-type': type }
      const answer = await send(`${url}/nowhere`, { method: 'POST', token, headers, body })
      expect([type, answer.status, answer.json]).toEqual([
        type,
        404,
        { code: 'not found', message: 'path not found' },
      ])
      expect((await send(`${url}/health`, { method: 'POST', headers, body })).status).toBe(405)
    }
  }
})

it('tells what Telegraf reads from InfluxDB 1', async () => {
  const { url, write, writeV1 } = await install()
  await write('m f=1 1\nm f=2 2\nbad')
  await writeV1('m f=3 3')
  const { status, json } = await send(`${url}/debug/vars`)
  expect(status).toBe(200)
  const { system, memstats, cmdline: _, ...points } = json
  expect(system.uptime).toBeGreaterThan(0)
  expect(memstats.HeapAlloc).toBeGreaterThan(0)
  // It takes the pause of the last collection out of a ring of 256.
  expect(memstats.PauseNs).toHaveLength(256)
  for (const point of Object.values(points)) {
    expect(point).toEqual({
      name: expect.any(String),
      tags: expect.any(Object),
      values: expect.any(Object),
    })
  }
  expect(points.write.values).toEqual({ req: 2, pointReq: 4, writeOk: 1, writeDrop: 1 })
  const [httpd] = Object.keys(points).filter((name) => name.startsWith('httpd:'))
  expect(points[httpd].values).toMatchObject({ writeReq: 2, clientError: 1, pointsWrittenOK: 3 })
})
