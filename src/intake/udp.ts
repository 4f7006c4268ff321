// Line protocol in UDP packets, as appliances send it that know nothing else. Nobody is answered and nobody says who
// they are: packets are gathered for a moment and written together, and what cannot be written is counted and logged.

import { createSocket, type Socket } from 'node:dgram'
import type { Bucket } from '../catalog/storage/buckets.js'
import { type HttpAddress, limits } from '../config.js'
import { metricText } from '../platform/metric-text.js'
import type { Service } from '../service/service.js'

export interface UdpFigures {
  packets: number
  written: number
  /** Points or lines that were refused. */
  refused: number
  /** Packets that were dropped: too many waited, or the bucket is not there. */
  dropped: number
}

/** How long packets wait for others. */
const gatherMs = 200
const gatherBytes = 1024 * 1024

export class UdpIntake {
  readonly figures: UdpFigures = { packets: 0, written: 0, refused: 0, dropped: 0 }
  readonly #service: Service
  readonly #address: HttpAddress
  #socket: Socket | undefined
  #waiting: Uint8Array[] = []
  #waitingBytes = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #lastFailure = ''

  constructor(service: Service, address: HttpAddress) {
    this.#service = service
    this.#address = address
  }

  /** Resolves with the port when it listens. */
  async start(): Promise<number> {
    const { host, port } = this.#address
    const { udpReadBufferBytes } = this.#service.config
    const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    this.#socket = socket
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind(port, host, () => {
        socket.off('error', reject)
        resolve()
      })
    })
    socket.on('error', (error) => this.#failed(error.message))
    if (udpReadBufferBytes > 0) socket.setRecvBufferSize(udpReadBufferBytes)
    socket.on('message', (packet) => this.#take(packet))
    const bound = socket.address().port
    this.#service.log('info', 'takes line protocol in UDP packets', { host, port: bound })
    return bound
  }

  /** What has come is written. */
  async stop(): Promise<void> {
    const socket = this.#socket
    this.#socket = undefined
    if (socket === undefined) return
    await new Promise<void>((resolve) => socket.close(() => resolve()))
    clearTimeout(this.#timer)
    await this.#writing
    await this.#flush()
  }

  metrics(): string {
    const { packets, written, refused, dropped } = this.figures
    return [
      counter('packets', 'Packets that came.', packets),
      counter('points_written', 'Points of packets that were written.', written),
      counter('points_refused', 'Points and lines of packets that were refused.', refused),
      counter('packets_dropped', 'Packets that were dropped.', dropped),
    ].join('')
  }

  #take(packet: Uint8Array): void {
    this.figures.packets++
    if (this.#waitingBytes + packet.length > limits.udpPendingBytesMax) {
      this.figures.dropped++
      return this.#failed('more packets come than can be written')
    }
    this.#waiting.push(packet)
    this.#waitingBytes += packet.length
    if (this.#waitingBytes >= gatherBytes) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), gatherMs).unref()
  }

  #begin(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#flush().finally(() => {
      this.#writing = undefined
      if (this.#waiting.length > 0) this.#begin()
    })
  }

  async #flush(): Promise<void> {
    const packets = this.#waiting
    if (packets.length === 0) return
    this.#waiting = []
    this.#waitingBytes = 0
    try {
      await this.#write(Buffer.concat(packets.flatMap((packet) => [packet, newline])))
    } catch (error) {
      this.figures.dropped += packets.length
      this.#failed((error as Error).message)
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    const { writes, config } = this.#service
    const bucket = await this.#bucket()
    const admitted = await writes.admit(bucket)
    try {
      admitted.reserve(bytes.length)
      const outcome = await admitted.store(bucket, bytes, { precision: config.udpPrecision })
      this.figures.written += outcome.writtenCount
      this.figures.refused += outcome.malformedCount + outcome.rejectedCount
      const [first] = [...outcome.malformed, ...outcome.rejected]
      if (first !== undefined) this.#failed(first.reason)
    } finally {
      admitted.end()
    }
  }

  async #bucket(): Promise<Bucket> {
    const { catalog, config, homeOrgId } = this.#service
    const { udpBucket: name } = config
    const slash = name.indexOf('/')
    const named = slash < 0 ? undefined : await catalog.organizations.find(name.slice(0, slash))
    const orgId = named?.id ?? homeOrgId ?? (await catalog.organizations.findFirst())?.id
    const wanted = named === undefined ? name : name.slice(slash + 1)
    const bucket = orgId === undefined ? undefined : await catalog.buckets.find(orgId, wanted)
    if (bucket === undefined) throw new Error(`the bucket of --udp-bucket, "${name}", is not there`)
    return bucket
  }

  /** Once per cause: senders do not stop. */
  #failed(reason: string): void {
    if (reason === this.#lastFailure) return
    this.#lastFailure = reason
    this.#service.log('warn', 'points of UDP packets are lost', { reason })
  }
}

const newline = Buffer.from('\n')

function counter(name: string, help: string, value: number): string {
  return metricText(`millrace_udp_${name}_total`, help, 'counter', value)
}
