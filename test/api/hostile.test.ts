// Every route of the API document meets input that nobody means well with, sent by somebody who may
// do anything and by the owner of an organization: each answer says what was wrong in the way that
// the interface promises, none is a failure of the server, and the server goes on.

import { expect, it } from 'vitest'
import {
  brokenBodies,
  goodBody,
  hostileIds,
  hostileQueries,
  injection,
  strangeNames,
  wrongBodies,
} from './hostile-input.js'
import { attackers, makeTarget } from './hostile-target.js'

const timeout = 300_000

/** As many at once as a client with a grudge would send. */
async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<unknown>) {
  const rest = items[Symbol.iterator]()
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await work(next.value)
  }
  await Promise.all(Array.from({ length: 16 }, worker))
}

it.each(attackers)(
  'refuses wrong values in every field of every body (%s)',
  { timeout },
  async (attacker) => {
    const target = await makeTarget(attacker)
    let sent = 0
    let turn = 0
    for (const { method, path, schema } of target.routes) {
      if (schema === undefined) continue
      const url = target.concrete(path)
      const body = goodBody(schema, target.known, `good-${sent}`)
      turn += 5
      // One after the other in turn goes to each of them.
      await inParallel(wrongBodies(body, turn), async (text) => {
        if (sent++ % attackers.length !== attackers.indexOf(attacker)) return
        await target.attack(url, { method, body: text })
      })
    }
    console.info({ sent })
    expect(sent).toBeGreaterThan(6000)
    await target.finish()
  },
)

it.each(attackers)(
  'refuses bodies that are not JSON, not whole, or bottomless (%s)',
  { timeout },
  async (attacker) => {
    const target = await makeTarget(attacker)
    const bodied = target.routes.filter(({ method }) => method !== 'GET')
    for (const { method, path, schema } of bodied) {
      const url = target.concrete(path)
      const good = goodBody(schema ?? { type: 'object' }, target.known, 'broken')
      await inParallel(brokenBodies(good), (body) => target.attack(url, { method, body }))
    }
    await target.finish()
  },
)

it.each(attackers)('refuses bodies beyond 4 MB with 413 (%s)', { timeout }, async (attacker) => {
  const target = await makeTarget(attacker)
  const body = Buffer.alloc(4 * 1024 * 1024 + 1, ' ')
  const bodied = target.routes.filter(({ schema }) => schema !== undefined)
  expect(bodied.length).toBeGreaterThan(50)
  for (const { method, path } of bodied) {
    const options = { method, body, headers: { connection: 'close' } }
    const answer = await target.attack(target.concrete(path), options)
    // What is the operator's alone is refused before the body is read.
    const isOperators = /^\/api\/(?:v2\/setup\/user|v3\/(?:enterprise\/)?configure\/token)/.test(
      path,
    )
    const isRefused = attacker === 'owner' && isOperators
    const expected = isRefused ? [401, 'unauthorized'] : [413, 'request too large']
    expect([answer.status, answer.json.code], `${method} ${path}`).toEqual(expected)
  }
  const chunked = await target.attack('/api/v2/labels', { method: 'POST', body, chunked: true })
  expect(chunked.status).toBe(413)
  await target.finish()
})

it.each(attackers)('refuses ids that are none (%s)', { timeout }, async (attacker) => {
  const target = await makeTarget(attacker)
  const withIds = target.routes.filter(({ path }) => path.includes('{'))
  for (const { method, path, schema } of withIds) {
    const good = goodBody(schema ?? { type: 'object' }, target.known, 'id')
    const body = method === 'GET' ? {} : { body: JSON.stringify(good) }
    await inParallel(hostileIds, async (id) => {
      const everywhere = path.replace(/\{\w+\}/g, () => id)
      const { status } = await target.attack(everywhere, { method, ...body })
      // What is not there may count as deleted.
      if (status < 300 && method !== 'DELETE')
        target.wrong.push(`${method} ${everywhere} has ${status}`)
      if (!/\{.*\{/.test(path)) return
      const last = target.concrete(path.replace(/\{\w+\}(?!.*\{)/, '\u0001')).replace('\u0001', id)
      await target.attack(last, { method, ...body })
    })
  }
  await target.finish()
})

it.each(attackers)(
  'reads or refuses query parameters of every kind (%s)',
  { timeout },
  async (attacker) => {
    const target = await makeTarget(attacker)
    const queries = hostileQueries()
    let turn = 0
    const plain = target.routes.filter(
      ({ path, method }) => method === 'GET' || !path.includes('{'),
    )
    for (const { method, path, schema } of plain) {
      const url = target.concrete(path)
      const isList = method === 'GET' && !path.includes('{')
      const body = schema === undefined ? {} : { body: '{}' }
      turn++
      const some = queries.filter((_, index) => (index + turn) % (isList ? 8 : 50) === 0)
      await inParallel(some, (query) => target.attack(`${url}${query}`, { method, ...body }))
    }
    await target.finish()
  },
)

it.each(attackers)('keeps strange names as they are and out of headers (%s)', async (attacker) => {
  const target = await makeTarget(attacker)
  const { orgId: orgID } = target
  const plurals = ['buckets', 'labels', 'dashboards', 'variables']
  if (attacker === 'operator') plurals.push('orgs', 'users')
  for (const plural of plurals) {
    let keptCount = 0
    for (const name of strangeNames) {
      const values = { type: 'constant', values: [name] }
      const body = JSON.stringify({ orgID, name, description: name, arguments: values })
      const made = await target.attack(`/api/v2/${plural}`, { method: 'POST', body })
      // The second one is told that the name is taken, in the body and in a header.
      await target.attack(`/api/v2/${plural}`, { method: 'POST', body })
      const found = made.json.label ?? made.json
      if (made.status !== 201) continue
      const again = await target.attack(`/api/v2/${plural}/${found.id}`, { method: 'GET' })
      const kept = again.json.label ?? again.json
      expect(kept.name, plural).toBe(found.name)
      const whole = name.replace(/[\ud800-\udfff]/u, '\ufffd').trim()
      expect(kept.name.trim(), plural).toBe(whole)
      keptCount++
    }
    expect(keptCount, plural).toBeGreaterThan(0)
  }
  const headers = { 'request-id': 'a b', origin: 'http://x' }
  const missing = await target.attack(
    `/api/v2/dashboards?org=${encodeURIComponent(`${injection}?`)}`,
    {
      method: 'GET',
      headers,
    },
  )
  expect(missing.status).toBe(404)
  expect(missing.headers['x-influxdb-error']).not.toContain('\n')
  await target.finish()
})

it('exports dashboards whose views hold anything', async () => {
  const target = await makeTarget()
  const view = `${target.concrete('/api/v2/dashboards/{id}/cells/{cellID}')}/view`
  const resources = [{ kind: 'Dashboard', id: view.split('/')[4] }]
  let keptCount = 0
  for (const value of [null, 1, '', 'constructor', [null], [[]], { y: null }]) {
    const properties = { type: 'xy', queries: value, axes: value }
    const body = JSON.stringify({ name: 'v', properties })
    const kept = await target.attack(view, { method: 'PATCH', body })
    if (kept.status !== 200) continue
    keptCount++
    const path = '/api/v2/templates/export'
    const exported = await target.attack(path, {
      method: 'POST',
      body: JSON.stringify({ resources }),
    })
    expect(exported.status).toBe(200)
    const template = JSON.stringify({ orgID: target.orgId, template: { contents: exported.json } })
    await target.attack('/api/v2/templates/apply', { method: 'POST', body: template })
  }
  expect(keptCount).toBeGreaterThan(0)
  await target.finish()
})
