// What people have made beside their points, carried over from InfluxDB 2.x by the target's own interface: variables,
// labels, Telegraf configurations, tasks, checks, endpoints, rules, dashboards, users, and tokens that keep working.
// Each is made once, which the journal remembers; what the target refuses is told, and the rest goes on.

import { type Permission, resourceTypes } from '../../access/permissions.js'
import { hashToken } from '../../access/tokens.js'
import { UserError } from '../../errors.js'
import type { V1Client } from '../connection/v1-client.js'
import type { SourceRecord, SourceResources } from '../plan/source.js'
import type { Journal } from './journal.js'

/** A token by its hash. */
export type KeepToken = (token: {
  readonly hash: string
  readonly description: string
  readonly permissions: readonly Permission[]
  readonly isActive: boolean
}) => Promise<void>

export interface ResourceTarget {
  readonly client: V1Client
  readonly orgId: string
  readonly keepToken: KeepToken
}

/** Members that the target gives by itself. */
const ownMembers = ['id', 'orgID', 'ownerID', 'taskID', 'createdAt', 'updatedAt', 'links', 'labels']

type Kind = keyof SourceResources['records']

/** Rules name endpoints: these come first. */
const order: readonly Kind[] = [
  'variables',
  'labels',
  'telegrafs',
  'tasks',
  'checks',
  'notificationEndpoints',
  'notificationRules',
  'dashboards',
]

export class ResourceCopy {
  readonly #target: ResourceTarget
  readonly #journal: Journal
  readonly #note: (text: string) => void
  /** New ids by old ones. */
  readonly #ids = new Map<string, string>()
  #made = 0

  constructor(target: ResourceTarget, journal: Journal, note: (text: string) => void) {
    this.#target = target
    this.#journal = journal
    this.#note = note
  }

  async run(resources: SourceResources): Promise<void> {
    await this.#findBuckets(resources)
    for (const kind of order) {
      for (const record of resources.records[kind]) await this.#copy(kind, record)
    }
    await this.#copyMappings(resources)
    for (const user of resources.users) {
      await this.#once(`users ${user.id}`, `the user "${user.name}"`, async () => {
        const made = await this.#post('users', { name: user.name })
        await this.#post(`orgs/${this.#target.orgId}/members`, { id: made.id })
        this.#note(`the user "${user.name}" needs a new password`)
        return String(made.id)
      })
    }
    for (const token of resources.tokens) await this.#copyToken(token, resources)
    if (this.#made > 0) this.#note(`${this.#made} resources were carried over`)
  }

  async #findBuckets({ bucketNames }: SourceResources): Promise<void> {
    for (const [id, name] of bucketNames) {
      const query = new URLSearchParams({ name, orgID: this.#target.orgId })
      const { buckets } = await this.#get(`buckets?${query}`)
      const [found] = buckets as { id: string }[]
      if (found !== undefined) this.#ids.set(id, found.id)
    }
  }

  async #copy(kind: Kind, record: SourceRecord): Promise<void> {
    const what = `${kind} "${record.name ?? record.id}"`
    const id = await this.#once(`${kind} ${record.id}`, what, async () => {
      const made = await this.#post(kind, this.#bodyOf(kind, record))
      const id = String(made.id ?? (made.label as { id?: unknown } | undefined)?.id)
      if (kind === 'dashboards') await this.#copyCells(id, record)
      return id
    })
    if (id !== undefined) this.#ids.set(String(record.id), id)
  }

  /** What needs both ends: labels on things, and further names of buckets. */
  async #copyMappings({ labelMappings, mappings }: SourceResources): Promise<void> {
    for (const { labelId, resourceId, resourceType } of labelMappings) {
      const [label, resource] = [this.#ids.get(labelId), this.#ids.get(resourceId)]
      if (label === undefined || resource === undefined) continue
      const what = `the label of ${resourceType} ${resource}`
      await this.#once(`labels ${labelId} ${resourceId}`, what, async () => {
        await this.#send('POST', `${resourceType}/${resource}/labels`, { labelID: label })
        return label
      })
    }
    for (const { bucketId, database, policy, isDefault } of mappings) {
      const bucketID = this.#ids.get(bucketId)
      if (bucketID === undefined) continue
      const name = `${database}.${policy}`
      await this.#once(`dbrps ${bucketId} ${name}`, `the mapping of ${name}`, async () => {
        const mapping = { database, retention_policy: policy, default: isDefault }
        const made = await this.#post('dbrps', { bucketID, ...mapping })
        return String(made.id)
      })
    }
  }

  #bodyOf(kind: Kind, record: SourceRecord): SourceRecord {
    if (kind === 'tasks') {
      const { flux, status, description } = record
      return { flux, status, ...(description === undefined ? {} : { description }) }
    }
    const body: Record<string, unknown> = { ...record }
    for (const member of ownMembers) delete body[member]
    if (kind === 'dashboards') delete body.cells
    if (kind === 'notificationRules') {
      body.endpointID = this.#ids.get(String(record.endpointID)) ?? record.endpointID
    }
    return body
  }

  async #copyCells(dashboard: string, { cells }: SourceRecord): Promise<void> {
    for (const cell of (Array.isArray(cells) ? cells : []) as SourceRecord[]) {
      const { x, y, w, h, view } = cell
      const made = await this.#post(`dashboards/${dashboard}/cells`, { x, y, w, h })
      if (view === undefined) continue
      const { name, properties } = view as SourceRecord
      await this.#send('PATCH', `dashboards/${dashboard}/cells/${made.id}/view`, {
        name,
        properties,
      })
    }
  }

  async #copyToken(token: SourceRecord, { organizationId }: SourceResources): Promise<void> {
    const { keepToken } = this.#target
    const what = `the token "${token.description ?? token.id}"`
    await this.#once(`tokens ${token.id}`, what, async () => {
      const hash = hashOf(token)
      if (hash === undefined) throw new UserError('invalid', 'its hash is of another kind')
      const wanted = (token.permissions ?? []) as Permission[]
      const permissions = wanted.flatMap((one) => this.#permission(one, organizationId))
      if (permissions.length === 0) throw new UserError('invalid', 'it permits nothing here')
      const description = String(token.description ?? '')
      await keepToken({ hash, description, permissions, isActive: token.status !== 'inactive' })
      return ''
    })
  }

  /** The same for the things as they are called here; none where there is no such thing. */
  #permission({ action, resource }: Permission, organizationId: string): Permission[] {
    const { type, id, orgID } = resource
    if (!resourceTypes.includes(type)) return []
    if (orgID !== undefined && orgID !== organizationId) return []
    const here = id === organizationId ? this.#target.orgId : this.#ids.get(id ?? '')
    if (id !== undefined && here === undefined) return []
    return [
      {
        action,
        resource: {
          type,
          ...(id === undefined ? {} : { id: here }),
          ...(orgID === undefined ? {} : { orgID: this.#target.orgId }),
        },
      },
    ]
  }

  /**
   * The id of what was made, now or by an earlier start; undefined where the target refuses it. Noted when it is made:
   * a start that was killed in between makes it a second time, which a name may refuse.
   */
  async #once(key: string, what: string, make: () => Promise<string>): Promise<string | undefined> {
    const known = this.#journal.made.get(key)
    if (known !== undefined) return known
    try {
      const id = await make()
      this.#made++
      await this.#journal.madeResource(key, id)
      return id
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      this.#note(`${what} was not made: ${error.message}`)
      return undefined
    }
  }

  #post(path: string, body: SourceRecord): Promise<Record<string, unknown>> {
    return this.#send('POST', path, { orgID: this.#target.orgId, ...body })
  }

  async #get(path: string): Promise<Record<string, unknown>> {
    return JSON.parse(await this.#target.client.text(`api/v2/${path}`, { method: 'GET' }))
  }

  async #send(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
    const text = JSON.stringify(body)
    const answer = await this.#target.client.text(`api/v2/${path}`, { method, body: text })
    return answer === '' ? {} : JSON.parse(answer)
  }
}

/** Of a token that is kept in clear, or as a hash of one of the two kinds that are known here, too. */
function hashOf({ token, hashedToken }: SourceRecord): string | undefined {
  if (typeof token === 'string' && token !== '' && !token.startsWith('$')) return hashToken(token)
  const text = [hashedToken, token].find((one) => typeof one === 'string' && one.startsWith('$'))
  const hash = /^\$influxdb2-sha(?:256|512)\$(.+)$/.exec(String(text))?.[1]
  return hash === undefined ? undefined : Buffer.from(hash, 'base64url').toString('hex')
}
