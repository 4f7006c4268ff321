// What a template can hold: for every kind of resource how it is found, made, changed and turned
// back into a template. Checks, endpoints and rules are in `template-monitoring.ts`.

import { UserError } from '../../errors.js'
import { pick } from '../base/fields.js'
import type { CatalogRecord, Records } from '../base/records.js'
import type { Catalog } from '../catalog.js'
import type { Bucket } from '../storage/buckets.js'
import { isOfParent, ownTaskFields, type Task, type TaskInput } from '../tasks/tasks.js'
import { cellsOfCharts, chartOf } from './template-charts.js'
import { applySchemas, schemaSpecs, schemaTypeOf } from './template-schemas.js'
import { fieldsOf, listOf, type Spec, textOf, textsOf } from './template-specs.js'

/** A value that a template leaves to whoever applies it. */
export interface EnvReference {
  /** Where it stands: `spec.name`. */
  readonly resourceField: string
  readonly envRefKey: string
  readonly value: unknown
  readonly defaultValue: unknown
}

export interface TemplateObject {
  readonly kind: string
  readonly metaName: string
  readonly name: string
  readonly spec: Spec
  /** Template names of labels. */
  readonly labels: readonly string[]
  readonly envReferences: readonly EnvReference[]
}

/** Where a template is applied. Only inside a transaction. */
export interface Place {
  readonly catalog: Catalog
  readonly orgId: string
  readonly ownerId: string | undefined
  /** Ids of what the template made so far, by `section/name`: names are unique per section. */
  readonly made: ReadonlyMap<string, string>
}

export interface Found {
  readonly id: string
  readonly orgId: string
  readonly name: string
}

export interface TemplateKind {
  readonly kind: string
  /** Under which name summaries and differences list it. */
  readonly section: string
  /** As permissions, paths and label mappings name it. */
  readonly type:
    | 'buckets'
    | 'checks'
    | 'dashboards'
    | 'labels'
    | 'notificationEndpoints'
    | 'notificationRules'
    | 'tasks'
    | 'telegrafs'
    | 'variables'
  findById(catalog: Catalog, id: string): Promise<Found | undefined>
  /** Where a name is enough to know that it is the same one. */
  findByName?(catalog: Catalog, orgId: string, name: string): Promise<Found | undefined>
  list(catalog: Catalog, orgId: string): Promise<readonly Found[]>
  create(place: Place, object: TemplateObject): Promise<Found>
  update(place: Place, id: string, object: TemplateObject): Promise<Found>
  remove(catalog: Catalog, id: string): Promise<unknown>
  /** Without name and associations, which all kinds have. */
  specOf(catalog: Catalog, id: string): Promise<Spec>
}

/** How a kind is found that is kept as records; only where names are unique is a name enough. */
export function foundAmong<Body>(
  recordsOf: (catalog: Catalog) => Records<Body>,
  belongs: (record: CatalogRecord<Body>) => boolean = () => true,
) {
  return {
    async findById(catalog: Catalog, id: string): Promise<Found | undefined> {
      const found = await recordsOf(catalog).findById(id)
      return found !== undefined && belongs(found) ? found : undefined
    },
    findByName: (catalog: Catalog, orgId: string, name: string): Promise<Found | undefined> =>
      recordsOf(catalog).findByName(orgId, name),
    list: async (catalog: Catalog, orgId: string): Promise<readonly Found[]> =>
      (await recordsOf(catalog).list({ orgId })).filter(belongs),
  }
}

const labelKind: TemplateKind = {
  kind: 'Label',
  section: 'labels',
  type: 'labels',
  ...foundAmong((catalog) => catalog.labels.records),
  create: ({ catalog, orgId }, { name, spec }) =>
    catalog.labels.create(orgId, name, labelProperties(spec)),
  update: ({ catalog }, id, { name, spec }) =>
    catalog.labels.update(id, { name, properties: labelProperties(spec) }),
  remove: (catalog, id) => catalog.labels.delete(id),
  specOf: async (catalog, id) => ({
    ...(await catalog.labels.records.require(id)).body.properties,
  }),
}

function labelProperties(spec: Spec): Record<string, string> {
  const given = Object.entries(textsOf(spec, ['color', 'description']))
  return Object.fromEntries(
    given.flatMap(([key, value = '']) => (value === '' ? [] : [[key, value]])),
  )
}

const bucketKind: TemplateKind = {
  kind: 'Bucket',
  section: 'buckets',
  type: 'buckets',
  // System buckets are out of reach: templates neither change nor remove them.
  findById: async (catalog, id) => userBucket(await catalog.buckets.findById(id)),
  findByName: async (catalog, orgId, name) =>
    userBucket(await catalog.buckets.findByName(orgId, name)),
  list: async (catalog, orgId) =>
    (await catalog.buckets.all()).filter((b) => b.orgId === orgId && b.type === 'user'),
  async create({ catalog, orgId }, { name, spec }) {
    await catalog.limits.requireRoom(orgId, 'bucket', catalog.buckets)
    const retentionSeconds = await retentionOf(catalog, orgId, spec)
    const made = await catalog.buckets.create({
      orgId,
      name,
      description: textOf(spec, 'description') ?? '',
      schemaType: schemaTypeOf(spec),
      ...(retentionSeconds === undefined ? {} : { retentionSeconds }),
    })
    await applySchemas(catalog, made, spec)
    return made
  },
  async update({ catalog, orgId }, id, { name, spec }) {
    const retentionSeconds = await retentionOf(catalog, orgId, spec)
    const description = textOf(spec, 'description')
    const changed = await catalog.buckets.update(id, { name, description, retentionSeconds })
    await applySchemas(catalog, changed, spec)
    return changed
  },
  remove: (catalog, id) => catalog.buckets.delete(id),
  async specOf(catalog, id) {
    const { description, retentionSeconds, schemaType } = await catalog.buckets.require(id)
    const retentionRules = [{ type: 'expire', everySeconds: retentionSeconds }]
    const spec = { description, retentionRules, schemaType }
    if (schemaType !== 'explicit') return spec
    return { ...spec, measurementSchemas: await schemaSpecs(catalog, id) }
  },
}

function userBucket(bucket: Bucket | undefined): Bucket | undefined {
  return bucket?.type === 'user' ? bucket : undefined
}

async function retentionOf(
  catalog: Catalog,
  orgId: string,
  spec: Spec,
): Promise<number | undefined> {
  const [rule] = listOf(spec, 'retentionRules')
  if (rule === undefined) return undefined
  const seconds = Number(rule.everySeconds ?? 0)
  await catalog.limits.requireRetention(orgId, seconds)
  return seconds
}

const variableKind: TemplateKind = {
  kind: 'Variable',
  section: 'variables',
  type: 'variables',
  ...foundAmong((catalog) => catalog.variables.records),
  create: ({ catalog, orgId }, object) => catalog.variables.create(orgId, variableInput(object)),
  update: ({ catalog }, id, object) => catalog.variables.replace(id, variableInput(object)),
  remove: (catalog, id) => catalog.variables.records.delete(id),
  async specOf(catalog, id) {
    const { body } = await catalog.variables.records.require(id)
    const { type, values } = body.arguments
    const held = type === 'query' ? values : { values }
    return { description: body.description, type, ...held, selected: body.selected }
  },
}

function variableInput({ name, spec }: TemplateObject) {
  const type = textOf(spec, 'type') ?? ''
  const { query, language, bucket, values } = spec
  const asked = { query, language, ...(bucket === undefined ? {} : { bucket }) }
  const selected = Array.isArray(spec.selected) ? spec.selected.map(String) : undefined
  return {
    name,
    description: textOf(spec, 'description'),
    selected,
    arguments: { type, values: type === 'query' ? asked : values },
  }
}

const dashboardKind: TemplateKind = {
  kind: 'Dashboard',
  section: 'dashboards',
  type: 'dashboards',
  findById: (catalog, id) => catalog.dashboards.records.findById(id),
  list: (catalog, orgId) => catalog.dashboards.records.list({ orgId }),
  async create({ catalog, orgId, ownerId }, { name, spec }) {
    await catalog.limits.requireRoom(orgId, 'dashboard', catalog.dashboards.records)
    const description = textOf(spec, 'description')
    const cells = cellsOfCharts(spec)
    return catalog.dashboards.create(orgId, ownerId, { name, description, cells })
  },
  update: ({ catalog }, id, { name, spec }) =>
    catalog.dashboards.update(id, {
      name,
      description: textOf(spec, 'description') ?? '',
      cells: cellsOfCharts(spec),
    }),
  remove: (catalog, id) => catalog.dashboards.records.delete(id),
  async specOf(catalog, id) {
    const { body } = await catalog.dashboards.records.require(id)
    return {
      description: body.description,
      charts: body.cells.flatMap((cell) => chartOf(cell) ?? []),
    }
  },
}

const taskKind: TemplateKind = {
  kind: 'Task',
  section: 'tasks',
  type: 'tasks',
  // The tasks of checks and rules are made with them.
  async findById(catalog, id) {
    const task = await catalog.tasks.records.findById(id)
    return task === undefined || isOfParent(task) ? undefined : task
  },
  list: (catalog, orgId) => catalog.tasks.list({ orgId }),
  async create({ catalog, orgId, ownerId }, object) {
    await catalog.limits.requireRoom(orgId, 'task', catalog.tasks)
    return catalog.tasks.create(orgId, ownerId, await taskInput(catalog, orgId, object))
  },
  update: async ({ catalog, orgId }, id, object) =>
    catalog.tasks.update(id, await taskInput(catalog, orgId, object)),
  remove: (catalog, id) => catalog.tasks.delete(id),
  async specOf(catalog, id) {
    const { body } = await catalog.tasks.records.require(id)
    const { description, status, every, cron, offset, flux } = body
    const query = flux === '' ? (body.query ?? '') : await catalog.tasks.withoutOptions(flux)
    return { description, status, every, cron, offset, query, ...ownTaskSpec(body) }
  },
}

/** What tasks of InfluxDB do not have; nothing where it says nothing. */
function ownTaskSpec({ flux: _flux, query: _query, scriptId, ...body }: Task['body']): Spec {
  const fields = { ...body, scriptID: scriptId }
  const isUsual = (name: string, value: unknown) =>
    value === undefined || (value === 1 && (name === 'concurrency' || name === 'retry'))
  const own = Object.entries(pick(ownTaskFields, fields))
  return Object.fromEntries(own.filter(([name, value]) => !isUsual(name, value)))
}

/** A task in another language, or one that runs a script, has its options beside it. */
async function taskInput(
  catalog: Catalog,
  orgId: string,
  { name, spec }: TemplateObject,
): Promise<TaskInput> {
  const { flux: _flux, ownerID: _owner, ...given } = fieldsOf(ownTaskFields, spec)
  const { description, status, query, ...options } = given
  const { scriptID, language } = given
  if (scriptID !== undefined) {
    const script = await catalog.scripts.records.findById(scriptID)
    if (script?.orgId === orgId) return { ...given, query: undefined, name }
    const reason = `script ${JSON.stringify(scriptID)} of task ${JSON.stringify(name)} is not here`
    throw new UserError('unprocessable entity', reason)
  }
  if (language !== undefined && language !== 'flux') return { ...given, name }
  const flux = await catalog.tasks.withOptions(query ?? '', { ...options, name })
  return { description, status, flux }
}

const telegrafKind: TemplateKind = {
  kind: 'Telegraf',
  section: 'telegrafConfigs',
  type: 'telegrafs',
  findById: (catalog, id) => catalog.telegrafs.records.findById(id),
  list: (catalog, orgId) => catalog.telegrafs.records.list({ orgId }),
  create: ({ catalog, orgId, ownerId }, { name, spec }) =>
    catalog.telegrafs.create(orgId, ownerId, { name, ...textsOf(spec, ['description', 'config']) }),
  update: ({ catalog }, id, { name, spec }) =>
    catalog.telegrafs.replace(id, { name, ...textsOf(spec, ['description', 'config']) }),
  remove: (catalog, id) => catalog.telegrafs.records.delete(id),
  async specOf(catalog, id) {
    const { description, config } = (await catalog.telegrafs.records.require(id)).body
    return { description, config }
  },
}

/** In the order in which they are made. */
export const simpleKinds: readonly TemplateKind[] = [
  labelKind,
  bucketKind,
  variableKind,
  telegrafKind,
  taskKind,
  dashboardKind,
]
