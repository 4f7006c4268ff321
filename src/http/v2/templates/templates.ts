// `/api/v2/templates`: taking templates of resources and applying them, in JSON and in YAML. Remote
// ones are not fetched: this server asks no others.

import { type Static, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Identity } from '../../../access/authenticator.js'
import type { Action } from '../../../access/permissions.js'
import { parseId } from '../../../catalog/base/ids.js'
import { lastEvent, type Stack } from '../../../catalog/dashboards/stacks.js'
import { type ReadTemplate, TemplateReader } from '../../../catalog/templates/template-reading.js'
import {
  isJsonnet,
  type TemplateSource,
  templateContents,
  templateYaml,
} from '../../../catalog/templates/template-text.js'
import {
  type Applied,
  applyTemplate,
  type Exported,
  exportTemplate,
  findResource,
  kindsNamed,
  templateKinds,
} from '../../../catalog/templates/templates.js'
import { UserError } from '../../../errors.js'
import { requirePermission } from '../../../service/base/identities.js'
import { identify } from '../../base/credentials.js'
import { guardedScope } from '../../base/guarded-routes.js'
import type { Services } from '../../base/services.js'
import type { Resource } from '../resources/resource-access.js'
import { requireStacks, stackResourceAccess } from './stacks.js'
import { yamlBodies } from './template-bodies.js'
import { templateSummary, wideJson } from './template-summary.js'

const Contents = Type.Object({
  contentType: Type.Optional(Type.String()),
  sources: Type.Optional(Type.Array(Type.String())),
  contents: Type.Optional(Type.Unknown({ description: 'a list of objects, or a text' })),
})

const TemplateApply = Type.Object({
  dryRun: Type.Optional(Type.Boolean()),
  orgID: Type.Optional(Type.String()),
  stackID: Type.Optional(Type.String()),
  template: Type.Optional(Contents),
  templates: Type.Optional(Type.Array(Contents)),
  envRefs: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  secrets: Type.Optional(Type.Record(Type.String(), Type.String())),
  remotes: Type.Optional(
    Type.Array(Type.Object({ url: Type.String(), contentType: Type.Optional(Type.String()) })),
  ),
  actions: Type.Optional(
    Type.Array(
      Type.Object({
        action: Type.Union([Type.Literal('skipKind'), Type.Literal('skipResource')]),
        properties: Type.Object({
          kind: Type.String(),
          resourceTemplateName: Type.Optional(Type.String()),
        }),
      }),
    ),
  ),
})

type TemplateApply = Static<typeof TemplateApply>

const TemplateExport = Type.Object({
  stackID: Type.Optional(Type.String()),
  orgIDs: Type.Optional(
    Type.Array(
      Type.Object({
        orgID: Type.Optional(Type.String()),
        resourceFilters: Type.Optional(
          Type.Object({
            byLabel: Type.Optional(Type.Array(Type.String())),
            byResourceKind: Type.Optional(Type.Array(Type.String())),
          }),
        ),
      }),
    ),
  ),
  resources: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.Optional(Type.String()),
        kind: Type.String(),
        name: Type.Optional(Type.String()),
      }),
    ),
  ),
})

type TemplateExport = Static<typeof TemplateExport>

/** Carries the result of a dry run out of the transaction that must not be kept. */
class DryRunEnd extends Error {
  readonly applied: Applied

  constructor(applied: Applied) {
    super('dry run')
    this.applied = applied
  }
}

export function templateRoutes(app: FastifyInstance, services: Services): void {
  const stacks = stackResourceAccess(services)
  const path = '/api/v2/templates'

  guardedScope(app, services, (scope) => {
    yamlBodies(scope)
    scope.post<{ Body: TemplateApply }>(
      `${path}/apply`,
      { schema: { body: TemplateApply } },
      async (request, reply) => {
        const { body } = request
        const isDry = body.dryRun ?? false
        const { identity, org } = await stacks.organization(request, body)
        requirePermission(identity, stacks.demand(isDry ? 'read' : 'write', { orgId: org.id }))
        await requireStacks(services, org.id)
        const read = readTemplate(body)
        const sources = sourcesOf(body)
        if (read.problems.length > 0) {
          const [{ reason }] = read.problems
          const error = { code: 'unprocessable entity', message: `template is invalid: ${reason}` }
          const summary = templateSummary(org.id, undefined, read, [])
          return reply.code(422).send({ ...error, ...summary, sources })
        }
        const missing = await missingSecrets(services, identity, org.id, read, body)
        requireKinds(identity, org.id, isDry ? 'read' : 'write', read)
        const stack = await stackOf(stacks, identity, body.stackID)
        const applied = await apply(services, identity, org.id, body, read, stack)
        const summary = templateSummary(org.id, applied, read, missing, isDry)
        const stackID = stack?.id ?? summary.stackID
        reply.code(isDry ? 200 : 201).type('application/json; charset=utf-8')
        return reply.send(wideJson({ ...summary, stackID, sources }))
      },
    )

    scope.post<{ Body: TemplateExport }>(
      `${path}/export`,
      { schema: { body: TemplateExport } },
      async (request, reply) => {
        const identity = await identify(services, request)
        const wanted = await wantedResources(services, stacks, request, identity)
        for (const { kind, found } of wanted) {
          const { id, orgId } = found
          requirePermission(identity, { action: 'read', type: kind.type, id, orgID: orgId })
          // A rule comes with the endpoint that it notifies.
          if (kind.kind !== 'NotificationRule') continue
          const demand = { action: 'read', type: 'notificationEndpoints', orgID: orgId } as const
          requirePermission(identity, demand)
        }
        const template = await exportTemplate(services.catalog, wanted)
        const accept = request.headers.accept ?? ''
        if (!/ya?ml/.test(accept)) return template
        return reply.type('application/x-yaml').send(templateYaml(template))
      },
    )
  })
}

function givenTemplates({ template, templates = [] }: TemplateApply): TemplateSource[] {
  return template === undefined ? templates : [...templates, template]
}

function sourcesOf(body: TemplateApply): string[] {
  return givenTemplates(body).flatMap(({ sources }) => sources ?? [])
}

function refuseRemotes({ remotes = [] }: TemplateApply): void {
  const [remote] = remotes.filter(({ url }) => url !== '')
  if (remote === undefined) return
  const isProgram = isJsonnet(remote.url) || isJsonnet(remote.contentType ?? '')
  const reason = isProgram
    ? 'invalid encoding provided'
    : 'templates are not fetched from elsewhere, send their contents'
  const where = `template from url[${JSON.stringify(remote.url)}]`
  throw new UserError('unprocessable entity', `${where} had an issue: ${reason}`)
}

function readTemplate(body: TemplateApply): ReadTemplate {
  refuseRemotes(body)
  const contents = templateContents(givenTemplates(body))
  const sectionOf = (kind: string) => templateKinds.find((known) => known.kind === kind)?.section
  const read = new TemplateReader(sectionOf, body.envRefs).read(contents)
  const actions = body.actions ?? []
  const objects = read.objects.filter(({ kind, metaName }) =>
    actions.every(
      ({ action, properties }) =>
        properties.kind !== kind ||
        (action === 'skipResource' && properties.resourceTemplateName !== metaName),
    ),
  )
  return { ...read, objects }
}

/** Whoever has a secret used in a template must be allowed to read it. */
async function missingSecrets(
  services: Services,
  identity: Identity,
  orgId: string,
  read: ReadTemplate,
  body: TemplateApply,
): Promise<string[]> {
  const given = Object.keys(body.secrets ?? {})
  if (given.length > 0) {
    requirePermission(identity, { action: 'write', type: 'secrets', orgID: orgId })
  }
  if (read.secretRefs.length === 0) return []
  requirePermission(identity, { action: 'read', type: 'secrets', orgID: orgId })
  const known = new Set([...(await services.catalog.secrets.keys(orgId)), ...given])
  return read.secretRefs.filter((key) => !known.has(key))
}

function requireKinds(
  identity: Identity,
  orgId: string,
  action: Action,
  { objects }: ReadTemplate,
): void {
  for (const { type } of new Set(objects.flatMap(({ kind }) => kindsNamed(kind)))) {
    requirePermission(identity, { action, type, orgID: orgId })
  }
}

async function stackOf(
  stacks: Resource<Stack['body']>,
  identity: Identity,
  stackID: string | undefined,
): Promise<Stack | undefined> {
  if (stackID === undefined || stackID === '') return undefined
  const stack = await stacks.find(parseId(stackID))
  stacks.requireAccess(identity, 'write', stack)
  for (const { kind, resourceId } of lastEvent(stack).resources) {
    const type = templateKinds.find((candidate) => candidate.kind === kind)?.type
    const demand = { action: 'write', id: resourceId, orgID: stack.orgId } as const
    if (type !== undefined) requirePermission(identity, { ...demand, type })
  }
  return stack
}

async function apply(
  services: Services,
  identity: Identity,
  orgId: string,
  body: TemplateApply,
  read: ReadTemplate,
  stack: Stack | undefined,
): Promise<Applied> {
  try {
    return await services.catalog.inTransaction(async (inside) => {
      const applied = await applyTemplate(inside, {
        orgId,
        ownerId: identity.userId,
        objects: read.objects,
        stackId: stack?.id,
        sources: sourcesOf(body),
        secrets: body.secrets ?? {},
      })
      if (body.dryRun === true) throw new DryRunEnd(applied)
      return applied
    })
  } catch (error) {
    if (error instanceof DryRunEnd) return error.applied
    throw error
  }
}

async function wantedResources(
  services: Services,
  stacks: Resource<Stack['body']>,
  request: FastifyRequest<{ Body: TemplateExport }>,
  identity: Identity,
): Promise<Exported[]> {
  const { catalog } = services
  const { stackID, orgIDs = [], resources = [] } = request.body
  const wanted: Exported[] = []
  if (stackID !== undefined && stackID !== '') {
    const stack = await stacks.find(parseId(stackID))
    stacks.requireAccess(identity, 'read', stack)
    for (const { kind, resourceId, metaName } of lastEvent(stack).resources) {
      const found = await findResource(catalog, kind, resourceId)
      if (found !== undefined) wanted.push({ ...found, metaName })
    }
  }
  for (const { id, kind, name } of resources) {
    if (id === undefined || id === '') {
      const { org } = await stacks.organization(request)
      const named = await namedResources(services, org.id, kind, name)
      // An empty template for a name that was spelt wrong would look like a copy.
      if (named.length === 0 && name !== undefined && name !== '') {
        throw new UserError('not found', `${kind} "${name}" not found`)
      }
      wanted.push(...named)
      continue
    }
    const found = await findResource(catalog, kind, parseId(id))
    if (found === undefined) throw new UserError('not found', `${kind} "${id}" not found`)
    wanted.push({ ...found, rename: name })
  }
  for (const { orgID, resourceFilters = {} } of orgIDs) {
    const { org } = await stacks.organization(request, { orgID })
    const { byResourceKind = [], byLabel = [] } = resourceFilters
    const all = templateKinds.map(({ kind }) => kind)
    for (const kind of byResourceKind.length > 0 ? byResourceKind : all) {
      const found = await namedResources(services, org.id, kind, undefined)
      wanted.push(...(await withLabels(services, found, byLabel)))
    }
  }
  return wanted
}

async function namedResources(
  services: Services,
  orgId: string,
  kindName: string,
  name: string | undefined,
): Promise<Exported[]> {
  const found: Exported[] = []
  for (const kind of kindsNamed(kindName)) {
    for (const one of await kind.list(services.catalog, orgId)) {
      if (name === undefined || one.name === name) found.push({ kind, found: one })
    }
  }
  return found
}

async function withLabels(
  services: Services,
  resources: Exported[],
  names: readonly string[],
): Promise<Exported[]> {
  if (names.length === 0) return resources
  const { labels } = services.catalog
  const worn = await labels.ofResources(resources.map(({ found }) => found.id))
  return resources.filter(({ found }) =>
    (worn.get(found.id) ?? []).some((label) => names.includes(label.name)),
  )
}
