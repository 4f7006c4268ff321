// Looks at the servers of a cluster every second: whether they answer, whether one that was missing at the start is
// there now, and whether one that is out can be read from again. Also tells what is missing.

import type { StoreLog } from '../store-log.js'
import type { ChangesSent } from './changes-sent.js'
import type { Servers } from './servers.js'

const lookEveryMs = 1000
/** Replicas that are out are tried that often. */
const returnEveryMs = 3000

export class Watch {
  readonly #servers: Servers
  readonly #changes: ChangesSent
  readonly #log: StoreLog
  #timer: NodeJS.Timeout | undefined
  #returnTimer: NodeJS.Timeout | undefined
  #isStopped = false
  #returning: Promise<void> | undefined

  constructor(servers: Servers, changes: ChangesSent) {
    this.#servers = servers
    this.#changes = changes
    this.#log = servers.log
  }

  start(): void {
    if (this.#servers.replicas === undefined) return
    this.#timer = setTimeout(() => void this.#look(), lookEveryMs)
    this.#timer.unref()
    this.#returnTimer = setInterval(() => void this.bringBack(), returnEveryMs)
    this.#returnTimer.unref()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearInterval(this.#returnTimer)
    // A replica that is slow to catch up must not hold up the end.
    for (const server of this.#servers.all) server.leave()
    await this.#returning
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.#servers.all.map(async (server) => {
        const answers = await server.look()
        if (!answers || server.place !== undefined || this.#isStopped) return
        await this.#servers.place(server).catch((error: unknown) => {
          this.#log('error', 'a server of the store is not used', { server: server.url, error })
        })
      }),
    )
    if (this.#isStopped) return
    this.#timer = setTimeout(() => void this.#look(), lookEveryMs)
    this.#timer.unref()
  }

  /** One round, and nobody else of this process is at it. */
  bringBack(): Promise<void> {
    this.#returning ??= this.#servers
      .replicas!.bringBack((server, table) => this.#changes.sync(server, table))
      .catch((error: unknown) => {
        this.#log('warn', 'replicas of the store could not be looked at', { error })
      })
      .finally(() => {
        this.#returning = undefined
      })
    return this.#returning
  }
}

/** Shards of which a replica is missing: how many there should be, and how many have everything. */
export function missingReplicas({ replicas, replicaCounts }: Servers) {
  if (replicas === undefined) return []
  return replicaCounts.flatMap((wanted, shard) => {
    const whole = replicas.known.filter((one) => {
      const server = replicas.serverOf(one)
      return one.shard === shard && one.state === 'in' && server?.answers === true
    }).length
    return whole >= wanted ? [] : [{ shard, wanted, whole }]
  })
}
