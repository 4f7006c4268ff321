// Starts real servers for the API tests and talks to them over real HTTP. Every server started here
// is stopped when its test ends.

import { mkdtempSync, rmSync } from 'node:fs'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'
import type { Permission } from '../../src/access/permissions.js'
import { hashToken } from '../../src/access/tokens.js'
import { type RunningServer, type ServerOptions, startServer } from '../../src/index.js'
import { emptyCatalog } from '../catalog/postgres-databases.js'

export const adminToken = 'admin-token-of-the-tests'

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any
}

export interface SendOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly token?: string
  /** Sends the body in pieces without a Content-Length. */
  readonly chunked?: boolean
}

/** node:http instead of fetch: it sends what it is told to, and nothing more. */
export function send(url: string, options: SendOptions = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, token, chunked = false } = options
  const authorization = token === undefined ? {} : { authorization: `Token ${token}` }
  const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method, headers: { ...authorization, ...length, ...headers } })
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = /\bjson\b/.test(response.headers['content-type'] ?? '')
        const json = isJson && text !== '' ? JSON.parse(text) : undefined
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json })
      })
    })
    sent.on('error', reject)
    if (chunked && body !== undefined) sendPieces(sent, Buffer.from(body))
    else sent.end(body)
  })
}

function sendPieces(sent: ReturnType<typeof httpRequest>, body: Buffer): void {
  const pieceBytes = 16 * 1024
  for (let at = 0; at < body.length; at += pieceBytes) {
    sent.write(body.subarray(at, at + pieceBytes))
  }
  sent.end()
}

export async function start(options: ServerOptions = {}): Promise<RunningServer> {
  const server = await launch(options)
  onTestFinished(() => server.close())
  return server
}

/** Closed by whoever asked: for a server that all tests of a file share. */
export async function launch(options: ServerOptions = {}): Promise<RunningServer> {
  return startServer({ jobs: 'inline', ...(await catalogOf(options)), ...options })
}

/** Another than the usual one where the tests are run on PostgreSQL. */
async function catalogOf({ dataDir }: ServerOptions): Promise<ServerOptions> {
  const catalog = await emptyCatalog()
  return catalog === ':memory:' || dataDir !== undefined ? {} : { catalog }
}

/** Gone when the test ends, after the servers that were started later. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(`${tmpdir()}/millrace-api-`)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
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
