// The replications of this process: points that were written go into the queue of each replication of their bucket
// before the write is acknowledged, and from there to the remote. Which there are is the catalog's word; what waits
// lies in a folder for each, and after a start it is handed on.

import type { Replication } from '../../catalog/neighbours/replications.js'
import type { WriteBatch } from '../../column/write-batch.js'
import { limits } from '../../config.js'
import { printTableRows } from '../../line-protocol/printer.js'
import type { Disk } from '../../platform/disk.js'
import { MemoryDisk } from '../../platform/memory-disk.js'
import { metricText } from '../../platform/metric-text.js'
import { NodeDisk } from '../../platform/node-disk.js'
import type { ServiceParts } from '../base/parts.js'
import { DurableQueue } from './durable-queue.js'
import { RefusedLines } from './refused-lines.js'
import { type RemoteAnswer, sendLines } from './remote-server.js'
import { ReplicationRun } from './replication-run.js'

type ReplicationParts = Pick<ServiceParts, 'catalog' | 'clock' | 'log' | 'outgoing' | 'config'>

interface Running {
  readonly replication: Replication
  readonly run: ReplicationRun
}

export class ReplicationQueues {
  readonly #parts: ReplicationParts
  readonly #disk: Disk
  /** Has a folder for each. */
  readonly #folder: string
  readonly #running = new Map<string, Running>()
  #byBucket: ReadonlyMap<string, readonly ReplicationRun[]> = new Map()
  #refreshing: Promise<void> = Promise.resolve()
  #isStarted = false
  #isClosed = false

  constructor(parts: ReplicationParts) {
    this.#parts = parts
    const { memory, dataDir } = parts.config
    // Not the store's disk, which tests make fail: what waits for others is another matter.
    this.#disk = memory ? new MemoryDisk() : new NodeDisk()
    this.#folder = `${memory ? 'memory' : dataDir}/replications`
  }

  /** Before the first write is let in: from here on nothing that is acknowledged is missing in a queue. */
  async open(): Promise<void> {
    const { catalog, log } = this.#parts
    await this.refresh()
    for (const kind of ['replications', 'remotes', 'secrets'] as const) {
      catalog.on(`${kind}-changed`, () => {
        this.refresh().catch((error: Error) => {
          log('error', 'replications could not be read', { error: error.message })
        })
      })
    }
  }

  /** Begins to hand on. */
  start(): void {
    this.#isStarted = true
    for (const { run } of this.#running.values()) run.start()
  }

  async stop(): Promise<void> {
    this.#isClosed = true
    await this.#refreshing.catch(() => undefined)
    await Promise.all([...this.#running.values()].map(({ run }) => run.stop()))
  }

  /** Resolves when everything that the catalog knows of now is in force. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing.catch(() => undefined).then(() => this.#refresh())
    return this.#refreshing
  }

  /**
   * Resolves when the points are in every queue of their bucket; at once where there is none. `refused`: lines that the
   * store did not take. The batch is not kept.
   */
  written(
    bucketId: string,
    batch: WriteBatch,
    refused: readonly { readonly line: number }[],
  ): Promise<unknown> | undefined {
    const runs = this.#byBucket.get(bucketId)
    if (runs === undefined) return undefined
    const lines = printed(batch, new Set(refused.map(({ line }) => line)))
    return Promise.all(runs.map((run) => run.append(lines)))
  }

  of(id: string): ReplicationRun | undefined {
    return this.#running.get(id)?.run
  }

  /** What the remote says to no points at all. */
  async validate(replication: Replication): Promise<RemoteAnswer> {
    const { catalog, outgoing } = this.#parts
    const remote = await catalog.remotes.records.require(replication.body.remoteID)
    const server = { remote, token: await catalog.remotes.token(remote) }
    const { signal } = new AbortController()
    return sendLines(outgoing, server, replication, new Uint8Array(0), signal)
  }

  metrics(): string {
    if (this.#running.size === 0) return ''
    const values = (read: (run: ReplicationRun) => number): Sample[] =>
      Array.from(this.#running, ([id, { run }]) => [id, read(run)])
    return [
      metric(
        'queue_bytes',
        'gauge',
        'Bytes that wait for a remote.',
        values((run) => run.queue.waitingBytes),
      ),
      metric(
        'sent_batches_total',
        'counter',
        'Batches that a remote took.',
        values(({ figures }) => figures.sentBatches),
      ),
      metric(
        'sent_bytes_total',
        'counter',
        'Bytes that a remote took.',
        values(({ figures }) => figures.sentBytes),
      ),
      metric(
        'failures_total',
        'counter',
        'Tries in vain.',
        values(({ figures }) => figures.failures),
      ),
      metric(
        'dropped_points_total',
        'counter',
        'Points lost: queue full, or too old.',
        values(({ figures }) => figures.droppedLines),
      ),
      metric(
        'refused_points_total',
        'counter',
        'Points that a remote refused.',
        values(({ figures }) => figures.refusedLines),
      ),
    ].join('')
  }

  async #refresh(): Promise<void> {
    if (this.#isClosed) return
    const all = await this.#parts.catalog.replications.all()
    const wanted = new Set(all.map(({ id }) => id))
    for (const [id, { run }] of this.#running) {
      if (wanted.has(id)) continue
      this.#running.delete(id)
      this.#arrange()
      await run.stop()
    }
    for (const replication of all) {
      const { id } = replication
      const run = this.#running.get(id)?.run ?? (await this.#open(replication))
      this.#running.set(id, { replication, run })
      run.changed(replication)
      if (this.#isStarted) run.start()
    }
    this.#arrange()
    await this.#sweep(wanted)
  }

  async #open(replication: Replication): Promise<ReplicationRun> {
    const { clock, log } = this.#parts
    const disk = this.#disk
    const folder = `${this.#folder}/${replication.id}`
    const queue = await DurableQueue.open({
      disk,
      folder,
      now: () => clock.now(),
      damaged: (file, offset) => {
        log('error', 'a file of a replication is damaged: its rest is given up', { file, offset })
      },
    })
    const refused = new RefusedLines(disk, folder, limits.replicationRefusedBytesMax)
    return new ReplicationRun({ ...this.#parts, queue, refused }, replication)
  }

  /** Folders of replications that are gone. */
  async #sweep(wanted: ReadonlySet<string>): Promise<void> {
    for (const name of await this.#disk.list(this.#folder)) {
      if (!wanted.has(name)) await this.#disk.removeDir(`${this.#folder}/${name}`)
    }
  }

  #arrange(): void {
    const byBucket = new Map<string, ReplicationRun[]>()
    for (const { replication, run } of this.#running.values()) {
      const others = byBucket.get(replication.parentId) ?? []
      byBucket.set(replication.parentId, [...others, run])
    }
    this.#byBucket = byBucket
  }
}

function printed({ tables }: WriteBatch, refused: ReadonlySet<number>): string[] {
  const lines: string[] = []
  for (const table of tables) {
    const rows: number[] = []
    for (let row = 0; row < table.rowCount; row++) {
      if (!refused.has(table.lines[row])) rows.push(row)
    }
    for (const line of printTableRows(table, rows)) if (line !== '') lines.push(line)
  }
  return lines
}

type Sample = readonly [id: string, value: number]

function metric(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const full = `millrace_replication_${name}`
  const values = samples.map(([id, value]) => `${full}{replication="${id}"} ${value}\n`)
  return metricText(full, help, type, values)
}
