// Scripts of a server reach private hosts only where the server was started so. Its own address is one.

import { expect, it } from 'vitest'
import { RecordingServer } from '../flux/outgoing.js'
import { install } from './harness.js'
import { askFlux, csv } from './query-v2-client.js'

const script = (url: string) => `import "array"
import "http"
array.from(rows: [{status: http.post(url: "${url}", data: bytes(v: "x"))}])`

it('refuses the machine it runs on', async () => {
  const place = await install()
  const { status, json } = await askFlux(place, script(`${place.url}/api/v2/write`))
  expect(status).toBe(400)
  expect(json.code).toBe('invalid')
  expect(json.message).toMatch(/no such host$/)
})

it('reaches it where that is allowed', async () => {
  const place = await install({ fluxPrivateHosts: true })
  const other = await RecordingServer.start()
  const { text } = await askFlux(place, script(other.url))
  expect(text).toBe(csv(',result,table,status', ',_result,0,200', ''))
  expect(other.only().body).toBe('x')
  await other.stop()
})
