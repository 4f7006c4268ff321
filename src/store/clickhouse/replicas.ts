// Which replicas are read from and which ones a write has to reach, as all processes agree on it in the registry. A
// write is acknowledged when every replica that anybody may read from has it; one that cannot take it is put *out*
// first. Whoever reads asks the registry first, and learns of it there if he has not heard of it. So what was
// acknowledged is read at once, everywhere, whichever replica answers. This file also brings replicas back that answer
// again: writes of every process wait for them before anybody reads from them.

import { UnavailableError } from '../../errors.js'
import type { StoreLog } from '../store-log.js'
import type { RegistryStorage, StoredReplica } from './registry.js'
import { isSameMoment, type Server } from './server.js'

export type ReplicaStorage = Pick<
  RegistryStorage,
  'replicasVersion' | 'replicas' | 'meetReplica' | 'moveReplica' | 'isSeenByAll' | 'noteWhole'
>

export class Replicas {
  readonly #storage: ReplicaStorage
  readonly #log: StoreLog
  readonly #servers: readonly Server[]
  #known: readonly StoredReplica[] = []
  #version = -1
  #loading: Promise<void> | undefined
  /** By name. One that waits for what nobody else can give now must not hold up the others. */
  readonly #catchingUp = new Map<string, Promise<void>>()

  constructor(storage: ReplicaStorage, servers: readonly Server[], log: StoreLog) {
    this.#storage = storage
    this.#servers = servers
    this.#log = log
  }

  /** Another number whenever somebody has changed something. */
  get version(): number {
    return this.#storage.replicasVersion
  }

  /** Of a shard, as they are now. */
  async of(shard: number): Promise<readonly StoredReplica[]> {
    while (this.#version !== this.version) {
      this.#loading ??= this.#load()
      await this.#loading
    }
    return this.#known.filter((one) => one.shard === shard)
  }

  /** As they were when they were last asked for. */
  get known(): readonly StoredReplica[] {
    return this.#known
  }

  async #load(): Promise<void> {
    try {
      const { version } = this
      this.#known = await this.#storage.replicas()
      this.#version = version
    } finally {
      this.#loading = undefined
    }
  }

  serverOf({ name }: StoredReplica): Server | undefined {
    return this.#servers.find(({ place }) => place?.name === name)
  }

  /** Those that have everything; of those that answer, whoever was asked least lately first. */
  async readable(shard: number, turn: number): Promise<Server[]> {
    const servers = (await this.of(shard))
      .filter(({ state }) => state === 'in')
      .flatMap((one) => this.serverOf(one) ?? [])
      .filter(({ isWhole }) => isWhole)
    const up = servers.filter(({ answers }) => answers)
    // Those that do not answer are tried last: that they are gone may be news of yesterday.
    const all = [...rotated(up, turn), ...servers.filter(({ answers }) => !answers)]
    return all
  }

  async meet(server: Server): Promise<void> {
    const { name, shard } = server.place!
    if ((await this.of(shard)).some((one) => one.name === name)) return
    await this.#storage.meetReplica(name, shard)
  }

  /** No read that begins after this resolves is answered by it. Fails where it is the only one that has everything. */
  async putOut(replica: StoredReplica): Promise<void> {
    const { name, turn, shard } = replica
    if (await this.#storage.moveReplica(name, turn, 'out')) {
      this.#log('warn', 'a replica of the store is out: it missed a write', { replica: name })
      return
    }
    const now = (await this.of(shard)).find((one) => one.name === name)
    if (now !== undefined && now.state !== 'out') {
      throw new UnavailableError('the store cannot do this now: its replicas are changing')
    }
  }

  /** Replicas that are out or have started anew, and answer, catch up and are read from again. */
  async bringBack(catchUp: (server: Server) => Promise<void>): Promise<void> {
    const shards = new Set(this.#servers.flatMap(({ place }) => place?.shard ?? []))
    const all = await Promise.all(Array.from(shards, (shard) => this.of(shard)))
    for (const replica of all.flat()) {
      const { name, state } = replica
      const server = this.serverOf(replica)
      if (server?.answers !== true || this.#catchingUp.has(name)) continue
      if (state === 'in' && server.isWhole) continue
      const done = this.#makeReadable(replica, server, () => catchUp(server))
        .catch((error: unknown) => {
          this.#log('warn', 'a replica of the store has not caught up yet', {
            replica: name,
            error,
          })
        })
        .finally(() => this.#catchingUp.delete(name))
      this.#catchingUp.set(name, done)
    }
    await Promise.all(this.#catchingUp.values())
  }

  async #makeReadable(
    replica: StoredReplica,
    server: Server,
    catchUp: () => Promise<void>,
  ): Promise<void> {
    const { name, turn, state } = replica
    if (state === 'in') return this.#makeWhole(replica, server, catchUp)
    // Most of what it missed, before any write waits for it.
    await catchUp()
    if (!(await this.#storage.moveReplica(name, turn, 'returning'))) return
    const shard = server.place!.shard
    const own = (await this.of(shard)).find((one) => one.name === name)
    if (own?.state !== 'returning') return
    // Whoever has not heard of it yet acknowledges writes that it misses: it is tried again later.
    if (!(await this.#storage.isSeenByAll())) return
    await this.#makeWhole({ ...own, begun: null }, server, catchUp)
    if (await this.#storage.moveReplica(name, own.turn, 'in')) {
      this.#log('info', 'a replica of the store has caught up', { replica: name })
    }
  }

  /** What another process has found out of the same process of the server need not be asked of the keeper again. */
  async #makeWhole(
    { name, begun: known }: StoredReplica,
    server: Server,
    catchUp: () => Promise<void>,
  ): Promise<void> {
    await server.makeWhole(async () => {
      const begun = await server.begun()
      if (known !== null && isSameMoment(known, begun)) return
      await catchUp()
      await this.#storage.noteWhole(name, begun)
    })
  }
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = list.length === 0 ? 0 : by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
