// Two processes over two shards of two replicas each and one PostgreSQL, under load, while everything fails that may
// fail: processes, replicas, the keeper and PostgreSQL are killed and frozen, replicas robbed of their disk, lines cut,
// silent and slow. What was acknowledged is read at once on both processes and for ever, no value goes back, an answer
// is whole or an error, and nobody waits for ever.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { seededRandom } from '../../src/platform/random.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { makeTables } from '../../src/store/clickhouse/open.js'
import { newDatabase, postgresMissing } from '../catalog/postgres-databases.js'
import { startPostgres } from '../flux/sql-servers.js'
import { clusterMissing, startCluster } from '../store/clickhouse-cluster.js'
import { FaultyLine } from './faults-line.js'
import { Load, quietly, writerCount } from './faults-load.js'
import { kindsOfFault, Node, type World } from './faults-world.js'
import { pause, setUp } from './service-process.js'

export interface FaultsOptions {
  readonly minutes: number
  readonly seed: number
  /** Kinds of faults, or the beginnings of their names, with commas between; absent: all of them. */
  readonly only?: string | undefined
  readonly tell?: (text: string) => void
  /** Everything is checked without each replica in turn at the end, unless told. */
  readonly checksEachReplica?: boolean
}

export interface FaultsReport {
  readonly faults: Readonly<Record<string, number>>
  readonly acknowledged: number
  readonly refused: number
  readonly checks: number
  readonly slowestWriteMs: number
  readonly slowestQueryMs: number
  readonly wrong: readonly string[]
}

export async function faults(options: FaultsOptions): Promise<FaultsReport | string> {
  const missing = clusterMissing ?? postgresMissing
  if (missing !== undefined) return `skipped: ${missing}`
  const folder = mkdtempSync(`${tmpdir()}/millrace-faults-`)
  const cluster = await startCluster()
  const postgres = await startPostgres()
  const lines: FaultyLine[] = []
  const nodes: Node[] = []
  try {
    const plain = cluster.newAddress()
    await makeTables(requireAddress(plain), () => undefined)
    const catalog = await newDatabase(`postgres://flux:flux@127.0.0.1:${postgres.port}`)
    for (const name of ['one', 'other']) {
      const own = await Promise.all(cluster.replicas.map(({ http }) => FaultyLine.to(http)))
      const toCatalog = await FaultyLine.to(postgres.port)
      lines.push(...own, toCatalog)
      let store = plain
      cluster.replicas.forEach(({ http }, i) => {
        store = store.replace(`:${http}`, `:${own[i].port}`)
      })
      const shared = catalog.replace(`:${postgres.port}`, `:${toCatalog.port}`)
      nodes.push(new Node(name, folder, store, shared, own, toCatalog))
    }
    for (const node of nodes) await node.start()
    const { token } = await setUp(nodes[0].url)
    const world = { cluster, postgres, nodes, random: seededRandom(options.seed), token }
    return await run(world, options)
  } finally {
    await Promise.all(nodes.map((node) => node.end('SIGKILL')))
    for (const line of lines) line.close()
    await cluster.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function run(world: World, options: FaultsOptions): Promise<FaultsReport> {
  const { minutes, tell = () => undefined, checksEachReplica = true } = options
  const counts: Record<string, number> = {}
  const wrong: string[] = []
  const load = new Load(world, wrong)
  const until = performance.now() + minutes * 60_000
  const wanted = (options.only ?? '').split(',')
  const kinds = Object.keys(kindsOfFault).filter((kind) =>
    wanted.some((one) => kind.startsWith(one)),
  )
  if (kinds.length === 0) throw new Error(`no kind of fault begins with "${options.only}"`)
  const writers = Array.from({ length: writerCount }, (_, i) => load.write(i))
  while (performance.now() < until && wrong.length === 0) {
    const kind = kinds[world.random.below(kinds.length)]
    counts[kind] = (counts[kind] ?? 0) + 1
    tell(`${kind}; ${load.acknowledged} acknowledged, ${load.refused} refused`)
    await kindsOfFault[kind](world)
    const missing = await whatIsMissing(world, 300)
    if (missing !== undefined) wrong.push(`after "${kind}" it did not become whole: ${missing}`)
  }
  load.stop()
  await Promise.all(writers)
  // Where something was wrong, writers have stopped in the midst of what they did.
  const isChecked = wrong.length === 0
  if (isChecked && !checksEachReplica) await load.checkAll('at the end')
  for (const replica of isChecked && checksEachReplica ? world.cluster.replicas : []) {
    await replica.kill()
    await load.checkAll(`without ${replica.name}`)
    await replica.start()
    const missing = await whatIsMissing(world, 300)
    if (missing !== undefined)
      wrong.push(`without ${replica.name} it did not become whole: ${missing}`)
  }
  const { acknowledged, refused, checks, slowestWriteMs, slowestQueryMs } = load
  const slowest = { slowestWriteMs, slowestQueryMs }
  return { faults: counts, acknowledged, refused, checks, ...slowest, wrong }
}

/** Undefined as soon as both processes say that nothing is; else what they say in the end. */
async function whatIsMissing({ nodes }: World, secondsMax: number): Promise<string | undefined> {
  let told: Awaited<ReturnType<typeof quietly>>[] = []
  for (let tries = 0; tries < secondsMax * 4; tries++) {
    told = await Promise.all(nodes.map(({ url }) => quietly(`${url}/health`)))
    const isGood = (one: (typeof told)[number]) =>
      typeof one === 'object' && one.status === 200 && !one.text.includes('degraded')
    if (told.every(isGood)) return undefined
    const lastWords = nodes.map((node) => node.lastWords).find((words) => words !== undefined)
    if (lastWords !== undefined) return `a process has ended: ${lastWords}`
    await pause(250)
  }
  return `${JSON.stringify(told)}\n${nodes.map(({ output }) => output).join('\n---\n')}`
}
