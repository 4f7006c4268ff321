// A full catalog: what a list of buckets and a write of one line cost the server, each checked by its token, before and
// after it holds very many buckets and tokens. The client is another process; figures are requests per second of CPU
// time that this process, the server, spent with all its threads, and so do not depend on what else the machine does.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { operatorPermissions, type Permission } from '../src/access/permissions.js'
import { hashToken } from '../src/access/tokens.js'
import { type RunningServer, startServer } from '../src/index.js'
import type { Figures } from './cpu-data.js'

const connections = 8
/** Rows of one transaction. */
const rowsPerCommit = 5000
const bytesPerMB = 1e6

interface Site {
  readonly server: RunningServer
  readonly client: ChildProcess
  readonly orgId: string
}

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const isSmall = size === 'small'
  const bucketCount = isSmall ? 50 : 10_000
  const tokenCount = isSmall ? 100 : 100_000
  const requestCount = isSmall ? 100 : 20_000
  const server = await startServer({ jobs: 'inline' })
  const client = fork(fileURLToPath(new URL('./load-client.mjs', import.meta.url)))
  try {
    const site = { server, client, orgId: await setUp(server) }
    // The first requests are slower: nothing is compiled yet.
    await writes(site, requestCount)
    await lists(site, requestCount)
    const before = await writes(site, requestCount)
    const rssBefore = process.memoryUsage.rss()
    const fillStart = performance.now()
    await fill(site, bucketCount, tokenCount)
    const fillSeconds = (performance.now() - fillStart) / 1000
    const rssAfter = process.memoryUsage.rss()
    const after = await writes(site, requestCount)
    const listed = await lists(site, requestCount)
    const tokens = await manyTokens(site, tokenCount, requestCount)
    const buckets = await server.catalog.buckets.all()
    const pages = await manyPages(site, buckets, requestCount)
    const all = await server.catalog.tokens.list({ orgId: site.orgId })
    return {
      name: 'catalog',
      figures: {
        rowsFilledPerSecond: (bucketCount + tokenCount) / fillSeconds,
        rssMegabytesBefore: rssBefore / bytesPerMB,
        rssMegabytesAfter: rssAfter / bytesPerMB,
        writesPerCpuSecondBefore: before.perCpuSecond,
        writesPerCpuSecondAfter: after.perCpuSecond,
        listsPerCpuSecond: listed.perCpuSecond,
        listsPerSecond: listed.perSecond,
        listsPerCpuSecondTokensInTurn: tokens.perCpuSecond,
        listsPerCpuSecondPagesInTurn: pages.perCpuSecond,
      },
      check: `${buckets.length} buckets, ${all.length} tokens, ${listed.bytes} bytes a list`,
    }
  } finally {
    client.kill()
    await server.close()
  }
}

function setUp({ catalog }: RunningServer): Promise<string> {
  return catalog.inTransaction(async (inside) => {
    const org = await inside.organizations.create({ name: 'o' })
    await inside.buckets.create({ orgId: org.id, name: 'b', retentionSeconds: 0 })
    await addToken(inside, org.id, 0, operatorPermissions())
    return org.id
  })
}

const tokenText = (number: number) => `token-number-${number}`

function addToken(
  catalog: RunningServer['catalog'],
  orgId: string,
  number: number,
  permissions: readonly Permission[],
) {
  return catalog.tokens.create({
    tokenHash: hashToken(tokenText(number)),
    orgId,
    userId: undefined,
    description: `number ${number}`,
    permissions,
  })
}

async function fill(site: Site, bucketCount: number, tokenCount: number): Promise<void> {
  const { catalog } = site.server
  const { orgId } = site
  await inCommits(bucketCount, catalog, async (inside, number) => {
    await inside.buckets.create({ orgId, name: `bucket-${number}` })
  })
  // What agents have.
  const resource = { type: 'buckets', orgID: orgId } as const
  const permissions: Permission[] = [
    { action: 'read', resource },
    { action: 'write', resource },
  ]
  await inCommits(tokenCount, catalog, async (inside, number) => {
    await addToken(inside, orgId, number, permissions)
  })
}

/** Numbers from 1 on. */
async function inCommits(
  count: number,
  catalog: RunningServer['catalog'],
  work: (inside: RunningServer['catalog'], number: number) => Promise<void>,
): Promise<void> {
  for (let start = 1; start <= count; start += rowsPerCommit) {
    await catalog.inTransaction(async (inside) => {
      const stop = Math.min(start + rowsPerCommit, count + 1)
      for (let number = start; number < stop; number++) await work(inside, number)
    })
  }
}

function lists(site: Site, count: number): Promise<Speed> {
  const text = requestText('GET /api/v2/buckets?org=o', tokenText(0))
  return measure(site, Array<string>(count).fill(text), 200)
}

/** More tokens than are remembered: each request costs a lookup. */
function manyTokens(site: Site, tokenCount: number, count: number): Promise<Speed> {
  const requests = Array.from({ length: count }, (_, i) =>
    requestText('GET /api/v2/buckets?org=o', tokenText((i * 7919) % tokenCount)),
  )
  return measure(site, requests, 200)
}

/** More pages than are remembered: each request asks the database. */
function manyPages(
  site: Site,
  buckets: readonly { readonly id: string }[],
  count: number,
): Promise<Speed> {
  const requests = Array.from({ length: count }, (_, i) => {
    const after = buckets[i % buckets.length].id
    return requestText(`GET /api/v2/buckets?org=o&after=${after}`, tokenText(0))
  })
  return measure(site, requests, 200)
}

function writes(site: Site, count: number): Promise<Speed> {
  const requests = Array.from({ length: count }, (_, i) =>
    requestText('POST /api/v2/write?org=o&bucket=b', tokenText(0), `m,h=a f=${i}i ${i + 1}`),
  )
  return measure(site, requests, 204)
}

function requestText(methodAndPath: string, token: string, body?: string): string {
  const head = `${methodAndPath} HTTP/1.1\r\nhost: localhost\r\nauthorization: Token ${token}\r\n`
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${body.length}\r\n\r\n${body}`
}

interface Speed {
  readonly perSecond: number
  readonly perCpuSecond: number
  /** Of the last answer. */
  readonly bytes: number
}

async function measure(site: Site, requests: readonly string[], status: number): Promise<Speed> {
  const { client, server } = site
  const task = { port: server.port, connections, requests, status }
  // What telling the client costs is not counted.
  await new Promise((resolve) => client.send(task, resolve))
  const start = process.cpuUsage()
  const [{ seconds, bytes, error }] = await once(client, 'message')
  if (error !== undefined) throw new Error(error)
  const { user, system } = process.cpuUsage(start)
  const perCpuSecond = (requests.length / (user + system)) * 1e6
  return { perSecond: requests.length / seconds, perCpuSecond, bytes }
}
