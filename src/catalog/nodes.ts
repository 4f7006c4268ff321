// The processes that share a catalog. Each has a row with a lease that it renews, and says in it what it has seen:
// whoever changes the catalog waits until all that are connected have seen the change. So a revoked token is refused
// everywhere when its revocation is answered. A process that cannot renew its lease answers for the rest of it.

import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import { unlessLate } from '../platform/unless-late.js'
import type { SharedDatabase } from './base/connection.js'
import { newId } from './base/ids.js'
import type { VersionRow } from './base/tables.js'
import { formatTimestamp } from './base/timestamps.js'
import { type AskedNode, NodeQuestions } from './node-questions.js'
import { SharedCredits } from './shared-credits.js'

export interface CatalogNode extends AskedNode {
  readonly version: string
  readonly startedAt: string
  readonly leaseUntil: string
}

export interface NodesOptions {
  readonly shared: SharedDatabase
  /** Where another process has this name already, something is added to it. */
  readonly nodeId: string
  readonly programVersion: string
  readonly clock: Clock
  readonly random: Random
  /** Reads the versions, forgets what is outdated, and answers with their sum. */
  readonly refresh: () => Promise<number>
  /** How long that may take, with telling the others. */
  readonly refreshMsMax?: number
}

/** How long a process that lost the catalog goes on with what it knows. */
const leaseNs = 60_000_000_000n
const renewMs = 5000
/** Far longer than a connection may be silent, so that another one is tried while the lease lasts. */
const refreshMsMax = 20_000
/** How long a change waits for the others. One that is connected takes some milliseconds. */
const confirmMsMax = 5000
/** They tell when they have seen it; that one has gone, or is of a version that does not tell, is looked for. */
const lookMsMin = 20
const lookMsMax = 200

/** How long a process may take from its name to its connection. */
const startNs = 10_000_000_000n
/** Rows of processes that died are kept for whoever looks for them, and then removed by those that start. */
const forgottenNs = 3_600_000_000_000n
/** Processes that start at once want the same number. */
const triesMax = 50
/** Ids of queries are a number below this one, and above it the node's. */
export const nodeIdSpan = 2 ** 32

export class Nodes {
  readonly questions: NodeQuestions
  readonly credits: SharedCredits
  readonly #options: NodesOptions
  readonly #startedAt: string
  #id: string
  #number = 0
  #serverCount = 1
  #url = ''
  #seenChange = 0
  #leaseUntil = 0n
  #refreshing: Promise<void> | undefined
  #isHeardAgain = false
  #timer: NodeJS.Timeout | undefined
  /** What others have told to have seen, by id. */
  readonly #seenBy = new Map<string, number>()
  readonly #waiting = new Set<() => void>()
  #unconfirmed: readonly string[] = []
  /** Which change that is about. */
  #toldChange = 0

  constructor(options: NodesOptions) {
    this.#options = options
    this.#id = options.nodeId
    this.#startedAt = formatTimestamp(options.clock.now())
    const { shared, clock, random } = options
    const nodes = () => this.list()
    this.credits = new SharedCredits(shared)
    this.questions = new NodeQuestions({ shared, clock, random, nodes, nodeId: () => this.#id })
  }

  async join(): Promise<void> {
    const { shared, random } = this.#options
    await this.#enter()
    await shared.listen(this.#id, random, {
      changed: () => void this.heard(),
      asked: (questionId) => void this.questions.heard(questionId),
      seen: (nodeId, change) => this.#heardOf(nodeId, change),
    })
    await this.#refresh()
    await this.#count()
    this.#timer = setInterval(() => void this.#tick(), renewMs)
    this.#timer.unref()
  }

  get id(): string {
    return this.#id
  }

  /** No other that shares the catalog has it now. */
  get number(): number {
    return this.#number
  }

  /** How many serve, this one among them, as it was some seconds ago. */
  get serverCount(): number {
    return this.#serverCount
  }

  async #tick(): Promise<void> {
    await this.heard()
    await this.#count().catch(() => undefined)
  }

  async #count(): Promise<void> {
    const others = (await this.list()).filter(({ id, url }) => id !== this.#id && url !== '')
    this.#serverCount = others.length + 1
  }

  /** Takes a name and a number that no other has. Not there for others yet: the lease begins with `#renew`. */
  async #enter(): Promise<void> {
    const { shared, clock, nodeId, programVersion, random } = this.#options
    for (let tries = 1; ; tries++) {
      const now = clock.now()
      const forgotten = formatTimestamp(now - forgottenNs)
      const rows = await shared.untracked.selectFrom('nodes').selectAll().execute()
      const same = rows.find(({ id }) => id === this.#id)
      const isStarting = same !== undefined && same.started_at > formatTimestamp(now - startNs)
      if (same !== undefined && (isStarting || (await shared.connected([same.id])).size > 0)) {
        this.#id = `${nodeId}~${newId(random).slice(0, 4)}`
        continue
      }
      await shared.untracked
        .deleteFrom('nodes')
        .where((row) => row.or([row('id', '=', this.#id), row('lease_until', '<', forgotten)]))
        .where('started_at', '<', formatTimestamp(now - startNs))
        .execute()
      const row = {
        id: this.#id,
        url: this.#url,
        program_version: programVersion,
        started_at: this.#startedAt,
        seen_change: this.#seenChange,
        lease_until: '',
        number: smallestFree(rows.map(({ number }) => number)),
      }
      const made = await shared.untracked
        .insertInto('nodes')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      if (made.numInsertedOrUpdatedRows === 1n) {
        this.#number = row.number
        return
      }
      if (tries === triesMax) throw new Error('too many processes start at once')
    }
  }

  /** Where others reach this process. */
  async setUrl(url: string): Promise<void> {
    this.#url = url
    await this.#renew()
  }

  async leave(): Promise<void> {
    clearInterval(this.#timer)
    await this.#refreshing
    const { shared } = this.#options
    await shared.untracked
      .deleteFrom('nodes')
      .where('id', '=', this.#id)
      .execute()
      .catch(() => undefined)
  }

  /** False: the catalog was out of reach for so long that what is cached may no longer be used. */
  get isCurrent(): boolean {
    return this.#options.clock.now() < this.#leaseUntil
  }

  /** Processes that may not have seen the last change of this one yet: they were out of reach. */
  get unconfirmed(): readonly string[] {
    return this.#unconfirmed
  }

  /** Those whose lease has not ended. */
  async list(): Promise<CatalogNode[]> {
    const rows = await this.#live().selectAll().orderBy('started_at').orderBy('id').execute()
    return rows.map((row) => ({
      id: row.id,
      url: row.url,
      version: row.program_version,
      startedAt: row.started_at,
      leaseUntil: row.lease_until,
      number: row.number ?? undefined,
    }))
  }

  /** Something was changed by somebody, or may have been. One refresh at a time, and one after the last call. */
  heard(): Promise<void> {
    if (this.#refreshing !== undefined) {
      this.#isHeardAgain = true
      return this.#refreshing
    }
    this.#refreshing = this.#refreshUntilQuiet().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refreshUntilQuiet(): Promise<void> {
    do {
      this.#isHeardAgain = false
      // Out of reach: the lease is not renewed, and the next connection is heard of.
      const limitMs = this.#options.refreshMsMax ?? refreshMsMax
      await unlessLate(this.#refresh(), limitMs, 'the catalog is too slow').catch(() => undefined)
    } while (this.#isHeardAgain)
  }

  async #refresh(): Promise<void> {
    const from = this.#options.clock.now()
    const change = await this.#options.refresh()
    // One that was given up may end after a later one.
    this.#seenChange = Math.max(this.#seenChange, change)
    await this.#renew()
    if (from + leaseNs > this.#leaseUntil) this.#leaseUntil = from + leaseNs
  }

  async #renew(): Promise<void> {
    const { shared, clock } = this.#options
    const renewed = () =>
      shared.tellSeen({
        id: this.#id,
        url: this.#url,
        seenChange: this.#seenChange,
        leaseUntil: formatTimestamp(clock.now() + leaseNs),
      })
    if (await renewed()) return
    // Out of reach for so long that others have forgotten it.
    await this.#enter()
    await renewed()
  }

  #heardOf(nodeId: string, change: number): void {
    // Processes come and go: only those that somebody waits for matter.
    if (this.#waiting.size === 0) return this.#seenBy.clear()
    this.#seenBy.set(nodeId, change)
    for (const look of this.#waiting) look()
  }

  /** Waits until every other process has seen this change, or is known to be out of reach. */
  async confirm(change: number): Promise<void> {
    const { shared, clock } = this.#options
    const until = performance.now() + confirmMsMax
    const look = new Look()
    this.#waiting.add(look.again)
    try {
      for (let wait = lookMsMin; ; wait = Math.min(wait * 2, lookMsMax)) {
        const found = await shared.behind(change, formatTimestamp(clock.now()))
        const behind = found.filter(({ id }) => id !== this.#id)
        const hasSeen = ({ id }: { id: string }) => (this.#seenBy.get(id) ?? 0) >= change
        const awaited = behind.filter((node) => node.isConnected && !hasSeen(node))
        if (awaited.length > 0 && performance.now() < until) {
          if (await look.until(() => awaited.every(hasSeen), wait)) awaited.length = 0
        }
        if (awaited.length === 0 || performance.now() >= until) {
          this.#note(
            change,
            behind.filter((node) => !hasSeen(node)).map(({ id }) => id),
          )
          return
        }
      }
    } finally {
      this.#waiting.delete(look.again)
    }
  }

  /** Whether every process that has a lease has seen this change. */
  async isSeenByAll(change: number): Promise<boolean> {
    const { shared, clock } = this.#options
    const behind = await shared.behind(change, formatTimestamp(clock.now()))
    return behind.every(({ id }) => id === this.#id)
  }

  #note(change: number, unconfirmed: readonly string[]): void {
    // An earlier change that all have seen says nothing about a later one.
    if (change < this.#toldChange) return
    this.#toldChange = change
    this.#unconfirmed = unconfirmed
  }

  #live() {
    const { shared, clock } = this.#options
    const now = formatTimestamp(clock.now())
    return shared.untracked.selectFrom('nodes').where('lease_until', '>', now)
  }
}

/** Somebody who waits for something to become true, looks whenever he is told to, and not for longer than so long. */
class Look {
  #told: (() => void) | undefined

  readonly again = () => this.#told?.()

  async until(isTrue: () => boolean, ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#told = undefined
        resolve(isTrue())
      }
      const timer = setTimeout(end, ms)
      this.#told = () => {
        if (isTrue()) end()
      }
      this.#told()
    })
  }
}

/** Names of the processes that are at the catalog, for one that is not yet. */
export async function liveNodes(shared: SharedDatabase, clock: Clock): Promise<string[]> {
  const rows = await shared.untracked
    .selectFrom('nodes')
    .select('id')
    .where('lease_until', '>', formatTimestamp(clock.now()))
    .orderBy('id')
    .execute()
  const ids = rows.map(({ id }) => id)
  const connected = await shared.connected(ids)
  return ids.filter((id) => connected.has(id))
}

function smallestFree(taken: readonly (number | null)[]): number {
  const numbers = new Set(taken)
  let free = 1
  while (numbers.has(free)) free++
  return free
}

/** Rises with every change of anything that has a version. */
export function changeOf(rows: readonly VersionRow[]): number {
  return rows.reduce((sum, { version }) => sum + Number(version), 0)
}
