// Where a task with the option `late` reads, and so where late points are looked for: buckets that its script names, or
// databases and policies of InfluxQL, which are whatever buckets they lead to at the moment. A task that wrote into one
// of them would make itself run for ever: refused when it is made, and left alone should it come to be so later.

import type { CatalogContext } from '../base/context.js'
import type { QueryPlace, QueryPlaces } from '../base/query-places.js'
import type { ScriptTools } from '../base/script-tools.js'
import { Dbrps } from '../storage/dbrps.js'
import { invalidOptions } from './task-options.js'

export interface LateSources {
  /** Names. */
  readonly lateBuckets?: readonly string[] | undefined
  readonly latePlaces?: QueryPlaces | undefined
}

export interface LateBody {
  readonly late?: string | undefined
  readonly flux: string
  readonly language?: string | undefined
  readonly query?: string | undefined
  readonly database?: string | undefined
  readonly targetBucket?: string | undefined
}

export class LateSourceFinder {
  readonly #context: CatalogContext
  readonly #dbrps: Dbrps

  constructor(context: CatalogContext) {
    this.#context = context
    this.#dbrps = new Dbrps(context)
  }

  /** Throws UserError where they cannot be told from the text. */
  async find(orgId: string, body: LateBody): Promise<LateSources> {
    if (body.late === undefined) return { lateBuckets: undefined, latePlaces: undefined }
    if (body.language === 'influxql') return this.#ofInfluxql(orgId, body)
    const lateBuckets = bucketNames(await this.#context.scriptTools(), body)
    return { lateBuckets, latePlaces: undefined }
  }

  async #ofInfluxql(orgId: string, { query = '', database }: LateBody): Promise<LateSources> {
    const places = this.#context.queryPlaces(query)
    if (places === undefined) throw invalidOptions('late is for tasks that only SELECT')
    const inDatabase = (place: QueryPlace) => ({ ...place, database: place.database ?? database })
    const latePlaces = {
      reads: places.reads.map(inDatabase),
      writes: places.writes.map(inDatabase),
    }
    const { both } = await this.#resolve(orgId, latePlaces)
    if (both !== undefined) throw ownTarget(both)
    return { lateBuckets: undefined, latePlaces }
  }

  /** The buckets that are read now; none where one of them is written too. */
  async bucketIds(orgId: string, { lateBuckets, latePlaces }: LateSources): Promise<string[]> {
    if (latePlaces !== undefined) {
      const { ids, both } = await this.#resolve(orgId, latePlaces)
      return both === undefined ? ids : []
    }
    const found = (lateBuckets ?? []).map((name) => this.#named(orgId, name))
    return (await Promise.all(found)).flatMap((id) => id ?? [])
  }

  /** As Flux and SQL find it: a bucket, or what a mapping of a database leads to. */
  async #named(orgId: string, name: string) {
    const query = this.#context.db.selectFrom('buckets').select('id').where('org_id', '=', orgId)
    const bucket = await query.where('name', '=', name).executeTakeFirst()
    return bucket?.id ?? this.#bucketId(orgId, { database: name })
  }

  async #resolve(orgId: string, { reads, writes }: QueryPlaces) {
    const nameOf = async (place: QueryPlace) =>
      (await this.#bucketId(orgId, place)) ?? textOf(place)
    const written = new Set(await Promise.all(writes.map(nameOf)))
    const ids = new Set<string>()
    let both: string | undefined
    for (const place of reads) {
      if (written.has(await nameOf(place))) both ??= textOf(place)
      const id = await this.#bucketId(orgId, place)
      if (id !== undefined) ids.add(id)
    }
    return { ids: [...ids], both }
  }

  async #bucketId(orgId: string, { database = '', policy }: QueryPlace) {
    const found = await this.#dbrps.resolve(orgId, database, policy)
    return found.kind === 'found' ? found.bucketId : undefined
  }
}

/** Of SQL the database that it runs in. */
function bucketNames(tools: ScriptTools, body: LateBody): readonly string[] {
  const { flux, language, database = '', targetBucket = '' } = body
  const isSql = language === 'sql'
  if (!isSql && flux === '') throw invalidOptions('late is for tasks that have their own script')
  const found = isSql ? { reads: [database], writes: [targetBucket] } : tools.buckets(flux)
  if (found === undefined || found.reads.length === 0) {
    throw invalidOptions('late needs a script that names the buckets it reads by literals')
  }
  const both = found.reads.find((name) => found.writes.includes(name))
  if (both === undefined) return found.reads
  throw ownTarget(both)
}

function textOf({ database = '', policy }: QueryPlace): string {
  return policy === undefined ? database : `${database}.${policy}`
}

function ownTarget(name: string) {
  return invalidOptions(
    `late needs a target other than what is read, not ${JSON.stringify(name)} itself`,
  )
}
