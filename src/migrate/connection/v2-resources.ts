// What a running server of 2.x knows beside its points, asked of its interface for resources, in the shape of its
// key-value file. What a token may not see is noted and left out.

import type { V2Bucket, V2Kind, V2Metadata, V2Record } from '../../tsm/metadata/v2-metadata.js'
import { ServerRefusal, type V1Client } from './v1-client.js'

export interface V2Resources {
  readonly metadata: V2Metadata
  readonly notes: readonly string[]
}

/** Kinds whose lists have pages, by where they are and what they are called in the answer. */
const lists: readonly (readonly [kind: V2Kind, path: string, member: string])[] = [
  ['users', 'users', 'users'],
  ['tokens', 'authorizations', 'authorizations'],
  ['mappings', 'dbrps', 'content'],
  ['tasks', 'tasks', 'tasks'],
  ['variables', 'variables', 'variables'],
  ['labels', 'labels', 'labels'],
  ['dashboards', 'dashboards', 'dashboards'],
  ['checks', 'checks', 'checks'],
  ['endpoints', 'notificationEndpoints', 'notificationEndpoints'],
  ['rules', 'notificationRules', 'notificationRules'],
  ['telegrafs', 'telegrafs', 'configurations'],
]

const pageSize = 100
/** A server that ignores pages would give the same one for ever. */
const pagesMax = 10_000

/** `organization`: whose; absent: the only one that the token sees. */
export async function readV2Resources(
  client: V1Client,
  organization: string | undefined,
): Promise<V2Resources> {
  const api = new Api(client)
  const organizations = (await api.pages('orgs', 'orgs', {})).map(({ id, name }) => {
    return { id: String(id), name: String(name) }
  })
  const org = organizations.find(({ name }) => organization === undefined || name === organization)
  const orgID = org?.id ?? ''
  const records = Object.fromEntries(lists.map(([kind]) => [kind, [] as V2Record[]])) as Record<
    V2Kind,
    V2Record[]
  >
  records.labelMappings = []
  for (const [kind, path, member] of lists) {
    records[kind] = await api.optional(path, () => api.pages(path, member, { orgID }))
    for (const record of records[kind]) addLabels(records.labelMappings, path, record)
  }
  records.tokens = records.tokens.filter(isInClear)
  records.mappings = records.mappings.map((one) => {
    return { ...one, bucket_id: one.bucketID, organization_id: one.orgID }
  })
  const views = await api.optional('views of dashboards', () => viewsOf(api, records.dashboards))
  const found = await api.pages('buckets', 'buckets', { orgID })
  for (const bucket of found) addLabels(records.labelMappings, 'buckets', bucket)
  const buckets = found.filter(({ type }) => type !== 'system').map(bucketOf)
  const metadata = { organizations, buckets, records, views: new Map(views) }
  return { metadata, notes: api.notes }
}

class Api {
  readonly #client: V1Client
  readonly notes: string[] = []

  constructor(client: V1Client) {
    this.#client = client
  }

  async get(path: string): Promise<Record<string, unknown>> {
    return JSON.parse(await this.#client.text(`api/v2/${path}`, { method: 'GET' }))
  }

  /** All of a list. Of what has no pages the second is the first again, or empty. */
  async pages(path: string, member: string, query: Record<string, string>): Promise<V2Record[]> {
    const all = new Map<unknown, V2Record>()
    for (let page = 0; page < pagesMax; page++) {
      const last = [...all.keys()].at(-1)
      const place: Record<string, string> =
        path === 'tasks' && last !== undefined
          ? { after: String(last) }
          : { offset: String(page * pageSize) }
      const parameters = new URLSearchParams({ ...query, limit: String(pageSize), ...place })
      const answer = await this.get(`${path}?${parameters}`)
      const list = (answer[member] ?? []) as V2Record[]
      const before = all.size
      for (const record of list) all.set(record.id, record)
      if (list.length < pageSize || all.size === before) break
    }
    return [...all.values()]
  }

  /** Nothing where the token may not, or the server has no such thing. */
  async optional<T>(what: string, read: () => Promise<T[]>): Promise<T[]> {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ServerRefusal)) throw error
      this.notes.push(`${what} stay behind: ${error.message}`)
      return []
    }
  }
}

function addLabels(into: V2Record[], resourceType: string, { id, labels }: V2Record): void {
  for (const { id: labelID } of Array.isArray(labels) ? (labels as V2Record[]) : []) {
    into.push({ labelID, resourceID: id, resourceType })
  }
}

/** Of cells, by the id of the dashboard with that of the cell behind it. */
async function viewsOf(api: Api, dashboards: readonly V2Record[]): Promise<[string, V2Record][]> {
  const views: [string, V2Record][] = []
  for (const { id } of dashboards) {
    const { cells } = await api.get(`dashboards/${id}?include=properties`)
    for (const cell of Array.isArray(cells) ? (cells as V2Record[]) : []) {
      const { name, properties } = cell
      if (properties !== undefined) views.push([`${id}${cell.id}`, { name, properties }])
    }
  }
  return views
}

function bucketOf({ id, orgID, name, retentionRules }: V2Record): V2Bucket {
  const [rule] = (Array.isArray(retentionRules) ? retentionRules : []) as {
    everySeconds?: number
  }[]
  const durationNs = BigInt(rule?.everySeconds ?? 0) * 1_000_000_000n
  const shards = undefined
  return { id: String(id), orgId: String(orgID), name: String(name), durationNs, shards }
}

/** Later versions show a placeholder: only what clients send can be kept. */
function isInClear({ token }: V2Record): boolean {
  return typeof token === 'string' && token.length >= 20
}
