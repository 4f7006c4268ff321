// The cluster variant killed and started again on one folder: databases, tokens and revocations that
// were answered are there, and no token that was revoked comes back.

import { expect, it } from 'vitest'
import { send, temporaryFolder } from '../api/client.js'
import { type ServerProcess, serve } from './server-process.js'

const admin = 'the-admin'
const flags = ['--variant', 'cluster', '--admin-token', admin]
const kills = 4

const post = async (url: string, path: string, body: object) => {
  const answer = await send(`${url}/api/v3/configure/${path}`, {
    method: 'POST',
    token: admin,
    body: JSON.stringify(body),
  })
  if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.json
}

const write = async (url: string, db: string, token: string) =>
  (await send(`${url}/write?db=${db}`, { method: 'POST', token, body: 'm f=1' })).status

interface Kept {
  readonly db: string
  readonly token: string
  readonly isRevoked: boolean
}

/** A database, a token for it, and every second time the end of the token. */
async function make(url: string, number: number): Promise<Kept> {
  const db = `d${number}`
  await post(url, 'database', { db, retention_period: '30d' })
  const permissions = [{ resource_type: 'db', resource_names: [db], actions: ['write'] }]
  const { token, id } = await post(url, 'token', { permissions })
  expect(await write(url, db, token)).toBe(204)
  const isRevoked = number % 2 === 0
  if (isRevoked) {
    const path = `/api/v3/configure/token?id=${id}`
    expect((await send(url + path, { method: 'DELETE', token: admin })).status).toBe(200)
  }
  return { db, token, isRevoked }
}

it(`keeps databases, tokens and revocations when it is killed ${kills} times`, async () => {
  const dataDir = temporaryFolder()
  const kept: Kept[] = []
  let server: ServerProcess = await serve(dataDir, flags)
  for (let kill = 0; kill < kills; kill++) {
    for (let i = 0; i < 3; i++) kept.push(await make(server.url, kept.length))
    expect(await server.end('SIGKILL')).toBeNull()
    server = await serve(dataDir, flags)
    const { url } = server
    for (const { db, token, isRevoked } of kept) {
      expect([db, await write(url, db, token)]).toEqual([db, isRevoked ? 401 : 204])
    }
    const { json } = await send(`${url}/api/v3/configure/database`, { token: admin })
    expect(json).toHaveLength(kept.length)
    for (const database of json) expect(database.retention_period).toBe('30d')
  }
  expect(await server.end('SIGTERM')).toBe(0)
})
