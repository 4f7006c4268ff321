// Starts real servers for the API tests, which talk to them over real HTTP. Every server started here is stopped when
// its test ends.

import { onTestFinished } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.js'
import { emptyCatalog } from '../catalog/postgres-databases.js'
import { type Answer, type SendOptions, send } from './client.js'

export { type Answer, adminToken, type SendOptions, send, temporaryFolder } from './client.js'

export async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await launch(options)
  onTestFinished(() => server.close())
  return server
}

/** Closed by whoever asked: for a server that all tests of a file share. */
export async function launch(options: ServerOptions = {}): Promise<RunningServer> {
  // Passwords are hashed as cheaply as the program can be told: their cost is what it takes to guess them.
  const usual = { jobs: 'inline', passwordHashCost: 10 } as const
  return startServer({ ...usual, ...(await catalogOf(options)), ...options })
}

/** Another than the usual one where the tests are run on PostgreSQL. */
async function catalogOf({ dataDir }: ServerOptions): Promise<ServerOptions> {
  const catalog = await emptyCatalog()
  return catalog === ':memory:' || dataDir !== undefined ? {} : { catalog }
}

export interface Installation {
  readonly server: RunningServer
  readonly url: string
  readonly token: string
  readonly orgId: string
  readonly bucketId: string
  write(lines: string | Uint8Array, options?: SendOptions & { query?: string }): Promise<Answer>
  writeV1(lines: string | Uint8Array, options?: SendOptions & { query?: string }): Promise<Answer>
  /** The bucket's content as sorted lines. */
  lines(bucket?: string): Promise<string[]>
  addToken(permissions: readonly Permission[], orgId?: string): Promise<string>
}

/**
 * A managed server that was set up with organization `o` and bucket `b`, which keeps its points for
 * ever.
 */
export async function install(options: ServerOptions = {}): Promise<Installation> {
  return installOn(await start(options))
}

export async function installOn(server: RunningServer): Promise<Installation> {
  // Without a password: hashing one takes longer than most tests.
  const body = { username: 'u', org: 'o', bucket: 'b' }
  const answer = await send(`${server.url}/api/v2/setup`, {
    method: 'POST',
    body: JSON.stringify({ ...body, retentionPeriodSeconds: 0 }),
  })
  const { auth, org, bucket } = answer.json
  return installation(server, auth.token, org.id, bucket.id)
}

export function installation(
  server: RunningServer,
  token: string,
  orgId: string,
  bucketId: string,
): Installation {
  const { url } = server
  let tokens = 0
  return {
    server,
    url,
    token,
    orgId,
    bucketId,
    write(lines, { query = '', ...rest } = {}) {
      const target = `${url}/api/v2/write?org=o&bucket=b${query}`
      return send(target, { method: 'POST', token, body: lines, ...rest })
    },
    writeV1(lines, { query = '?db=b', ...rest } = {}) {
      return send(`${url}/write${query}`, { method: 'POST', token, body: lines, ...rest })
    },
    async lines(bucket = 'b') {
      const answer = await send(`${url}/debug/export?bucket=${bucket}`, { token })
      return answer.text
        .split('\n')
        .filter((line) => line !== '')
        .sort()
    },
    async addToken(permissions, owner = orgId) {
      const text = `token-${++tokens}`
      await server.catalog.tokens.create({
        tokenHash: hashToken(text),
        orgId: owner,
        userId: undefined,
        description: '',
        permissions,
      })
      return text
    },
  }
}

/** Sends JSON with the operator's token. */
export function caller(place: Installation) {
  return (method: string, path: string, body?: unknown): Promise<Answer> =>
    send(`${place.url}${path}`, {
      method,
      token: place.token,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}
