// Scrapers: addresses of metrics in Prometheus' text form, and the bucket that their samples are written to, every so
// many seconds. A scraper belongs to its bucket and goes with it.

import { Type } from '@sinclair/typebox'
import { UserError } from '../../errors.js'
import type { CatalogContext } from '../base/context.js'
import { type Given, optionalFields } from '../base/fields.js'
import { type CatalogRecord, Records } from '../base/records.js'

export interface ScraperBody {
  readonly url: string
  readonly allowInsecure: boolean
  readonly intervalSeconds: number
}

/** Its parent is the bucket. */
export type Scraper = CatalogRecord<ScraperBody>

export const scraperFields = optionalFields({
  orgID: Type.String(),
  name: Type.String(),
  type: Type.String(),
  url: Type.String(),
  bucketID: Type.String(),
  allowInsecure: Type.Boolean(),
  intervalSeconds: Type.Integer({ description: 'beyond InfluxDB, which knows only 10 seconds' }),
})

export type ScraperInput = Given<typeof scraperFields>

const intervalDefault = 10
const intervalMax = 86_400

export class Scrapers {
  readonly records: Records<ScraperBody>

  constructor(context: CatalogContext) {
    this.records = new Records(context, { kind: 'scraper', noun: 'scraper target' })
  }

  /** Who calls it has looked whether the bucket is there and may be written to. */
  async create(orgId: string, ownerId: string | undefined, input: ScraperInput): Promise<Scraper> {
    const empty = { url: '', allowInsecure: false, intervalSeconds: intervalDefault }
    const { name = '', bucketID: parentId = '' } = input
    if (name === '') throw new UserError('invalid', 'a scraper target needs a name')
    return this.records.create({ orgId, ownerId, parentId, name, body: changed(empty, input) })
  }

  /** What is absent stays as it is; so does the bucket. */
  async update(id: string, change: ScraperInput): Promise<Scraper> {
    const { body, parentId } = await this.records.require(id)
    if (change.name === '') throw new UserError('invalid', 'a scraper target needs a name')
    if ((change.bucketID ?? parentId) !== parentId) {
      throw new UserError('invalid', 'the bucket of a scraper target cannot be changed')
    }
    return this.records.update(id, { name: change.name, body: changed(body, change) })
  }
}

function changed(body: ScraperBody, change: ScraperInput): ScraperBody {
  const { type = 'prometheus', url = body.url } = change
  if (type !== 'prometheus') throw new UserError('invalid', `unknown scraper type "${type}"`)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UserError('invalid', `"${url}" is not an address that begins with http or https`)
  }
  const intervalSeconds = change.intervalSeconds ?? body.intervalSeconds
  if (intervalSeconds < 1 || intervalSeconds > intervalMax) {
    throw new UserError('invalid', `intervalSeconds must be from 1 to ${intervalMax}`)
  }
  return { url, allowInsecure: change.allowInsecure ?? body.allowInsecure, intervalSeconds }
}
