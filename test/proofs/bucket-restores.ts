// Somebody who restores backed-up buckets into a running server, as `millrace restore --bucket` does: the bucket is
// made, its lines come in batches. What was told as restored is whole. What was broken off is a part of it at most, and
// the same restore, told to go into the bucket that is there, makes it whole.

import { RemoteServer } from '../../src/cli/remote-server.js'
import { RestoredBucket } from '../../src/cli/restored-bucket.js'
import { ask, Gone } from './service-process.js'
import type { Actor, Place } from './torture-actors.js'

const batches = 3
const linesPerBatch = 4
const linesMax = batches * linesPerBatch

export class BucketRestores implements Actor {
  readonly name = 'restore'
  readonly #whole: string[] = []
  #brokenOff: string | undefined
  #number = 0

  get doneCount(): number {
    return this.#whole.length
  }

  async step({ url, token }: Place): Promise<void> {
    const isInto = this.#brokenOff !== undefined
    const name = this.#brokenOff ?? `restored ${this.#number++}`
    this.#brokenOff = name
    const server = new RemoteServer(
      new Map([
        ['host', url],
        ['token', token],
      ]),
    )
    try {
      const options = { org: 'o', name, retentionSeconds: 0, isInto }
      const bucket = await RestoredBucket.make(server, options)
      for (let batch = 0; batch < batches; batch++) {
        await bucket.add(linesOf(batch))
        await bucket.finish()
      }
    } catch (error) {
      const { message } = error as Error
      if (message.startsWith('cannot reach')) throw new Gone(message)
      throw error
    }
    this.#whole.push(name)
    this.#brokenOff = undefined
  }

  async check(place: Place): Promise<string[]> {
    const wrong: string[] = []
    for (const name of this.#whole) {
      const found = await countIn(place, name)
      if (found !== linesMax) wrong.push(`${name}: ${found} of ${linesMax} lines`)
    }
    if (this.#brokenOff === undefined) return wrong
    const found = await countIn(place, this.#brokenOff)
    // Batches are whole or not there.
    if (found > linesMax || found % linesPerBatch > 0) {
      wrong.push(`${this.#brokenOff}, broken off: ${found} lines`)
    }
    // A bucket that was not made yet is made anew.
    if (!(await isThere(place, this.#brokenOff))) this.#brokenOff = undefined
    return wrong
  }
}

function linesOf(batch: number): string {
  const first = batch * linesPerBatch
  return Array.from({ length: linesPerBatch }, (_, i) => `m f=${first + i} ${first + i}\n`).join('')
}

async function countIn({ url, token }: Place, db: string): Promise<number> {
  const query = new URLSearchParams({ db, q: 'SELECT count(f) FROM m' })
  const { status, text } = await ask(`${url}/query?${query}`, { token })
  // Without a bucket there is no database.
  if (status === 404) return 0
  if (status !== 200) throw new Error(`count of ${db}: ${status} ${text.slice(0, 200)}`)
  return JSON.parse(text).results[0].series?.[0].values[0][1] ?? 0
}

async function isThere({ url, token, orgId }: Place, name: string): Promise<boolean> {
  const query = new URLSearchParams({ orgID: orgId, name })
  const { text } = await ask(`${url}/api/v2/buckets?${query}`, { token })
  return JSON.parse(text).buckets.length > 0
}
