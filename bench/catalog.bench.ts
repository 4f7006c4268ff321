// A full catalog: how many lists of buckets and how many one-line writes a server answers, each
// checked by its token, before and after it holds very many buckets and tokens. Client and server
// share one process and so one core: what the server alone can do is more.

import { Agent, request } from 'node:http'
import { operatorPermissions } from '../src/access/permissions.js'
import { hashToken } from '../src/access/tokens.js'
import { type RunningServer, startServer } from '../src/index.js'
import type { Figures } from './cpu-data.js'

const connections = 8
/** Rows of one transaction. */
const rowsPerCommit = 5000

interface Site {
  readonly server: RunningServer
  readonly agent: Agent
  readonly token: string
  readonly orgId: string
}

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const isSmall = size === 'small'
  const bucketCount = isSmall ? 50 : 10_000
  const tokenCount = isSmall ? 100 : 100_000
  const requestCount = isSmall ? 100 : 10_000
  const server = await startServer({ jobs: 'inline' })
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  try {
    const site = await setUp(server, agent)
    // The first requests are slower: nothing is compiled yet.
    await writes(site, requestCount)
    const before = await writes(site, requestCount)
    const fillStart = performance.now()
    await fill(site, bucketCount, tokenCount)
    const fillSeconds = (performance.now() - fillStart) / 1000
    const after = await writes(site, requestCount)
    await lists(site, requestCount / 4)
    const listed = await lists(site, requestCount)
    const tokens = await manyTokens(site, tokenCount, requestCount)
    const buckets = await server.catalog.buckets.all()
    const all = await server.catalog.tokens.list({ orgId: site.orgId })
    return {
      name: 'catalog',
      figures: {
        rowsFilledPerSecond: (bucketCount + tokenCount) / fillSeconds,
        writesPerSecondBefore: before.perSecond,
        writesPerSecondAfter: after.perSecond,
        listsPerSecond: listed.perSecond,
        listsPerSecondTokensInTurn: tokens.perSecond,
      },
      check: `${buckets.length} buckets, ${all.length} tokens, ${listed.bytes} bytes a list`,
    }
  } finally {
    agent.destroy()
    await server.close()
  }
}

async function setUp(server: RunningServer, agent: Agent): Promise<Site> {
  const token = tokenText(0)
  const { catalog } = server
  const orgId = await catalog.inTransaction(async (inside) => {
    const org = await inside.organizations.create({ name: 'o' })
    await inside.buckets.create({ orgId: org.id, name: 'b', retentionSeconds: 0 })
    await addToken(inside, org.id, 0)
    return org.id
  })
  return { server, agent, token, orgId }
}

const tokenText = (number: number) => `token-number-${number}`

function addToken(catalog: RunningServer['catalog'], orgId: string, number: number) {
  return catalog.tokens.create({
    tokenHash: hashToken(tokenText(number)),
    orgId,
    userId: undefined,
    description: `number ${number}`,
    permissions: operatorPermissions(),
  })
}

async function fill(site: Site, bucketCount: number, tokenCount: number): Promise<void> {
  const { catalog } = site.server
  const { orgId } = site
  await inCommits(bucketCount, catalog, async (inside, number) => {
    await inside.buckets.create({ orgId, name: `bucket-${number}` })
  })
  await inCommits(tokenCount, catalog, async (inside, number) => {
    await addToken(inside, orgId, number)
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

interface Speed {
  readonly perSecond: number
  /** Of the last answer. */
  readonly bytes: number
}

function lists(site: Site, count: number): Promise<Speed> {
  return measure(count, () => ask(site, 'GET', '/api/v2/buckets?org=o', site.token))
}

/** More tokens than are remembered: each request costs a lookup. */
function manyTokens(site: Site, tokenCount: number, count: number): Promise<Speed> {
  return measure(count, (i) =>
    ask(site, 'GET', '/api/v2/buckets?org=o', tokenText((i * 7919) % tokenCount)),
  )
}

function writes(site: Site, count: number): Promise<Speed> {
  const path = '/api/v2/write?org=o&bucket=b'
  return measure(count, (i) => ask(site, 'POST', path, site.token, `m,h=a f=${i}i ${i + 1}`))
}

async function measure(count: number, work: (i: number) => Promise<number>): Promise<Speed> {
  let next = 0
  let bytes = 0
  const startMs = performance.now()
  const client = async () => {
    while (next < count) bytes = await work(next++)
  }
  await Promise.all(Array.from({ length: connections }, client))
  const perSecond = Math.round((count / (performance.now() - startMs)) * 1000)
  return { perSecond, bytes }
}

/** Resolves with the bytes of the answer. */
function ask(
  { server, agent }: Site,
  method: string,
  path: string,
  token: string,
  body?: string,
): Promise<number> {
  const headers = {
    authorization: `Token ${token}`,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  }
  const wanted = body === undefined ? 200 : 204
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, agent, method, path, headers }
    const sent = request(options, (response) => {
      let bytes = 0
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
      })
      response.on('end', () => {
        if (response.statusCode === wanted) resolve(bytes)
        else reject(new Error(`${method} ${path}: ${response.statusCode}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
