// What every resource kept as a record shares: which organization a request means, whether the
// caller may do what it asks, finding, listing and showing. A resource file adds its own fields and
// rules.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import {
  type Action,
  allows,
  type Demand,
  isOperator,
  type ResourceType,
} from '../../../access/permissions.js'
import type { Organization } from '../../../catalog/accounts/organizations.js'
import { parseId } from '../../../catalog/base/ids.js'
import { type Page, wholeList } from '../../../catalog/base/page.js'
import type { CatalogRecord, Records } from '../../../catalog/base/records.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import { pageOf } from '../../base/paging.js'
import { parameter } from '../../base/parameters.js'
import type { Services } from '../../base/services.js'
import { labelJson, labelRoutes, memberRoutes, type ParentResource } from './sub-resources.js'

export interface ResourceKind<Body> {
  /** As paths have it: `variables`. */
  readonly plural: string
  /** As permissions name it. */
  readonly type: ResourceType
  /** Permissions are about the organization itself, not about single records. */
  readonly isOfOrganization?: boolean
  readonly records: Pick<Records<Body>, 'require' | 'list'>
  json(record: CatalogRecord<Body>, labels: readonly object[]): object | Promise<object>
}

export interface OrganizationNames {
  readonly org?: string | undefined
  readonly orgID?: string | undefined
}

export type IdParams = { Params: { id: string } }

export interface Listing<Body> {
  readonly page?: Page
  readonly name?: string | undefined
  /** Filters that the database does not know. */
  readonly keep?: ((record: CatalogRecord<Body>) => boolean) | undefined
  readonly compare?: ((a: CatalogRecord<Body>, b: CatalogRecord<Body>) => number) | undefined
}

export class Resource<Body> implements ParentResource {
  readonly plural: string
  readonly path: string
  readonly #services: Services
  readonly #kind: ResourceKind<Body>

  constructor(services: Services, kind: ResourceKind<Body>) {
    this.#services = services
    this.#kind = kind
    this.plural = kind.plural
    this.path = `/api/v2/${kind.plural}`
  }

  find(id: string): Promise<CatalogRecord<Body>> {
    return this.#kind.records.require(id)
  }

  /** A property, not a method: label and member routes pass it on by itself. */
  readonly demand = (
    action: Action,
    found: { readonly id?: string; readonly orgId: string },
  ): Demand => {
    const { type, isOfOrganization } = this.#kind
    const demand = { action, type, orgID: found.orgId }
    const id = isOfOrganization ? found.orgId : found.id
    return id === undefined ? demand : { ...demand, id }
  }

  /** The caller, and the organization named by the body, the query or the caller's token. */
  async organization(
    request: FastifyRequest,
    body: OrganizationNames = {},
  ): Promise<{ identity: Identity; org: Organization }> {
    const identity = await identify(this.#services, request)
    const isNamedByBody = isGiven(body.org) || isGiven(body.orgID)
    const org = await this.#services.targets.organizationToManage(identity, {
      org: isNamedByBody ? given(body.org) : parameter(request, 'org'),
      orgID: isNamedByBody ? given(body.orgID) : parameter(request, 'orgID'),
    })
    return { identity, org }
  }

  async organizationToCreateIn(
    request: FastifyRequest,
    body: OrganizationNames | undefined,
  ): Promise<{ identity: Identity; org: Organization }> {
    const found = await this.organization(request, body ?? {})
    requirePermission(found.identity, this.demand('write', { orgId: found.org.id }))
    return found
  }

  /** The record that the path names. Throws where there is none or the caller may not do this. */
  async require(
    request: FastifyRequest<IdParams>,
    action: Action,
  ): Promise<{ identity: Identity; record: CatalogRecord<Body> }> {
    const identity = await identify(this.#services, request)
    const record = await this.find(parseId(request.params.id))
    this.requireAccess(identity, action, record)
    return { identity, record }
  }

  requireAccess(identity: Identity, action: Action, record: CatalogRecord<Body>): void {
    requirePermission(identity, this.demand(action, record))
  }

  /**
   * What a list is of: the organization that is named or the token's own; undefined for an operator who names none, and
   * sees those of all.
   */
  async organizationToList(
    request: FastifyRequest,
  ): Promise<{ identity: Identity; org: Organization | undefined }> {
    const identity = await identify(this.#services, request)
    const named = parameter(request, 'org') ?? parameter(request, 'orgID')
    if (named === undefined && isOperator(identity.permissions)) return { identity, org: undefined }
    return this.organization(request)
  }

  /**
   * What the caller may read of an organization, or of all. With permissions for single records only, these are shown;
   * with none at all, none.
   */
  async list(
    identity: Identity,
    org: Organization | undefined,
    { page = wholeList, name, keep, compare }: Listing<Body> = {},
  ): Promise<CatalogRecord<Body>[]> {
    const { records } = this.#kind
    const where = { orgId: org?.id, name }
    const seesAll =
      org !== undefined && allows(identity.permissions, this.demand('read', { orgId: org.id }))
    if (seesAll && keep === undefined && compare === undefined) return records.list(where, page)
    const whole = { ...wholeList, descending: page.descending }
    const found = await records.list(where, whole)
    const visible = found.filter((record) =>
      allows(identity.permissions, this.demand('read', record)),
    )
    const kept = keep === undefined ? visible : visible.filter(keep)
    if (compare !== undefined) kept.sort(compare)
    return cut(kept, page)
  }

  async show(record: CatalogRecord<Body>): Promise<object> {
    const labels = await this.#services.catalog.labels.ofResource(record.id)
    return this.#kind.json(record, labels.map(labelJson))
  }

  async showAll(records: readonly CatalogRecord<Body>[]): Promise<object[]> {
    const labels = await this.#services.catalog.labels.ofResources(records.map(({ id }) => id))
    const shown = records.map((record) =>
      this.#kind.json(record, (labels.get(record.id) ?? []).map(labelJson)),
    )
    return Promise.all(shown)
  }
}

/** The links of a resource: itself and what is below it. */
export function linksOf(
  self: string,
  below: readonly string[],
  others: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const links = below.map((name) => [name, `${self}/${name}`])
  return { self, ...Object.fromEntries(links), ...others }
}

/** A record as most resources show it: what all have in common around fields of its own. */
export function recordJson(
  plural: string,
  record: CatalogRecord<unknown>,
  labels: readonly object[],
  fields: object,
  below: readonly string[],
  others?: Readonly<Record<string, string>>,
): object {
  const { id, orgId, name, createdAt, updatedAt } = record
  const links = linksOf(`/api/v2/${plural}/${id}`, below, others)
  return { id, orgID: orgId, name, ...fields, createdAt, updatedAt, labels, links }
}

type Show<Body> = (
  record: CatalogRecord<Body>,
  labels: readonly object[],
  request: FastifyRequest,
  reply: FastifyReply,
) => unknown

export interface UsualOptions<Body> {
  readonly remove: (record: CatalogRecord<Body>) => Promise<unknown>
  readonly hasMembers: boolean
  /** Where one record is shown in another way than in a list. */
  readonly show?: Show<Body>
}

/** Reading one, deleting one, and its labels, members and owners. */
export function usualRoutes<Body>(
  scope: FastifyInstance,
  services: Services,
  resource: Resource<Body>,
  options: UsualOptions<Body>,
): void {
  scope.get<IdParams>(`${resource.path}/:id`, async (request, reply) => {
    const { record } = await resource.require(request, 'read')
    if (options.show === undefined) return resource.show(record)
    const labels = await services.catalog.labels.ofResource(record.id)
    return options.show(record, labels.map(labelJson), request, reply)
  })
  scope.delete<IdParams>(`${resource.path}/:id`, async (request, reply) => {
    const { record } = await resource.require(request, 'write')
    await options.remove(record)
    return reply.code(204).send()
  })
  labelRoutes(scope, services, resource)
  if (options.hasMembers) memberRoutes(scope, services, resource)
}

/** For lists that are whole unless a part is asked for. */
export function optionalPageOf(request: FastifyRequest): Page {
  return pageOf(request, { limitDefault: wholeList.limit, limitMax: wholeList.limit })
}

/** Every value of a parameter that may be repeated. */
export function parameterValues(request: FastifyRequest, name: string): string[] {
  const value = (request.query as Record<string, string | string[] | undefined>)[name]
  return [value ?? []].flat().filter((text) => text !== '')
}

function cut<Body>(records: CatalogRecord<Body>[], page: Page): CatalogRecord<Body>[] {
  const after =
    page.after === undefined ? -1 : records.findIndex((record) => record.id === page.after)
  const from = after >= 0 ? after + 1 : page.offset
  return records.slice(from, from + page.limit)
}

function isGiven(text: string | undefined): boolean {
  return text !== undefined && text !== ''
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
