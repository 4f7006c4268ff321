// What the proof of faults lets fail: two processes with the lines they have to their servers, the cluster of
// ClickHouse, PostgreSQL, and the kinds of faults. Each kind ends with everything mended.

import type { Random } from '../../src/platform/random.js'
import type { KillableServer } from '../flux/sql-servers.js'
import type { ClickhouseCluster } from '../store/clickhouse-cluster.js'
import type { FaultyLine, LineState } from './faults-line.js'
import { pause, ServiceProcess } from './service-process.js'

/** A process, its lines, and where it listens now. */
export class Node {
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

  /** What it printed last, where it has ended by itself. */
  get lastWords(): string | undefined {
    const { exitCode = null, signalCode = null } = this.#process?.child ?? {}
    return exitCode === null && signalCode === null ? undefined : this.#process?.output
  }

  /** The end of what it has logged. */
  get output(): string {
    return this.#process?.output.slice(-4000) ?? ''
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.child.kill(signal)
  }
}

export interface World {
  readonly cluster: ClickhouseCluster
  readonly postgres: KillableServer
  readonly nodes: readonly Node[]
  readonly random: Random
  readonly token: string
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

async function catalogLinesFail(world: World, state: LineState): Promise<void> {
  for (const { catalogLine } of world.nodes) catalogLine.become(state)
  await pause(someMs(world))
  for (const { catalogLine } of world.nodes) catalogLine.become('good')
}

export const kindsOfFault: Readonly<Record<string, (world: World) => Promise<void>>> = {
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
  async 'keeper frozen'(world) {
    world.cluster.keeper.freeze()
    await pause(someMs(world))
    world.cluster.keeper.goOn()
  },
  async 'PostgreSQL killed'(world) {
    await world.postgres.kill()
    await pause(someMs(world))
    await world.postgres.start()
  },
  'PostgreSQL cut off': (world) => catalogLinesFail(world, 'cut'),
  'PostgreSQL silent': (world) => catalogLinesFail(world, 'silent'),
  async 'process frozen'(world) {
    const node = someNode(world)
    node.signal('SIGSTOP')
    await pause(someMs(world))
    node.signal('SIGCONT')
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
