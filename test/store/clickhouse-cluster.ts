// A cluster for the tests that need one: two shards of two replicas each, Debian's ClickHouse with Debian's ZooKeeper,
// on free ports of loopback. Each server can be killed, stopped, gone on, started again and robbed of its disk.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../free-port.js'
import { answers, configOf, ended, program, users } from './clickhouse-servers.js'

const zookeeperJar = '/usr/share/java/zookeeper.jar'

export const clusterMissing =
  existsSync(program) && existsSync(zookeeperJar)
    ? undefined
    : 'clickhouse-server or zookeeper is not installed'

/** A process of the cluster that can fail. */
export interface Member {
  readonly name: string
  readonly pid: number | undefined
  start(): Promise<void>
  kill(): Promise<void>
  /** SIGSTOP: its connections stay, and nobody answers. */
  freeze(): void
  goOn(): void
}

export interface Replica extends Member {
  readonly shard: number
  readonly http: number
  /** While it is down: its points go, its tables stay. */
  wipe(): void
}

export interface ClickhouseCluster {
  readonly replicas: readonly Replica[]
  readonly keeper: Member
  /** Of a database that does not exist yet, at these ports instead of the servers' own where given. */
  newAddress(ports?: readonly number[]): string
  stop(): Promise<void>
}

export const clusterName = 'mill'

/** Under this process: begun, ended, begun again. */
class Process implements Member {
  readonly name: string
  readonly #begin: () => { child: ChildProcess; isUp: (child: ChildProcess) => Promise<void> }
  #child: ChildProcess | undefined

  constructor(
    name: string,
    begin: () => { child: ChildProcess; isUp: (child: ChildProcess) => Promise<void> },
  ) {
    this.name = name
    this.#begin = begin
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  async start(): Promise<void> {
    const { child, isUp } = this.#begin()
    this.#child = child
    await isUp(child)
  }

  async kill(): Promise<void> {
    if (this.#child !== undefined) await ended(this.#child)
    this.#child = undefined
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP')
  }

  goOn(): void {
    this.#child?.kill('SIGCONT')
  }
}

interface Place {
  readonly shard: number
  readonly replica: number
  readonly folder: string
  readonly http: number
  readonly tcp: number
  readonly between: number
}

export async function startCluster(shards = 2, replicas = 2): Promise<ClickhouseCluster> {
  const folder = mkdtempSync(`${tmpdir()}/millrace-cluster-`)
  const keeper = await zookeeper(`${folder}/zookeeper`)
  const places: Place[] = []
  for (let i = 0; i < shards * replicas; i++) {
    const own = `${folder}/server${i}`
    for (const name of ['data/metadata', 'data/flags', 'tmp', 'files'])
      mkdirSync(`${own}/${name}`, { recursive: true })
    const place = { shard: Math.floor(i / replicas), replica: i % replicas, folder: own }
    const [http, tcp, between] = [await freePort(), await freePort(), await freePort()]
    places.push({ ...place, http, tcp, between })
  }
  const all = places.map((place) => replicaOf(place, places, keeper.port))
  const members: Member[] = [keeper.member, ...all]
  const stop = async () => {
    await Promise.all(members.map((member) => member.kill()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await keeper.member.start()
    await Promise.all(all.map((member) => member.start()))
  } catch (error) {
    await stop()
    throw error
  }
  let made = 0
  const newAddress = (ports: readonly number[] = places.map(({ http }) => http)) => {
    const hosts = ports.map((port) => `127.0.0.1:${port}`).join(',')
    return `clickhouse://default@${hosts}/test_${process.pid}_${made++}?cluster=${clusterName}`
  }
  return { replicas: all, keeper: keeper.member, newAddress, stop }
}

function replicaOf(place: Place, all: readonly Place[], keeperPort: number): Replica {
  const { folder, http, tcp, shard, replica } = place
  writeFileSync(`${folder}/users.xml`, users)
  const more = clusterConfig(place, all, keeperPort)
  writeFileSync(`${folder}/config.xml`, configOf(folder, http, tcp, more))
  const member = new Process(`replica ${replica + 1} of shard ${shard + 1}`, () => {
    const child = spawn(program, [`--config-file=${folder}/config.xml`], { stdio: 'ignore' })
    const url = `http://127.0.0.1:${http}`
    return {
      child,
      async isUp() {
        await answers(`${url}/ping`, child)
        const query = "SELECT name FROM system.zookeeper WHERE path = '/'"
        await answers(`${url}/?query=${encodeURIComponent(query)}`, child)
      },
    }
  })
  const wipe = () => {
    rmSync(`${folder}/data/data`, { recursive: true, force: true })
    // By this an operator says that the server is to fetch everything from the other replica.
    writeFileSync(`${folder}/data/flags/force_restore_data`, '')
  }
  return Object.assign(member, { shard, http, wipe })
}

function clusterConfig(place: Place, all: readonly Place[], keeperPort: number): string {
  const { shard, replica, between } = place
  const shards = groupByShard(all)
  const list = [...shards.values()].map((own) => {
    const each = own.map(
      ({ tcp }) => `<replica><host>127.0.0.1</host><port>${tcp}</port></replica>`,
    )
    return `<shard><internal_replication>true</internal_replication>${each.join('')}</shard>`
  })
  return `<interserver_http_port>${between}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host>
<zookeeper><node><host>127.0.0.1</host><port>${keeperPort}</port></node>
<session_timeout_ms>6000</session_timeout_ms></zookeeper>
<macros><shard>s${shard + 1}</shard><replica>r${replica + 1}</replica></macros>
<remote_servers><${clusterName}>${list.join('')}</${clusterName}></remote_servers>`
}

function groupByShard(all: readonly Place[]): Map<number, Place[]> {
  const shards = new Map<number, Place[]>()
  for (const one of all) shards.set(one.shard, [...(shards.get(one.shard) ?? []), one])
  return shards
}

async function zookeeper(folder: string): Promise<{ port: number; member: Member }> {
  const port = await freePort()
  mkdirSync(`${folder}/data`, { recursive: true })
  const lines = [
    'tickTime=1000',
    `dataDir=${folder}/data`,
    `clientPort=${port}`,
    'clientPortAddress=127.0.0.1',
    'admin.enableServer=false',
    'maxClientCnxns=200',
    '4lw.commands.whitelist=ruok',
  ]
  writeFileSync(`${folder}/zoo.cfg`, `${lines.join('\n')}\n`)
  const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'
  const args = ['-Xmx128m', '-XX:+UseSerialGC', '-cp', zookeeperJar, main, `${folder}/zoo.cfg`]
  const member = new Process('zookeeper', () => {
    const child = spawn('java', args, { stdio: 'ignore', cwd: folder })
    return { child, isUp: () => isListening(port, child) }
  })
  return { port, member }
}

async function isListening(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600 && child.exitCode === null; tries++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = createConnection(port, '127.0.0.1', () => socket.write('ruok'))
      socket.on('data', () => {
        socket.destroy()
        resolve(true)
      })
      socket.on('close', () => resolve(false))
      socket.on('error', () => resolve(false))
    })
    if (isOpen) return
    await pause(100)
  }
  throw new Error('zookeeper does not answer')
}
