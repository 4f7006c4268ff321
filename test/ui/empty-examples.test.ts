// The commands that pages without anything offer to copy: each makes what it says, and is one that a shell takes apart
// as it was meant.

import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { commandText, examples } from '../../ui/src/parts/examples.js'
import { install, send, start, adminToken as token } from '../api/harness.js'

type Example = ReturnType<typeof examples.task> | ReturnType<typeof examples.secret>

/** Answers with what was made. */
async function make(place: { url: string; token: string }, { method, path, body }: Example) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await send(`${place.url}/${path}`, { method, token: place.token, body: text })
  expect([path, answer.status, answer.text]).toEqual([
    path,
    expect.toBeOneOf([200, 201, 204]),
    answer.text,
  ])
  return answer
}

it('makes the first of each kind', async () => {
  const place = await install()
  const { url, token: own } = place
  const orgs = await send(`${url}/api/v2/orgs`, { token: own })
  const { id: orgID, name: org } = orgs.json.orgs[0] as { id: string; name: string }
  const bucket = JSON.stringify({ orgID, name: 'sensors', retentionRules: [] })
  const made = await send(`${url}/api/v2/buckets`, { method: 'POST', token: own, body: bucket })
  const { write, silence, rule, mapping, endpoint, database, databaseToken, ...others } = examples
  for (const example of Object.values(others)) await make(place, example(orgID))
  await make(place, write(org, 'sensors'))
  await make(place, silence(orgID, '2100-01-01T00:00:00Z'))
  await make(place, mapping(orgID, made.json.id))
  await make(place, rule(orgID, (await make(place, endpoint(orgID))).json))
  const slack = { orgID, name: 's', type: 'slack', status: 'active', url: 'https://example.com' }
  const other = await make(place, { ...endpoint(orgID), body: slack })
  await make(place, rule(orgID, other.json))
})

it('makes the first of each kind in a cluster', async () => {
  const { url } = await start({ variant: 'cluster', adminToken: token })
  await make({ url, token }, examples.database())
  await make({ url, token }, examples.databaseToken())
  await make({ url, token }, examples.write('', 'sensors'))
})

it('is a command that a shell reads as it stands', () => {
  const example = { method: 'POST', path: 'api/v2/x?a=b&c=d', body: 'it\'s {"a":1} $HOME' } as const
  const command = commandText(example, 'http://127.0.0.1:1/below/')
  const script = `TOKEN=t; curl() { printf '%s\\n' "$@"; }; ${command}`
  const words = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).trimEnd().split('\n')
  expect(words).toEqual([
    ...['-X', 'POST', 'http://127.0.0.1:1/below/api/v2/x?a=b&c=d'],
    ...['-H', 'Authorization: Token t', '--data-raw', 'it\'s {"a":1} $HOME'],
  ])
})
