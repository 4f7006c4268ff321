// Two processes over two shards of two replicas each and one PostgreSQL, under load, while everything fails that may
// fail: processes, replicas and the keeper are killed, replicas frozen and robbed of their disk, lines cut, silent and
// slow. What was acknowledged is read at once on both processes and for ever, no value goes back, and an answer is
// whole or an error.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { type Random, seededRandom } from '../../src/platform/random.js'
import { requireAddress } from '../../src/store/clickhouse/address.js'
import { makeTables } from '../../src/store/clickhouse/open.js'
import { newDatabase } from '../catalog/postgres-databases.js'
import { startPostgres } from '../flux/sql-servers.js'
import { type ClickhouseCluster, startCluster } from '../store/clickhouse-cluster.js'
import { FaultyLine, type LineState } from './faults-line.js'
import { type Answer, ask, pause, ServiceProcess, setUp } from './service-process.js'

export interface FaultsOptions {
  readonly minutes: number
  readonly seed: number
  readonly tell?: (text: string) => void
}

export interface FaultsReport {
  readonly faults: Readonly<Record<string, number>>
  readonly acknowledged: number
  readonly refused: number
  readonly checks: number
  readonly slowestWriteMs: number
  readonly wrong: readonly string[]
}

const writerCount = 4
const seriesEach = 4

/** A process, its lines, and where it listens now. */
class Node {
  readonly #flags: readonly string[]
  readonly #folder: string
  readonly lines: readonly FaultyLine[]
  readonly catalogLine: FaultyLine
  #process: ServiceProcess | undefined
  url = ''

  constructor(
    name: string,
    folder: string,
    store: string,
    catalog: string,
    lines: readonly FaultyLine[],
    catalogLine: FaultyLine,
  ) {
    this.#folder = `${folder}/${name}`
    this.#flags = ['--node-id', name, '--store', store, '--catalog', catalog]
    this.lines = lines
    this.catalogLine = catalogLine
  }

  async start(): Promise<void> {
    this.#process = new ServiceProcess(this.#folder, this.#flags)
    this.url = await this.#process.listening()
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.#process?.end(signal)
  }
}

interface World {
  readonly cluster: ClickhouseCluster
  readonly nodes: readonly Node[]
  readonly random: Random
  readonly token: string
}

export async function faults({ minutes, seed, tell = () => undefined }: FaultsOptions) {
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
    const world = { cluster, nodes, random: seededRandom(seed), token }
    return await run(world, minutes, tell)
  } finally {
    await Promise.all(nodes.map((node) => node.end('SIGKILL')))
    for (const line of lines) line.close()
    await cluster.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function run(world: World, minutes: number, tell: (text: string) => void) {
  const counts: Record<string, number> = {}
  const wrong: string[] = []
  const load = new Load(world, wrong)
  const until = performance.now() + minutes * 60_000
  const writers = Array.from({ length: writerCount }, (_, i) => load.write(i))
  while (performance.now() < until && wrong.length === 0) {
    const kinds = Object.keys(kindsOfFault)
    const kind = kinds[world.random.below(kinds.length)]
    counts[kind] = (counts[kind] ?? 0) + 1
    tell(`${kind}; ${load.acknowledged} acknowledged, ${load.refused} refused`)
    await kindsOfFault[kind](world)
    if (!(await isWhole(world, 120))) wrong.push(`after "${kind}" it did not become whole again`)
  }
  load.stop()
  await Promise.all(writers)
  for (const replica of world.cluster.replicas) {
    await replica.kill()
    await load.checkAll(`without ${replica.name}`)
    await replica.start()
    if (!(await isWhole(world, 120))) wrong.push(`without ${replica.name}: not whole again`)
  }
  const { acknowledged, refused, checks, slowestWriteMs } = load
  return { faults: counts, acknowledged, refused, checks, slowestWriteMs, wrong }
}

/** Both processes say that nothing is missing. */
async function isWhole({ nodes }: World, secondsMax: number): Promise<boolean> {
  for (let tries = 0; tries < secondsMax * 4; tries++) {
    const told = await Promise.all(nodes.map(({ url }) => quietly(ask(`${url}/health`))))
    if (told.every((one) => one?.status === 200 && !one.text.includes('degraded'))) return true
    await pause(250)
  }
  return false
}

function quietly(answer: Promise<Answer>): Promise<Answer | undefined> {
  return answer.catch(() => undefined)
}

const someMs = ({ random }: World) => 1000 + random.below(5000)
const someReplica = ({ random, cluster }: World) =>
  cluster.replicas[random.below(cluster.replicas.length)]
const someNode = ({ random, nodes }: World) => nodes[random.below(nodes.length)]

async function lineFails(world: World, state: LineState): Promise<void> {
  const { lines } = someNode(world)
  const line = lines[world.random.below(lines.length)]
  line.become(state)
  await pause(someMs(world))
  line.become('good')
}

const kindsOfFault: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async 'replica killed'(world) {
    const replica = someReplica(world)
    await replica.kill()
    await pause(someMs(world))
    await replica.start()
  },
  async 'replica frozen'(world) {
    const replica = someReplica(world)
    replica.freeze()
    await pause(someMs(world))
    replica.goOn()
  },
  async 'replica wiped'(world) {
    const replica = someReplica(world)
    await replica.kill()
    replica.wipe()
    await pause(someMs(world))
    await replica.start()
  },
  async 'keeper killed'(world) {
    await world.cluster.keeper.kill()
    await pause(someMs(world))
    await world.cluster.keeper.start()
  },
  async 'catalog cut off'(world) {
    for (const { catalogLine } of world.nodes) catalogLine.become('cut')
    await pause(someMs(world))
    for (const { catalogLine } of world.nodes) catalogLine.become('good')
  },
  async 'process killed'(world) {
    const node = someNode(world)
    await node.end('SIGKILL')
    await node.start()
  },
  async 'rolling restart'(world) {
    for (const node of world.nodes) {
      await node.end('SIGTERM')
      await node.start()
    }
  },
  'line cut': (world) => lineFails(world, 'cut'),
  'line silent': (world) => lineFails(world, 'silent'),
  'line slow': (world) => lineFails(world, 'slow'),
}

/** Writers with a number each that only rises; whoever reads must find the last one that was acknowledged. */
class Load {
  readonly #world: World
  readonly #wrong: string[]
  readonly #last: number[] = new Array(writerCount).fill(0)
  #isStopped = false
  acknowledged = 0
  refused = 0
  checks = 0
  slowestWriteMs = 0

  constructor(world: World, wrong: string[]) {
    this.#world = world
    this.#wrong = wrong
  }

  stop(): void {
    this.#isStopped = true
  }

  async write(writer: number): Promise<void> {
    const { nodes } = this.#world
    while (!this.#isStopped && this.#wrong.length === 0) {
      const number = this.#last[writer] + 1
      const begun = performance.now()
      const isDone = await this.#untilTaken(writer, number)
      if (!isDone) return
      this.#last[writer] = number
      this.acknowledged++
      this.slowestWriteMs = Math.max(this.slowestWriteMs, Math.round(performance.now() - begun))
      await this.#check(writer, number, nodes[number % 2], 'at once')
      await pause(20)
    }
  }

  /** The same points again and again, at the one process and the other, until they are acknowledged. */
  async #untilTaken(writer: number, number: number): Promise<boolean> {
    const { nodes, token } = this.#world
    const body = Array.from({ length: seriesEach }, (_, s) => {
      const tags = `w=${writer},s=${s}`
      return `each,${tags} v=${number}i ${number}\nnewest,${tags} v=${number}i 1`
    }).join('\n')
    for (let tries = writer; ; tries++) {
      if (this.#wrong.length > 0) return false
      const { url } = nodes[tries % 2]
      const path = `${url}/api/v2/write?org=o&bucket=b`
      const answer = await quietly(ask(path, { method: 'POST', token, body }))
      if (answer?.status === 204) return true
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) {
        this.#wrong.push(`a write was answered with ${answer.status} ${answer.text}`)
      }
      this.refused++
      await pause(100)
    }
  }

  async checkAll(when: string): Promise<void> {
    for (let writer = 0; writer < writerCount; writer++) {
      for (const node of this.#world.nodes) {
        for (let tries = 0; ; tries++) {
          if (await this.#check(writer, this.#last[writer], node, when)) break
          if (tries > 240) this.#wrong.push(`${when}: no answer for a minute`)
          if (tries > 240) break
          await pause(250)
        }
      }
    }
  }

  /** False: it was refused, which says nothing. */
  async #check(writer: number, number: number, { url }: Node, when: string): Promise<boolean> {
    const { token } = this.#world
    const q = [
      `SELECT count(v), max(v) FROM each WHERE w = '${writer}' GROUP BY s`,
      `SELECT v FROM newest WHERE w = '${writer}' GROUP BY s`,
    ].join('; ')
    const path = `${url}/query?${new URLSearchParams({ db: 'b', q })}`
    const answer = await quietly(ask(path, { token }))
    if (answer?.status !== 200 || answer.text.includes('"error"')) return false
    const [each, newest] = JSON.parse(answer.text).results
    this.checks++
    const seen = (result: { series?: { values: number[][] }[] }) =>
      (result.series ?? []).map(({ values: [[, ...rest]] }) => rest.join('/'))
    const wanted = (text: string) => new Array(seriesEach).fill(text).join()
    const found = [seen(each).join(), seen(newest).join()]
    if (found[0] !== wanted(`${number}/${number}`) || found[1] !== wanted(`${number}`)) {
      this.#wrong.push(`${when}: writer ${writer} has ${number}, read were ${found.join(' and ')}`)
    }
    return true
  }
}
