// What applying a template did or would do, as the interface tells it: a summary of the resources
// and the difference to what was there before, each by sections. Ids are numbers of 64 bits here and
// nowhere else, which InfluxDB's command line tool insists on; names of members are InfluxDB's.

import { cellsOfCharts } from '../../../catalog/templates/template-charts.js'
import type { ReadTemplate } from '../../../catalog/templates/template-reading.js'
import { listOf, type Spec } from '../../../catalog/templates/template-specs.js'
import type { Applied, Difference, LabelDifference } from '../../../catalog/templates/templates.js'

const sections = [
  'buckets',
  'checks',
  'dashboards',
  'labels',
  'notificationEndpoints',
  'notificationRules',
  'tasks',
  'telegrafConfigs',
  'variables',
]

type Json = Record<string, unknown>

/** What the parts of an answer need to know of the whole. */
interface Whole {
  readonly orgId: string
  readonly isDryRun: boolean
  readonly differences: readonly Difference[]
}

/** Without `applied`: the template could not be read. In a dry run what is new has no id yet. */
export function templateSummary(
  orgId: string,
  applied: Applied | undefined,
  read: ReadTemplate,
  missingSecrets: readonly string[],
  isDryRun = false,
): Json {
  const { differences = [], labelDifferences = [] } = applied ?? {}
  const whole = { orgId, isDryRun, differences }
  const bySection = (list: readonly Difference[], json: (item: Difference) => Json) =>
    Object.fromEntries(
      sections.map((section) => [
        section,
        list.filter((item) => item.kind.section === section).map(json),
      ]),
    )
  const kept = differences.filter(({ stateStatus }) => stateStatus !== 'remove')
  const mappings = labelDifferences.map((mapping) => mappingJson(whole, mapping))
  return {
    sources: [],
    stackID: isDryRun ? '' : (applied?.stackId ?? ''),
    summary: {
      ...bySection(kept, (item) => summaryJson(whole, item)),
      labelMappings: mappings,
      missingEnvRefs: read.missingEnvRefs,
      missingSecrets,
    },
    diff: {
      ...bySection(differences, (item) => differenceJson(whole, item)),
      labelMappings: mappings,
    },
    errors: read.problems,
  }
}

/** As resources have it; empty for what a dry run would make. */
function idText({ isDryRun }: Whole, { id, stateStatus }: Difference): string {
  return isDryRun && stateStatus === 'new' ? '' : id
}

function idNumber(id: string): bigint {
  return id === '' ? 0n : BigInt(`0x${id}`)
}

function identityJson(whole: Whole, item: Difference): Json {
  const { kind, metaName, envReferences } = item
  const references = envReferences.map((reference) => ({ ...reference, valueType: '' }))
  return {
    kind: kind.kind,
    templateMetaName: metaName,
    envReferences: references,
    id: idNumber(idText(whole, item)),
    orgID: idNumber(whole.orgId),
    name: item.name,
  }
}

function summaryJson(whole: Whole, item: Difference): Json {
  const spec = item.new ?? {}
  const labels = whole.differences.filter(
    ({ kind, metaName }) => kind.kind === 'Label' && item.labels.includes(metaName),
  )
  return {
    ...identityJson(whole, item),
    description: spec.description ?? '',
    ...ownSummary(whole, item, spec),
    ...(item.kind.kind === 'Label'
      ? {}
      : { labelAssociations: labels.map((label) => labelJson(whole, label)) }),
  }
}

function labelJson(whole: Whole, item: Difference): Json {
  return { ...identityJson(whole, item), ...ownSummary(whole, item, item.new ?? {}) }
}

/** What the kinds do not have in common. */
function ownSummary(whole: Whole, item: Difference, spec: Spec): Json {
  const { description = '', status = 'active', ...rest } = spec
  // The resource itself, as 2.x puts it beside what it says of every kind.
  const own = { id: idText(whole, item), orgID: whole.orgId, ...spec }
  switch (item.kind.section) {
    case 'labels':
      return { properties: { color: spec.color ?? '', description } }
    case 'buckets': {
      const { schemaType, measurementSchemas } = spec
      return { retentionPeriod: retentionPeriod(spec), schemaType, measurementSchemas }
    }
    case 'variables':
      return { variables: spec.selected ?? [], arguments: variableArguments(spec) }
    case 'dashboards':
      return { charts: chartsJson(spec) }
    case 'checks':
      return { status, check: { ...own, type: typeOf(item, 'Check') } }
    case 'notificationEndpoints':
      return {
        status,
        notificationEndpoint: { ...own, type: typeOf(item, 'NotificationEndpoint') },
      }
    case 'notificationRules':
      return { ...rest, status, ...endpointJson(whole, spec) }
    case 'telegrafConfigs':
      return { telegrafConfig: own }
    default:
      return { ...rest, status }
  }
}

function differenceJson(whole: Whole, item: Difference): Json {
  const { kind, metaName, stateStatus } = item
  const values = (spec: Spec | undefined) =>
    spec === undefined ? undefined : differenceValues(whole, item, spec)
  return {
    kind: kind.kind,
    stateStatus,
    id: idNumber(idText(whole, item)),
    templateMetaName: metaName,
    new: values(item.new),
    old: values(item.old),
  }
}

function differenceValues(whole: Whole, item: Difference, spec: Spec): Json {
  switch (item.kind.section) {
    case 'variables': {
      const { name, description } = spec
      return { name, description, args: variableArguments(spec) }
    }
    case 'dashboards':
      return { ...spec, charts: chartsJson(spec) }
    case 'labels':
      return { color: '', ...spec }
    case 'notificationRules': {
      const { endpointTemplateMetaName: _metaName, ...endpoint } = endpointJson(whole, spec)
      return { ...spec, ...endpoint }
    }
    case 'telegrafConfigs':
      return { id: idText(whole, item), ...spec }
    default:
      return spec
  }
}

function retentionPeriod(spec: Spec): bigint {
  const [rule] = listOf(spec, 'retentionRules')
  return BigInt(Number(rule?.everySeconds ?? 0)) * 1_000_000_000n
}

function variableArguments(spec: Spec): Json {
  const { type, query, language, values } = spec
  return { type, values: type === 'query' ? { query, language } : values }
}

function chartsJson(spec: Spec): Json[] {
  return cellsOfCharts(spec).map(({ x, y, w, h, name, properties }) => ({
    xPos: x,
    yPos: y,
    width: w,
    height: h,
    name,
    properties,
  }))
}

/** `CheckDeadman` without `Check` is the type of the check. */
function typeOf({ kind }: Difference, prefix: string): string {
  return kind.kind.slice(prefix.length).toLowerCase()
}

/** The endpoint of a rule, which stands in the same template or was there before. */
function endpointJson(whole: Whole, spec: Spec): Json {
  const id = String(spec.endpointID ?? '')
  const found = whole.differences.find((item) => item.id === id)
  return {
    every: spec.every ?? '',
    offset: spec.offset ?? '',
    endpointID: idNumber(found === undefined ? id : idText(whole, found)),
    endpointTemplateMetaName: found?.metaName ?? '',
    endpointName: found?.name ?? '',
    endpointType: found === undefined ? '' : typeOf(found, 'NotificationEndpoint'),
  }
}

function mappingJson(whole: Whole, mapping: LabelDifference): Json {
  const { status, resource, label } = mapping
  return {
    status,
    stateStatus: status,
    resourceTemplateMetaName: resource.metaName,
    resourceName: resource.name,
    resourceID: idNumber(idText(whole, resource)),
    resourceType: resource.kind.type,
    labelTemplateMetaName: label.metaName,
    labelName: label.name,
    labelID: idNumber(idText(whole, label)),
  }
}

/** Of values that may hold numbers of 64 bits: `JSON.stringify` refuses them. */
export function wideJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(wideJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${wideJson(member)}`).join(',')}}`
}
