// `GET /api/v2/buckets/{id}/live`: points of a bucket as they are written, as server-sent events; `measurement` asks
// for one only. Each event has the lines of some moment and how many points were left out because there were too many
// or the reader is slow. These are the writes that this process takes.

import type { ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { UserError } from '../../../errors.js'
import type { LivePoints } from '../../../service/write/live-points.js'
import { guardedRoutes } from '../../base/guarded-routes.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import type { IdParams } from '../resources/resource-access.js'
import { requireBucket } from './buckets.js'

const eventStream = 'text/event-stream'
/** Events come no closer together than this, with at most so many lines. */
const eventMs = 200
const linesMax = 200
/** What may wait in the connection for a reader that is slow. */
const waitingBytesMax = 256 * 1024
/** What stands in between closes connections on which nothing comes; and whoever reads may no longer be allowed to. */
const aliveMs = 15_000

export function bucketLiveRoute(app: FastifyInstance, services: Services): void {
  const open = new Set<LiveStream>()
  app.addHook('preClose', async () => {
    for (const stream of open) stream.end()
  })
  guardedRoutes(app, services, (scope) => {
    scope.get<IdParams>('/api/v2/buckets/:id/live', async (request, reply) => {
      const { id } = await requireBucket(services, request, 'read')
      // An answer without an end is for those who know that it is one.
      if (!(request.headers.accept ?? '').includes(eventStream)) {
        throw new UserError('invalid', `points as they are written need "Accept: ${eventStream}"`)
      }
      const measurement = parameter(request, 'measurement')
      const stream = new LiveStream(reply.raw, async () => {
        await requireBucket(services, request, 'read')
      })
      const leave = services.writes.watchers.add(id, {
        measurement,
        room: () => stream.room,
        take: (points) => stream.take(points),
      })
      open.add(stream)
      reply.raw.once('close', () => {
        leave()
        open.delete(stream)
        stream.end()
      })
      reply.hijack()
      stream.begin()
    })
  })
}

class LiveStream {
  readonly #response: ServerResponse
  readonly #check: () => Promise<void>
  #lines: string[] = []
  #skipped = 0
  #flush: NodeJS.Timeout | undefined
  #alive: NodeJS.Timeout | undefined

  /** `check` rejects where the reader may not read any more. */
  constructor(response: ServerResponse, check: () => Promise<void>) {
    this.#response = response
    this.#check = check
  }

  get room(): number {
    return linesMax - this.#lines.length
  }

  begin(): void {
    this.#response.writeHead(200, {
      'content-type': `${eventStream}; charset=utf-8`,
      'cache-control': 'no-store',
      // Some proxies gather answers otherwise.
      'x-accel-buffering': 'no',
    })
    this.#response.write(': watching\n\n')
    this.#alive = setInterval(() => this.#stayAlive(), aliveMs)
    this.#alive.unref()
  }

  take({ lines, skipped }: LivePoints): void {
    this.#lines.push(...lines)
    this.#skipped += skipped
    this.#flush ??= setTimeout(() => this.#send(), eventMs)
  }

  end(): void {
    clearTimeout(this.#flush)
    clearInterval(this.#alive)
    if (!this.#response.writableEnded) this.#response.end()
  }

  #send(): void {
    this.#flush = undefined
    if (this.#response.writableLength > waitingBytesMax) {
      this.#skipped += this.#lines.length
      this.#lines = []
      return
    }
    const data = JSON.stringify({ lines: this.#lines, skipped: this.#skipped })
    this.#lines = []
    this.#skipped = 0
    this.#response.write(`event: points\ndata: ${data}\n\n`)
  }

  #stayAlive(): void {
    this.#check().then(
      () => {
        if (!this.#response.writableEnded) this.#response.write(': alive\n\n')
      },
      () => this.end(),
    )
  }
}
