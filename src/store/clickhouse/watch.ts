// Looks at the servers every second: whether they answer and have what was asked of them. Of a cluster also whether one
// that was missing at the start is there now, and whether one that is out or has started anew can be read from again.
// Also tells what is missing.

import { setTimeout as pause } from 'node:timers/promises'
import type { StoreLog } from '../store-log.js'
import type { ChangesSent } from './changes-sent.js'
import type { Servers } from './servers.js'

const lookEveryMs = 1000
/** Replicas that are out are tried that often. */
const returnEveryMs = 3000
/** So long a start waits for replicas that have to catch up: others may have everything. */
const startMsMax = 5000

export class Watch {
  readonly #servers: Servers
  readonly #changes: ChangesSent
  readonly #log: StoreLog
  #timer: NodeJS.Timeout | undefined
  #returnTimer: NodeJS.Timeout | undefined
  #isStopped = false
  readonly #rounds = new Set<Promise<void>>()

  constructor(servers: Servers, changes: ChangesSent) {
    this.#servers = servers
    this.#changes = changes
    this.#log = servers.log
  }

  /** Resolves when there is somebody to read from, or had time enough to be. */
  async start(): Promise<void> {
    this.#timer = setTimeout(() => void this.#look(), lookEveryMs)
    this.#timer.unref()
    if (this.#servers.replicas === undefined) return
    this.#returnTimer = setInterval(() => void this.#bringBack(), returnEveryMs)
    this.#returnTimer.unref()
    await Promise.race([this.#bringBack(), pause(startMsMax, undefined, { ref: false })])
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    clearInterval(this.#returnTimer)
    // A replica that is slow to catch up must not hold up the end.
    for (const server of this.#servers.all) server.leave()
    await Promise.all(this.#rounds)
  }

  async #look(): Promise<void> {
    await Promise.all(
      this.#servers.all.map(async (server) => {
        const answers = await server.look(this.#servers.replicas === undefined)
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

  async #bringBack(): Promise<void> {
    const round = this.#servers
      .replicas!.bringBack((server) => this.#changes.catchUp(server))
      .catch((error: unknown) => {
        this.#log('warn', 'replicas of the store could not be looked at', { error })
      })
    this.#rounds.add(round)
    await round
    this.#rounds.delete(round)
  }
}

/** Shards of which a replica is missing: how many there should be, and how many have everything. */
export function missingReplicas({ replicas, replicaCounts }: Servers) {
  if (replicas === undefined) return []
  return replicaCounts.flatMap((wanted, shard) => {
    const whole = replicas.known.filter((one) => {
      const server = replicas.serverOf(one)
      return one.shard === shard && one.state === 'in' && server?.answers === true && server.isWhole
    }).length
    return whole >= wanted ? [] : [{ shard, wanted, whole }]
  })
}
