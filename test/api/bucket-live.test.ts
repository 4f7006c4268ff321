// `/api/v2/buckets/{id}/live`: what is written reaches those who watch, and only what they may see and asked for.

import type { IncomingMessage } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { type Installation, install, send } from './harness.js'
import { open } from './query-v1-client.js'

async function watch({ url }: Installation, token: string, bucketId: string, query = '') {
  const headers = { authorization: `Token ${token}`, accept: 'text/event-stream' }
  const answer = await open(`${url}/api/v2/buckets/${bucketId}/live${query}`, { headers })
  onTestFinished(() => void answer.destroy())
  return answer
}

/** The events that come until some have, as their data. */
async function events(answer: IncomingMessage, count: number) {
  const found: { lines: string[]; skipped: number }[] = []
  let text = ''
  for await (const chunk of answer.iterator({ destroyOnReturn: false })) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined) found.push(JSON.parse(data))
    }
    if (found.length >= count) break
  }
  return found
}

it('sends what is written, of one measurement where that is asked for', async () => {
  const place = await install()
  const { token, bucketId } = place
  const [all, one] = [
    await watch(place, token, bucketId),
    await watch(place, token, bucketId, '?measurement=n'),
  ]
  expect(all.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  // The second m is of another type: the store refuses it, and nobody is told of it.
  expect((await place.write('m,t=a f=1 1')).status).toBe(204)
  expect((await place.write('m f="x" 2\nn g=2i 3\nbroken')).status).toBe(400)
  const told = (await events(all, 1)).flatMap(({ lines }) => lines)
  expect(told.join('')).toContain('m,t=a f=1 1\n')
  expect(told.join('')).not.toContain('"x"')
  expect(await events(one, 1)).toEqual([{ lines: ['n g=2i 3\n'], skipped: 0 }])
})

it('counts what is too much, and ends with the server', async () => {
  const place = await install()
  const answer = await watch(place, place.token, place.bucketId)
  const lines = Array.from({ length: 500 }, (_, i) => `m f=${i} ${i}`)
  await place.write(lines.join('\n'))
  const [{ lines: shown, skipped }] = await events(answer, 1)
  expect([shown.length, skipped]).toEqual([200, 300])
  const ended = new Promise((resolve) => answer.once('close', resolve))
  answer.resume()
  await place.server.close()
  await ended
})

it('is for those who may read the bucket', async () => {
  const place = await install()
  const path = `${place.url}/api/v2/buckets/${place.bucketId}/live`
  expect((await send(path)).status).toBe(401)
  const other = await place.addToken([
    { action: 'read', resource: { type: 'buckets', id: '0123456789abcdef' } },
  ])
  expect((await send(path, { token: other })).status).toBe(401)
  const plain = await send(path, { token: place.token })
  expect([plain.status, plain.json.code]).toEqual([400, 'invalid'])
  const none = `${place.url}/api/v2/buckets/0123456789abcdef/live`
  expect((await send(none, { token: place.token })).status).toBe(404)
})
