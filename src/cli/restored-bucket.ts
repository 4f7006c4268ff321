// A bucket of a running server that gets the points of a backed-up one: made if it is not there, written to in batches
// that the server takes, again after a while where it is busy.

import { setTimeout as pause } from 'node:timers/promises'
import { UserError } from '../errors.js'
import type { RemoteServer } from './remote-server.js'

export interface BucketTarget {
  readonly org: string
  readonly name: string
  readonly retentionSeconds: number
  /** Also where the bucket is there already. */
  readonly isInto: boolean
}

/** Bytes of a write: some ten thousand lines. */
const batchBytes = 2 << 20
const triesMax = 60
const refusalsMax = 20

export class RestoredBucket {
  readonly name: string
  readonly #server: RemoteServer
  readonly #query: Readonly<Record<string, string>>
  #texts: string[] = []
  #bytes = 0
  lineCount = 0
  readonly refusals: string[] = []

  private constructor(server: RemoteServer, org: string, bucket: string) {
    this.#server = server
    this.name = bucket
    this.#query = { org, bucket, precision: 'ns' }
  }

  static async make(server: RemoteServer, target: BucketTarget): Promise<RestoredBucket> {
    const { org, name, retentionSeconds, isInto } = target
    const { orgs } = (await server.ask({
      method: 'GET',
      path: '/api/v2/orgs',
      query: { org },
    })) as {
      orgs?: readonly { id: string }[]
    }
    const orgID = orgs?.[0]?.id
    if (orgID === undefined) throw new UserError('not found', `organization "${org}" not found`)
    const query = { orgID, name }
    const { buckets } = (await server.ask({ method: 'GET', path: '/api/v2/buckets', query })) as {
      buckets?: readonly object[]
    }
    if ((buckets?.length ?? 0) > 0) {
      if (isInto) return new RestoredBucket(server, org, name)
      throw new UserError('conflict', `bucket "${name}" exists: name another with --as, or --into`)
    }
    const retentionRules =
      retentionSeconds === 0 ? [] : [{ type: 'expire', everySeconds: retentionSeconds }]
    const body = { orgID, name, retentionRules }
    await server.ask({ method: 'POST', path: '/api/v2/buckets', body })
    return new RestoredBucket(server, org, name)
  }

  /** Whole lines. */
  async add(text: string): Promise<void> {
    this.#texts.push(text)
    this.#bytes += text.length
    if (this.#bytes >= batchBytes) await this.finish()
  }

  async finish(): Promise<void> {
    if (this.#texts.length === 0) return
    const text = this.#texts.join('')
    this.#texts = []
    this.#bytes = 0
    for (let tries = 1; ; tries++) {
      const request = { path: '/api/v2/write', query: this.#query, text }
      const { status, message } = await this.#server.write(request)
      if (status === 204) break
      const isBusy = status === 429 || status === 503
      if (isBusy && tries < triesMax) await pause(Math.min(1000 * tries, 10_000))
      // Some lines were refused, such as those that have expired; the others are written.
      else if (status === 400 || status === 422) {
        if (this.refusals.length < refusalsMax) this.refusals.push(message)
        break
      } else throw new Error(message)
    }
    this.lineCount += text.split('\n').length - 1
  }
}
