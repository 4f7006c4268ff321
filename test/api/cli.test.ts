// The command line as a user meets it: the built program in a process of its own.

import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { expect, it } from 'vitest'
import { send, temporaryFolder } from './client.js'
import { finish, run } from './program.js'

/** The address that the banner names. */
async function listening(child: ChildProcess): Promise<{ url: string; banner: string }> {
  let banner = ''
  for await (const chunk of child.stdout ?? []) {
    banner += chunk
    const match = /Listening on (http:\S+)\n/.exec(banner)
    if (match !== null && banner.includes('Next')) return { url: match[1], banner }
  }
  throw new Error(`no banner: ${banner}`)
}

const local = ['serve', '--http-address', '127.0.0.1:0']

it.each([
  [['serve', '--nope'], 'unknown flag --nope'],
  [['serve', '--max-body', 'many'], 'flag --max-body: "many" is not'],
  [['serve', '--variant'], 'flag --variant needs a value'],
  [['serve', '--config', '/nowhere.json'], 'flag --config: cannot read'],
  [['export', '--data-dir', '/nowhere', '--bucket', 'b'], 'flag --data-dir: there is no folder'],
  [['export'], 'flag --bucket is required'],
  [['dance'], 'unknown command "dance"'],
])('%j is called wrongly', async (args, message) => {
  const { code, errors } = await finish(run(args))
  expect(code).toBe(2)
  expect(errors).toContain(message)
})

it('helps', async () => {
  expect((await finish(run(['help']))).output).toContain('millrace serve')
  const { code, output } = await finish(run(['serve', '--help']))
  expect(code).toBe(0)
  expect(output).toContain('--http-address HOST:PORT')
  expect(output).toContain('[25000000]')
  expect((await finish(run(['version']))).output).toMatch(/^millrace \d/)
})

it('serves, stops on SIGTERM and exports what was written', async () => {
  const dataDir = temporaryFolder()
  const child = run([...local, '--data-dir', dataDir])
  const { url, banner } = await listening(child)
  expect(banner).toContain(`curl -X POST ${url}/api/v2/setup`)
  const setup = { username: 'u', org: 'o', bucket: 'b', retentionPeriodSeconds: 0 }
  const body = JSON.stringify(setup)
  const { json } = await send(`${url}/api/v2/setup`, { method: 'POST', body })
  const written = await send(`${url}/api/v2/write?bucket=b`, {
    method: 'POST',
    token: json.auth.token,
    body: 'm,t=a f=1 1\nm,t=a f=2 2\nn f=3 3',
  })
  expect(written.status).toBe(204)
  const taken = await finish(run(['export', '--data-dir', dataDir, '--bucket', 'b']))
  expect(taken.code).toBe(1)
  expect(taken.errors).toContain('in use')
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)

  const flags = ['export', '--data-dir', dataDir, '--bucket']
  const all = await finish(run([...flags, 'b']))
  expect([all.code, all.output]).toEqual([0, 'm,t=a f=1 1\nm,t=a f=2 2\nn f=3 3\n'])
  const part = await finish(run([...flags, json.bucket.id, '--measurement', 'm', '--stop', '2']))
  expect(part.output).toBe('m,t=a f=1 1\n')
  const missing = await finish(run([...flags, 'x']))
  expect([missing.code, missing.errors]).toEqual([1, 'millrace: bucket "x" not found\n'])
})

it('stops at once on a second signal', async () => {
  const child = run([...local, '--memory', '--variant', 'cluster', '--admin-token', 't'])
  const { url } = await listening(child)
  // A write that never ends keeps the first signal waiting.
  const sent = httpRequest(`${url}/write?db=d`, {
    method: 'POST',
    headers: { authorization: 'Token t', 'content-length': 100 },
  })
  sent.on('error', () => {})
  await new Promise((resolve) => sent.write('m', resolve))
  await new Promise((resolve) => setTimeout(resolve, 200))
  child.kill('SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect((await once(child, 'exit'))[0]).toBe(1)
})

it('prefers flags over environment over file', async () => {
  const file = `${temporaryFolder()}/config.json`
  writeFileSync(file, JSON.stringify({ memory: true, variant: 'cluster', 'max-body': 10 }))
  const environment = { MILLRACE_CONFIG: file, MILLRACE_ADMIN_TOKEN: 't', MILLRACE_MAX_BODY: '20' }
  const child = run([...local, '--max-body', '30'], environment)
  const { url, banner } = await listening(child)
  expect(banner).toContain('cluster variant, everything is kept in memory')
  const body = 'x'.repeat(31)
  const answer = await send(`${url}/write?db=d`, { method: 'POST', token: 't', body })
  expect(answer.json.maxLength).toBe(30)
  child.kill('SIGINT')
  expect((await once(child, 'exit'))[0]).toBe(0)
})
