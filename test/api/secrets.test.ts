// Secrets: keys come back, values never do, neither in answers nor in logs.

import { expect, it } from 'vitest'
import { install, send } from './harness.js'

async function prepare() {
  const logged: unknown[] = []
  const log = (...entry: unknown[]) => {
    logged.push(entry)
  }
  const { url, token, orgId, server } = await install({ log, logLevel: 'debug' })
  const answers: string[] = []
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await send(`${url}/api/v2/orgs/${orgId}/secrets${path}`, {
      method,
      token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    answers.push(answer.text)
    return answer
  }
  const keys = async () => (await call('GET', '')).json.secrets
  return { orgId, catalog: server.catalog, call, keys, logged, answers }
}

it('adds, overwrites and deletes', async () => {
  const { orgId, catalog, call, keys } = await prepare()
  const org = `/api/v2/orgs/${orgId}`
  expect((await call('GET', '')).json).toEqual({
    links: { org, self: `${org}/secrets` },
    secrets: [],
  })
  expect((await call('PATCH', '', { b: '1', a: '2', c: '3' })).status).toBe(204)
  expect(await keys()).toEqual(['a', 'b', 'c'])
  expect((await call('PATCH', '', { a: 'new' })).status).toBe(204)
  expect(await catalog.secrets.get(orgId, 'a')).toBe('new')
  expect((await call('POST', '/delete', { secrets: ['a', 'unknown'] })).status).toBe(204)
  expect(await keys()).toEqual(['b', 'c'])
  expect((await call('DELETE', '/b')).status).toBe(204)
  expect(await keys()).toEqual(['c'])
  expect(await catalog.secrets.get(orgId, 'b')).toBeUndefined()
})

it('writes all of a request or nothing', async () => {
  const { call, keys } = await prepare()
  expect((await call('PATCH', '', { good: 'x', '': 'y' })).json.message).toBe('secret key is empty')
  expect((await call('PATCH', '', { good: 'x', bad: 5 })).status).toBe(400)
  expect((await call('POST', '/delete', {})).status).toBe(400)
  expect(await keys()).toEqual([])
})

it('shows no value to anybody', async () => {
  const { call, logged, answers } = await prepare()
  const value = 'value-that-nobody-may-see'
  await call('PATCH', '', { key: value })
  await call('PATCH', '', { key: value, '': value })
  await call('PATCH', '', { key: [value] })
  await call('GET', '')
  await call('DELETE', '/key')
  expect(logged.length).toBeGreaterThan(0)
  expect(JSON.stringify(logged)).not.toContain(value)
  expect(answers.join()).not.toContain(value)
})
