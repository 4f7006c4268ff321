// One replication at work: takes what waits in its queue, hands it to the remote, and goes on when that has taken it.
// Whatever may pass is tried again, with longer and longer pauses or those that the remote asks for. Of a batch that is
// refused for good the bad lines are found by halves, and kept in a file: they hold up nobody else.

import type { Replication } from '../../catalog/neighbours/replications.js'
import { limits } from '../../config.js'
import type { ServiceParts } from '../base/parts.js'
import type { DurableQueue, QueuePiece } from './durable-queue.js'
import type { RefusedLines } from './refused-lines.js'
import { type RemoteAnswer, sendLines } from './remote-server.js'

export interface ReplicationRunParts
  extends Pick<ServiceParts, 'catalog' | 'clock' | 'log' | 'outgoing'> {
  readonly queue: DurableQueue
  readonly refused: RefusedLines
}

export interface ReplicationFigures {
  sentBatches: number
  sentBytes: number
  /** Lines that never entered the full queue, or waited too long in it. */
  droppedLines: number
  refusedLines: number
  failures: number
}

/** Text of one request: a batch of the size that clients send. */
const batchBytesMax = 1024 * 1024
const frameBytesMax = 256 * 1024
const lengthBytes = 4
const retryMsMin = 250
const retryMsMax = 60_000
/** Requests to find the bad lines of one batch; what is refused then is kept as a whole. */
const searchRequestsMax = 200

export class ReplicationRun {
  readonly figures: ReplicationFigures = {
    sentBatches: 0,
    sentBytes: 0,
    droppedLines: 0,
    refusedLines: 0,
    failures: 0,
  }
  /** Of the last request: its status, and what was wrong; empty: nothing. */
  latest: { status: number; message: string } | undefined
  readonly #parts: ReplicationRunParts
  readonly #stop = new AbortController()
  #replication: Replication
  #isFull = false
  #work: Promise<void> | undefined
  #wake: (() => void) | undefined
  #isIdle = false

  constructor(parts: ReplicationRunParts, replication: Replication) {
    this.#parts = parts
    this.#replication = replication
  }

  get queue(): Pick<DurableQueue, 'waitingBytes' | 'diskBytes'> {
    return this.#parts.queue
  }

  start(): void {
    this.#work ??= this.#run()
  }

  /** It, its remote or the remote's token is another now: what failed before is tried at once. */
  changed(replication: Replication): void {
    this.#replication = replication
    this.#wake?.()
  }

  /** Durable when resolved. Of what does not fit nothing is kept, as InfluxDB does it; it is counted and told. */
  async append(lines: readonly string[]): Promise<void> {
    const frames = framesOf(lines)
    const bytes = frames.reduce((sum, { length }) => sum + length, 0)
    const { queue, log } = this.#parts
    const { id, name, body } = this.#replication
    if (queue.waitingBytes + bytes > body.maxQueueSizeBytes) {
      this.figures.droppedLines += lines.length
      if (!this.#isFull)
        log('error', 'the queue of a replication is full: points are lost', { id, name })
      this.#isFull = true
      return
    }
    this.#isFull = false
    await queue.append(frames)
    if (this.#isIdle) this.#wake?.()
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the service is being stopped'))
    this.#wake?.()
    await this.#work
    await this.#parts.queue.close()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    let retryMs = retryMsMin
    while (!signal.aborted) {
      const failure = await this.#step().catch((error: Error): RemoteAnswer => {
        return { kind: 'again', status: 0, message: error.message, retryAfterMs: undefined }
      })
      if (signal.aborted) return
      if (failure === undefined) {
        retryMs = retryMsMin
        continue
      }
      this.#note(failure)
      await this.#pause(Math.max(retryMs, failure.retryAfterMs ?? 0))
      retryMs = Math.min(retryMs * 2, retryMsMax)
    }
  }

  /** One batch, or waiting for one; what stands in its way where it could not be handed over. */
  async #step(): Promise<RemoteAnswer | undefined> {
    const { queue } = this.#parts
    const piece = await queue.peek(batchBytesMax)
    if (piece === undefined) {
      this.#isIdle = true
      // Looked at again: something may have come before it was said that nobody is awake.
      if (queue.waitingBytes === 0) await this.#pause(retryMsMax)
      this.#isIdle = false
      return undefined
    }
    if (this.#isTooOld(piece)) {
      this.figures.droppedLines += linesOf(piece).length
      const { id, name } = this.#replication
      this.#parts.log('error', 'points waited too long for a remote and are given up', { id, name })
    } else {
      const failure = await this.#deliver(linesOf(piece), { left: searchRequestsMax })
      if (failure !== undefined) return failure
    }
    await queue.take(piece.end)
    return undefined
  }

  #isTooOld({ appendedAt }: QueuePiece): boolean {
    const { maxAgeSeconds } = this.#replication.body
    const age = this.#parts.clock.now() - appendedAt
    return maxAgeSeconds > 0 && age > BigInt(maxAgeSeconds) * 1_000_000_000n
  }

  /** Undefined: all lines were taken, or kept as refused. */
  async #deliver(
    lines: readonly string[],
    requests: { left: number },
  ): Promise<RemoteAnswer | undefined> {
    const text = lines.join('')
    requests.left--
    const answer = await this.#send(text)
    if (answer.kind === 'taken') {
      this.figures.sentBatches++
      this.figures.sentBytes += text.length
      this.latest = { status: answer.status, message: '' }
      return undefined
    }
    if (answer.kind === 'again') return answer
    if (lines.length === 1 || requests.left <= 0) return this.#keepRefused(lines, answer)
    const middle = lines.length >> 1
    const first = await this.#deliver(lines.slice(0, middle), requests)
    return first ?? (await this.#deliver(lines.slice(middle), requests))
  }

  async #send(text: string): Promise<RemoteAnswer> {
    const { catalog, outgoing } = this.#parts
    const replication = this.#replication
    const remote = await catalog.remotes.records.require(replication.body.remoteID)
    const server = { remote, token: await catalog.remotes.token(remote) }
    return sendLines(outgoing, server, replication, Buffer.from(text), this.#stop.signal)
  }

  async #keepRefused(lines: readonly string[], answer: RemoteAnswer): Promise<undefined> {
    const { id, name, body } = this.#replication
    this.figures.refusedLines += lines.length
    this.latest = { status: answer.status, message: answer.message }
    if (body.dropNonRetryableData) return undefined
    const { refused, log } = this.#parts
    await refused.add(lines.join(''), answer.message)
    log('warn', 'a remote refuses points for good', {
      id,
      name,
      kept: refused.path,
      ...this.latest,
    })
    return undefined
  }

  #note({ status, message }: RemoteAnswer): void {
    const { id, name } = this.#replication
    this.figures.failures++
    // Once per cause: outages are long.
    if (this.latest?.message !== message) {
      this.#parts.log('warn', 'points wait for a remote', { id, name, status, error: message })
    }
    this.latest = { status, message }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, limits.replicationPauseMsMax)).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#wake = undefined
  }
}

/** So many lines that a frame is of a size to send. Each has its length before it: only a parser finds line ends. */
function framesOf(lines: readonly string[]): Uint8Array[] {
  const frames: Uint8Array[] = []
  let parts: Uint8Array[] = []
  let bytes = 0
  for (const line of lines) {
    const text = Buffer.from(line)
    const length = Buffer.alloc(lengthBytes)
    length.writeUInt32LE(text.length)
    parts.push(length, text)
    bytes += lengthBytes + text.length
    if (bytes < frameBytesMax) continue
    frames.push(Buffer.concat(parts))
    parts = []
    bytes = 0
  }
  if (bytes > 0) frames.push(Buffer.concat(parts))
  return frames
}

function linesOf({ payloads }: QueuePiece): string[] {
  const lines: string[] = []
  for (const payload of payloads) {
    const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length)
    for (let at = 0; at < bytes.length; ) {
      const end = at + lengthBytes + bytes.readUInt32LE(at)
      lines.push(bytes.toString('utf8', at + lengthBytes, end))
      at = end
    }
  }
  return lines
}
