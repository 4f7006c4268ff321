// Two processes over one catalog in PostgreSQL: how long a change takes at the one, which is answered when it holds at
// the other, and whether it does hold there at once. Median and slowest, in milliseconds of the clock.

import { startPostgresServer } from '../test/catalog/postgres-databases.js'
import type { Figures } from './cpu-data.js'
import { type RunningSystem, startNode } from './ingest-systems.js'

const rounds = { small: 3, large: 100 } as const
/** The first ones are slower: nothing is compiled yet. */
const warmUps = 10

export async function run(size: keyof typeof rounds): Promise<Figures> {
  const postgres = await startPostgresServer()
  const nodes: RunningSystem[] = []
  try {
    const catalog = await postgres.newDatabase()
    for (const name of ['one', 'other']) {
      const flags = ['--catalog', catalog, '--node-id', name]
      nodes.push(await startNode(flags, nodes[0]?.headers))
    }
    const [one, other] = nodes
    const orgID = (await call(one, 'GET', '/api/v2/orgs')).json.orgs[0].id
    const times = new Map<string, number[]>()
    let late = 0
    for (let round = 0; round < warmUps + rounds[size]; round++) {
      const each = await changes(one, other, orgID, round)
      late += each.late
      if (round < warmUps) continue
      for (const [name, ms] of Object.entries(each.times)) {
        times.set(name, [...(times.get(name) ?? []), ms])
      }
    }
    const figures: Record<string, number> = {}
    for (const [name, list] of times) {
      const sorted = list.sort((a, b) => a - b)
      figures[`${name} ms`] = sorted[Math.floor(sorted.length / 2)]
      figures[`${name} ms, slowest`] = sorted[sorted.length - 1]
    }
    return { name: 'propagation', figures, check: `${late} did not hold at once` }
  } finally {
    for (const node of nodes) await node.stop()
    await postgres.stop()
  }
}

/** `late`: how many of them did not hold at the other when they were answered. */
async function changes(one: RunningSystem, other: RunningSystem, orgID: string, round: number) {
  const permissions = [{ action: 'read', resource: { type: 'buckets', orgID } }]
  const made = await call(one, 'POST', '/api/v2/authorizations', { orgID, permissions })
  const list = async () =>
    (await call(other, 'GET', '/api/v2/buckets', undefined, made.json.token)).status
  const isKnown = (await list()) === 200
  const revoked = await call(one, 'DELETE', `/api/v2/authorizations/${made.json.id}`)
  const isRefused = (await list()) === 401
  const bucket = await call(one, 'POST', '/api/v2/buckets', {
    orgID,
    name: `b${round}`,
    retentionRules: [],
  })
  const { status } = await call(other, 'GET', `/api/v2/buckets/${bucket.json.id}`)
  return {
    late: [isKnown, isRefused, status === 200].filter((holds) => !holds).length,
    times: { 'token made': made.ms, 'token revoked': revoked.ms, 'bucket made': bucket.ms },
  }
}

async function call(
  { port, headers }: RunningSystem,
  method: string,
  path: string,
  body?: object,
  token?: string,
) {
  const authorization = token === undefined ? headers.trim().split(': ')[1] : `Token ${token}`
  const begun = performance.now()
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  const ms = performance.now() - begun
  return { status: answer.status, ms, json: text === '' ? undefined : JSON.parse(text) }
}
