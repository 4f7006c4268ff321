// The commands that pages without anything offer to copy: each makes what it says, and is one that a shell takes apart
// as it was meant.

import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { commandText, examples } from '../../ui/src/parts/examples.js'
import { install, send } from '../api/harness.js'

it('makes the first of each kind', async () => {
  const { url, token } = await install()
  const orgs = await send(`${url}/api/v2/orgs`, { token })
  const { id: orgID, name: org } = orgs.json.orgs[0] as { id: string; name: string }
  const bucket = JSON.stringify({ orgID, name: 'sensors', retentionRules: [] })
  await send(`${url}/api/v2/buckets`, { method: 'POST', token, body: bucket })
  const { write, ...others } = examples
  const all = Object.entries(others).map(([kind, make]) => [kind, make(orgID)] as const)
  for (const [kind, { method, path, body }] of [
    ...all,
    ['write', write(org, 'sensors')] as const,
  ]) {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await send(`${url}/${path}`, { method, token, body: text })
    const wanted = kind === 'secret' || kind === 'write' ? 204 : 201
    expect([kind, answer.status, wanted === answer.status ? '' : answer.text]).toEqual([
      kind,
      wanted,
      '',
    ])
  }
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
