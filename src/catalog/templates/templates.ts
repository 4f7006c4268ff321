// Applying templates to an organization and taking templates of what is there. Applying is all or
// nothing: it runs inside a transaction, and a dry run is one that is not kept.

import { UserError } from '../../errors.js'
import type { Catalog } from '../catalog.js'
import { lastEvent, type StackResource } from '../dashboards/stacks.js'
import {
  type EnvReference,
  type Found,
  type Place,
  simpleKinds,
  type TemplateKind,
  type TemplateObject,
} from './template-kinds.js'
import { monitoringKinds } from './template-monitoring.js'
import type { Spec } from './template-specs.js'

export const templateKinds: readonly TemplateKind[] = [...simpleKinds, ...monitoringKinds]

export const templateVersion = 'influxdata.com/v2alpha1'

/** `Check` and `NotificationEndpoint` stand for all of their types. */
export function kindsNamed(name: string): TemplateKind[] {
  const isGroup = name === 'Check' || name === 'NotificationEndpoint'
  const found = templateKinds.filter(({ kind }) =>
    isGroup ? kind.startsWith(name) : kind === name,
  )
  if (found.length > 0) return found
  throw new UserError('unprocessable entity', `unknown kind ${JSON.stringify(name)}`)
}

export interface Difference {
  readonly kind: TemplateKind
  readonly stateStatus: 'new' | 'exists' | 'remove'
  readonly metaName: string
  readonly id: string
  readonly name: string
  readonly labels: readonly string[]
  readonly envReferences: readonly EnvReference[]
  readonly new?: Spec
  readonly old?: Spec
}

export interface LabelDifference {
  readonly status: 'new' | 'exists'
  readonly resource: Difference
  readonly label: Difference
}

export interface Applied {
  readonly stackId: string
  readonly differences: readonly Difference[]
  readonly labelDifferences: readonly LabelDifference[]
}

export interface ApplyOptions {
  readonly orgId: string
  readonly ownerId: string | undefined
  readonly objects: readonly TemplateObject[]
  readonly stackId: string | undefined
  readonly sources: readonly string[]
  readonly secrets: Readonly<Record<string, string>>
}

/** Only inside a transaction. */
export async function applyTemplate(catalog: Catalog, options: ApplyOptions): Promise<Applied> {
  const { orgId, ownerId, objects, sources } = options
  await catalog.secrets.put(orgId, options.secrets)
  const stack =
    options.stackId === undefined
      ? await catalog.stacks.create(orgId, { sources })
      : await catalog.stacks.records.require(options.stackId)
  if (stack.orgId !== orgId) throw new UserError('not found', 'stack not found')
  const known = lastEvent(stack).resources
  const made = new Map<string, string>()
  const differences: Difference[] = []
  for (const { kind, object } of inOrder(objects)) {
    const place = { catalog, orgId, ownerId, made }
    const difference = await applyObject(place, kind, object, known)
    made.set(`${kind.section}/${object.metaName}`, difference.id)
    differences.push(difference)
  }
  const removed = await removeUnnamed(catalog, orgId, objects, known)
  const labelDifferences = await applyLabels(catalog, differences)
  const resources = differences.map(stackResource)
  await catalog.stacks.add(stack.id, 'update', { resources, sources })
  return { stackId: stack.id, differences: [...differences, ...removed], labelDifferences }
}

/** In which they can be made: by kinds, and a check after the one that stands above it, whatever types they have. */
function inOrder(objects: readonly TemplateObject[]) {
  const sections = templateKinds.map(({ section }) => section)
  const checks = new Map<unknown, TemplateObject>()
  const depthOf = ({ spec }: TemplateObject): number => {
    let depth = 0
    let parent = checks.get(spec.parentCheckName)
    for (; parent !== undefined && depth < checks.size; depth++) {
      parent = checks.get(parent.spec.parentCheckName)
    }
    return depth
  }
  const items = templateKinds.flatMap((kind) =>
    objects
      .filter((object) => object.kind === kind.kind)
      .map((object) => ({ kind, object, place: sections.indexOf(kind.section) })),
  )
  for (const { kind, object } of items) {
    if (kind.section === 'checks') checks.set(object.metaName, object)
  }
  return items.sort((a, b) => a.place - b.place || depthOf(a.object) - depthOf(b.object))
}

async function applyObject(
  place: Place,
  kind: TemplateKind,
  object: TemplateObject,
  known: readonly StackResource[],
): Promise<Difference> {
  const { catalog, orgId } = place
  const before = await findExisting(catalog, orgId, kind, object, known)
  const old = before === undefined ? undefined : await namedSpec(catalog, kind, before)
  const after =
    before === undefined
      ? await kind.create(place, object)
      : await kind.update(place, before.id, object)
  return {
    kind,
    stateStatus: before === undefined ? 'new' : 'exists',
    metaName: object.metaName,
    id: after.id,
    name: after.name,
    labels: object.labels,
    envReferences: object.envReferences,
    new: await namedSpec(catalog, kind, after),
    ...(old === undefined ? {} : { old }),
  }
}

async function findExisting(
  catalog: Catalog,
  orgId: string,
  kind: TemplateKind,
  object: TemplateObject,
  known: readonly StackResource[],
): Promise<Found | undefined> {
  const resource = known.find((r) => r.kind === kind.kind && r.metaName === object.metaName)
  const byStack =
    resource === undefined ? undefined : await kind.findById(catalog, resource.resourceId)
  if (byStack !== undefined && byStack.orgId === orgId) return byStack
  return kind.findByName?.(catalog, orgId, object.name)
}

async function removeUnnamed(
  catalog: Catalog,
  orgId: string,
  objects: readonly TemplateObject[],
  known: readonly StackResource[],
): Promise<Difference[]> {
  const removed: Difference[] = []
  for (const { kind: name, metaName, resourceId } of known) {
    if (objects.some((object) => object.kind === name && object.metaName === metaName)) continue
    const kind = templateKinds.find((candidate) => candidate.kind === name)
    const found = await kind?.findById(catalog, resourceId)
    if (kind === undefined || found === undefined || found.orgId !== orgId) continue
    const old = await namedSpec(catalog, kind, found)
    await kind.remove(catalog, found.id)
    const { id, name: shown } = found
    const none = { labels: [], envReferences: [] }
    removed.push({ kind, stateStatus: 'remove', metaName, id, name: shown, ...none, old })
  }
  return removed
}

async function applyLabels(
  catalog: Catalog,
  differences: readonly Difference[],
): Promise<LabelDifference[]> {
  const mappings: LabelDifference[] = []
  for (const resource of differences) {
    const worn = (await catalog.labels.ofResource(resource.id)).map(({ id }) => id)
    for (const metaName of resource.labels) {
      const label = differences.find((d) => d.kind.kind === 'Label' && d.metaName === metaName)
      if (label === undefined) continue
      const isWorn = worn.includes(label.id)
      if (!isWorn) await catalog.labels.attach(resource.id, label.id)
      mappings.push({ status: isWorn ? 'exists' : 'new', resource, label })
    }
  }
  return mappings
}

function stackResource({ kind, id, metaName, labels }: Difference): StackResource {
  const associations = labels.map((label) => ({ kind: 'Label', metaName: label }))
  return { kind: kind.kind, resourceId: id, metaName, associations }
}

async function namedSpec(catalog: Catalog, kind: TemplateKind, found: Found): Promise<Spec> {
  return { name: found.name, ...(await kind.specOf(catalog, found.id)) }
}

/** Only inside a transaction. The resources of a stack go, the stack stays. */
export async function removeStackResources(
  catalog: Catalog,
  orgId: string,
  resources: readonly StackResource[],
): Promise<void> {
  await removeUnnamed(catalog, orgId, [], resources)
}

export interface Exported {
  readonly kind: TemplateKind
  readonly found: Found
  /** The name it has in a stack's template; absent: one is made of its name. */
  readonly metaName?: string | undefined
  /** The name that it is to have instead of its own. */
  readonly rename?: string | undefined
}

/** With the labels that the resources wear, the endpoints that rules notify and the checks above checks. */
export async function exportTemplate(
  catalog: Catalog,
  wanted: readonly Exported[],
): Promise<Spec[]> {
  const exported = new Map<string, Exported & { metaName: string; spec: Spec }>()
  const add = async (item: Exported): Promise<string> => {
    const known = exported.get(item.found.id)
    if (known !== undefined) return known.metaName
    const metaName = item.metaName ?? metaNameOf(item.found)
    exported.set(item.found.id, { ...item, metaName, spec: {} })
    const spec: Record<string, unknown> = { ...(await namedSpec(catalog, item.kind, item.found)) }
    if (item.rename !== undefined && item.rename !== '') spec.name = item.rename
    const associations: Spec[] = []
    for (const label of await catalog.labels.ofResource(item.found.id)) {
      const [kind] = kindsNamed('Label')
      associations.push({ kind: 'Label', name: await add({ kind, found: label }) })
    }
    if (associations.length > 0) spec.associations = associations
    if (typeof spec.endpointID === 'string') {
      const endpoint = await findResource(catalog, 'NotificationEndpoint', spec.endpointID)
      if (endpoint !== undefined) spec.endpointName = await add(endpoint)
      delete spec.endpointID
    }
    if (typeof spec.parentCheckID === 'string') {
      const parent = await findResource(catalog, 'Check', spec.parentCheckID)
      if (parent !== undefined) spec.parentCheckName = await add(parent)
      delete spec.parentCheckID
    }
    exported.set(item.found.id, { ...item, metaName, spec })
    return metaName
  }
  for (const item of wanted) await add(item)
  return [...exported.values()].map(({ kind, metaName, spec }) => ({
    apiVersion: templateVersion,
    kind: kind.kind,
    metadata: { name: metaName },
    spec,
  }))
}

export async function findResource(
  catalog: Catalog,
  kindName: string,
  id: string,
): Promise<Exported | undefined> {
  for (const kind of kindsNamed(kindName)) {
    const found = await kind.findById(catalog, id)
    if (found !== undefined) return { kind, found }
  }
  return undefined
}

/** Readable, and unique by a part of the id. */
function metaNameOf({ id, name }: Found): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
  return `${readable.slice(0, 40).replace(/-$/, '') || 'resource'}-${id.slice(0, 12)}`
}
