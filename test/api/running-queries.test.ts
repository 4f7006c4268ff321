// `/api/v2/queries`: what runs, with what it has read; who sees and stops which.

import { expect, it } from 'vitest'
import { type Installation, install, send } from './harness.js'
import { openFlux } from './query-v2-client.js'

const path = '/api/v2/queries'

function list({ url }: Installation, token: string) {
  return send(`${url}${path}`, { token })
}

/** More than the connection's buffers take: it runs until it is read or stopped. */
async function withPoints(): Promise<Installation> {
  const place = await install()
  const lines = Array.from({ length: 100_000 }, (_, i) => `m,host=${i % 10} f=${i}i ${i}`)
  expect((await place.write(lines.join('\n'))).status).toBe(204)
  return place
}

it('shows members their own queries and operators all, and stops them', async () => {
  const place = await withPoints()
  const readAll = [{ action: 'read', resource: { type: 'buckets' } }] as const
  const [reader, other] = [await place.addToken(readAll), await place.addToken(readAll)]
  expect((await list(place, reader)).json).toEqual({ links: { self: path }, queries: [] })
  const script = 'from(bucket: "b") |> range(start: 0)'
  const answer = await openFlux({ ...place, token: reader }, script)
  const failed = new Promise((resolve) => answer.on('error', resolve).on('end', resolve))
  const { queries } = (await list(place, reader)).json
  expect(queries).toEqual([
    {
      id: expect.stringMatching(/^\d+$/),
      language: 'flux',
      query: script,
      orgID: place.orgId,
      requestID: answer.headers['x-request-id'],
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      elapsedMs: expect.any(Number),
      rowsRead: expect.any(Number),
      memoryBytes: expect.any(Number),
      status: 'running',
    },
  ])
  expect(queries[0].rowsRead).toBeGreaterThan(0)
  const [{ id }] = queries
  const remove = (token: string, which: string) =>
    send(`${place.url}${path}/${which}`, { method: 'DELETE', token })
  expect((await send(`${place.url}${path}/${id}`, { token: reader })).json).toMatchObject({ id })
  // To others it is not there.
  expect((await list(place, other)).json.queries).toEqual([])
  expect((await remove(other, id)).json).toMatchObject({ code: 'not found' })
  expect((await list(place, place.token)).json.queries).toMatchObject([{ id }])
  expect((await remove(place.token, 'x')).status).toBe(404)
  expect((await remove(reader, id)).status).toBe(204)
  answer.resume()
  await failed
  expect((await list(place, place.token)).json.queries).toEqual([])
  expect((await remove(reader, id)).status).toBe(404)
})

it('tells the slowest of the last hour, members their own', async () => {
  const place = await install()
  await place.write('m f=1 1')
  const readAll = [{ action: 'read', resource: { type: 'buckets' } }] as const
  const [reader, other] = [await place.addToken(readAll), await place.addToken(readAll)]
  const slowest = async (token: string) =>
    (await send(`${place.url}${path}/slowest`, { token })).json.queries
  expect(await slowest(place.token)).toEqual([])
  const script = 'from(bucket: "b") |> range(start: 0)'
  const answer = await openFlux({ ...place, token: reader }, script)
  await new Promise((resolve) => answer.on('end', resolve).resume())
  await expect
    .poll(() => slowest(reader))
    .toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        language: 'flux',
        query: script,
        orgID: place.orgId,
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        elapsedMs: expect.any(Number),
        rowsRead: 1,
        memoryBytes: expect.any(Number),
        status: 'ended',
      },
    ])
  expect(await slowest(other)).toEqual([])
  expect(await slowest(place.token)).toHaveLength(1)
  expect((await send(`${place.url}${path}/slowest`, {})).status).toBe(401)
})
