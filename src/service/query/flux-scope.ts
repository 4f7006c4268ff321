// What a Flux script may use, on the catalog: the buckets of an organization (and of others, where the
// caller's token reaches them), its databases and secrets. Everything checks here what the caller may do,
// with the words that Flux has for what is missing. Points go the same way as those of a write from
// outside.

import type { Identity } from '../../access/authenticator.js'
import { allows } from '../../access/permissions.js'
import type { Organization } from '../../catalog/accounts/organizations.js'
import { isId, parseId } from '../../catalog/base/ids.js'
import { wholeList } from '../../catalog/base/page.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import type { TimeRange } from '../../column/time.js'
import { limits } from '../../config.js'
import { UserError } from '../../errors.js'
import type {
  AccountReference,
  BucketFacts,
  BucketReference,
  DatabaseFacts,
  FluxLimits,
  FluxScope,
  LimitFacts,
  UsageFacts,
} from '../../flux/context/scope.js'
import type { ResultPiece } from '../../query/language.js'
import type { QueryFigures } from '../../query/limits.js'
import type { BucketId } from '../../store/store.js'
import { requirePermission } from '../base/identities.js'
import type { ServiceParts } from '../base/parts.js'
import type { DatabaseDirectories } from '../databases/directory.js'
import type { Usage } from '../limits/usage.js'
import type { Targets } from '../targets/targets.js'
import { writeFailure } from '../write/write-failure.js'
import type { Writes } from '../write/writes.js'
import { queryLimits } from './limits.js'

/** Told what a script that is only tried would have written: line protocol in nanoseconds. */
export type WouldWrite = (bucket: Bucket, lines: Uint8Array) => void

/** Who runs the script, in which organization, from which moment on, and for how long; 0: without limit. */
interface Caller {
  readonly identity: Identity
  readonly org: Organization
  readonly now: bigint
  readonly timeoutSeconds: number
  readonly figures: QueryFigures
  /** Where a task asks. */
  readonly task?:
    | {
        readonly lastSuccess: bigint | undefined
        readonly wrote: (count: number) => void
      }
    | undefined
  /** Nothing is written and nobody is asked: what the script would write it only returns. */
  readonly isTest?: boolean | undefined
  readonly wouldWrite?: WouldWrite | undefined
}

type FluxParts = ServiceParts & {
  readonly targets: Targets
  readonly directories: DatabaseDirectories
  readonly writes: Writes
  readonly usage: Usage
}

type OrganizationReference = Pick<BucketReference, 'org' | 'orgId'>

const nsPerSecond = 1_000_000_000n

export class FluxCatalogScope implements FluxScope {
  readonly store: FluxScope['store']
  readonly clock: FluxScope['clock']
  readonly random: FluxScope['random']
  readonly outgoing: FluxScope['outgoing']
  readonly databasesOutside: FluxScope['databasesOutside']
  readonly limits: FluxLimits
  readonly figures: QueryFigures | undefined
  readonly giveWay: (() => Promise<void>) | undefined
  readonly isAnswerUnread: boolean
  readonly now: bigint
  readonly lastSuccess: bigint | undefined
  readonly #parts: FluxParts
  readonly #identity: Identity
  readonly #org: Organization
  readonly #wrote: ((count: number) => void) | undefined
  readonly #isTest: boolean
  readonly #wouldWrite: WouldWrite | undefined

  constructor(parts: FluxParts, caller: Caller) {
    const { store, clock, random, outgoing, databasesOutside, config } = parts
    this.store = store
    this.clock = clock
    this.random = random
    this.#isTest = caller.isTest ?? false
    this.#wouldWrite = caller.wouldWrite
    this.outgoing = this.#isTest ? silent : outgoing
    this.databasesOutside = this.#isTest ? unreachable : databasesOutside
    this.limits = {
      timeoutSeconds: caller.timeoutSeconds,
      pointsMax: config.queryPointsMax,
      memoryBytesMax: config.queryMemoryBytesMax,
      stepsMax: limits.fluxStepsMax,
    }
    const { turns } = parts
    this.giveWay = caller.task === undefined ? undefined : () => turns.next()
    this.isAnswerUnread = caller.task !== undefined
    this.now = caller.now
    this.#parts = parts
    this.#identity = caller.identity
    this.#org = caller.org
    this.figures = caller.figures
    this.lastSuccess = caller.task?.lastSuccess
    this.#wrote = caller.task?.wrote
  }

  async bucket(reference: BucketReference, action: 'read' | 'write'): Promise<BucketId> {
    return (await this.#bucketOf(reference, action)).id
  }

  async #bucketOf(reference: BucketReference, action: 'read' | 'write'): Promise<Bucket> {
    const found = await this.#find(reference)
    const { id, orgId: orgID } = found
    requirePermission(this.#identity, { action, type: 'buckets', id, orgID })
    return found
  }

  async #find(reference: BucketReference): Promise<Bucket> {
    const { bucket, bucketId } = reference
    if (bucketId !== undefined && !isId(bucketId)) {
      throw new UserError('invalid', notStarted('invalid bucket id'))
    }
    const { id: orgID } = await this.#organization(reference)
    // Which organization it is has been settled; whether the caller may is asked of the bucket.
    const anyone = { ...this.#identity, orgId: undefined }
    try {
      const query = { org: undefined, orgID, bucket, bucketID: bucketId }
      return await this.#parts.targets.managedBucket(anyone, query)
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'not found') throw error
      const text = notStarted(`could not find bucket "${bucketId ?? bucket ?? ''}"`)
      throw new UserError('not found', text)
    }
  }

  /** The caller's own, or the one that is named. */
  async #organization({ org, orgId }: OrganizationReference): Promise<Organization> {
    const named = orgId ?? org
    if (named === undefined || named === this.#org.id || named === this.#org.name) return this.#org
    const found = await this.#parts.catalog.organizations.find(named)
    // Whoever can do nothing there does not learn that it exists.
    const isReachable = found !== undefined && this.#reaches(found.id)
    if (isReachable) return found
    throw new UserError('not found', notStarted(`could not find organization "${named}"`))
  }

  #reaches(orgID: string): boolean {
    return this.#identity.permissions.some(({ resource }) => {
      const isOfBuckets = resource.type === 'buckets' || resource.type === 'instance'
      return isOfBuckets && (resource.orgID === undefined || resource.orgID === orgID)
    })
  }

  async buckets(organization: OrganizationReference): Promise<readonly BucketFacts[]> {
    const { id: orgId } = await this.#organization(organization)
    const filter = { orgId, userBuckets: 'all', systemBuckets: true } as const
    const all = await this.#parts.catalog.buckets.list(filter, wholeList)
    const visible = all.filter((bucket) => this.#maySee(bucket))
    if (visible.length === 0) {
      throw new UserError('not found', `no buckets found in organization ${orgId}`)
    }
    return visible.map(({ id, name, orgId: organizationId, retentionSeconds }) => {
      const retentionNs = BigInt(retentionSeconds) * nsPerSecond
      return { id, name, organizationId, retentionPolicy: '', retentionNs }
    })
  }

  /** Lists show the buckets of the system also to whoever may read the organization. */
  #maySee({ id, orgId: orgID, type }: Bucket): boolean {
    const { permissions } = this.#identity
    if (allows(permissions, { action: 'read', type: 'buckets', id, orgID })) return true
    return type === 'system' && allows(permissions, { action: 'read', type: 'orgs', id: orgID })
  }

  async databases(organization: OrganizationReference): Promise<readonly DatabaseFacts[]> {
    const { id: organizationId } = await this.#organization(organization)
    const found: DatabaseFacts[] = []
    const directory = await this.#parts.directories.of(organizationId)
    for (const { name: database, policies } of directory.values()) {
      for (const { name: retentionPolicy, bucket, isDefault } of policies) {
        if (!this.#maySee(bucket)) continue
        const retentionNs = BigInt(bucket.retentionSeconds) * nsPerSecond
        const { id: bucketId } = bucket
        const facts = { database, retentionPolicy, retentionNs, isDefault }
        found.push({ ...facts, bucketId, organizationId })
      }
    }
    if (found.length === 0) throw new UserError('not found', 'no 1.x databases found')
    return found
  }

  async secret(key: string): Promise<string> {
    const { id: orgID } = this.#org
    requirePermission(this.#identity, { action: 'read', type: 'secrets', orgID })
    const value = await this.#parts.catalog.secrets.get(orgID, key)
    if (value === undefined) throw new UserError('not found', `secret key "${key}" not found`)
    return value
  }

  async write(reference: BucketReference, lines: Uint8Array): Promise<void> {
    const bucket = await this.#bucketOf(reference, 'write')
    if (this.#isTest) return this.#wouldWrite?.(bucket, lines)
    await this.giveWay?.()
    const outcome = await this.#parts.writes.write(bucket, lines)
    this.#wrote?.(outcome.writtenCount)
    const failure = writeFailure(outcome, 'v2')
    if (failure !== undefined) throw failure
  }

  async *sql(
    reference: BucketReference,
    query: string,
    signal: AbortSignal,
  ): AsyncGenerator<ResultPiece, void, void> {
    const { id, name: database } = await this.#bucketOf(reference, 'read')
    const { store, clock, languages, config } = this.#parts
    const limits = { ...queryLimits(config), timeoutSeconds: this.limits.timeoutSeconds }
    const scope = { store, clock, database, bucket: async () => id, limits }
    yield* languages.sql.prepare(query).run(scope, signal)
  }

  async usage(account: AccountReference, range: TimeRange, byHour: boolean): Promise<UsageFacts> {
    const { id: organizationId } = await this.#account(account)
    const figures = await this.#parts.usage.rows(organizationId, range, byHour)
    return { organizationId, figures }
  }

  async organizationLimits(account: AccountReference): Promise<LimitFacts> {
    const { id: organizationId } = await this.#account(account)
    const found = await this.#parts.catalog.limits.of(organizationId)
    const sections = new Map<string, ReadonlyMap<string, number | string | boolean>>()
    for (const [section, own] of Object.entries(found)) {
      sections.set(section, new Map(Object.entries<number | string | boolean>(own)))
    }
    return { organizationId, sections }
  }

  /** Asked as over HTTP: whoever may read the organization sees its account. */
  async #account({ orgId, token }: AccountReference): Promise<Organization> {
    const identity = token === undefined ? this.#identity : await this.#identityOf(token)
    const id = orgId === undefined ? this.#org.id : parseId(orgId)
    requirePermission(identity, { action: 'read', type: 'orgs', id })
    return this.#parts.catalog.organizations.require(id)
  }

  async #identityOf(token: string): Promise<Identity> {
    const identity = await this.#parts.authenticator.authenticate({ kind: 'token', token })
    if (identity === undefined) throw new UserError('unauthorized', 'unauthorized access')
    return identity
  }
}

async function refuse(): Promise<never> {
  throw new UserError('forbidden', 'a test asks no other services')
}

const silent: FluxScope['outgoing'] = { fetch: refuse }
const unreachable: FluxScope['databasesOutside'] = { connect: refuse }

/** As Flux puts it where a query cannot begin. */
function notStarted(reason: string): string {
  return `failed to initialize execute state: ${reason}`
}
