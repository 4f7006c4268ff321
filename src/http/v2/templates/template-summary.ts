// What applying a template did or would do, as the interface tells it: a summary of the resources
// and the difference to what was there before, each by sections.

import type { ReadTemplate } from '../../../catalog/templates/template-reading.js'
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

/** Without `applied`: the template could not be read. In a dry run what is new has no id yet. */
export function templateSummary(
  orgId: string,
  applied: Applied | undefined,
  read: ReadTemplate,
  missingSecrets: readonly string[],
  isDryRun = false,
): object {
  const { differences = [], labelDifferences = [] } = applied ?? {}
  const idOf = (difference: Difference) =>
    isDryRun && difference.stateStatus === 'new' ? '' : difference.id
  const bySection = (list: readonly Difference[], json: (item: Difference) => object) =>
    Object.fromEntries(
      sections.map((section) => [
        section,
        list.filter((item) => item.kind.section === section).map(json),
      ]),
    )
  const kept = differences.filter(({ stateStatus }) => stateStatus !== 'remove')
  const mappings = labelDifferences.map((mapping) => mappingJson(mapping, idOf))
  return {
    sources: [],
    stackID: isDryRun ? '' : (applied?.stackId ?? ''),
    summary: {
      ...bySection(kept, (item) => ({
        kind: item.kind.kind,
        id: idOf(item),
        orgID: orgId,
        templateMetaName: item.metaName,
        labelAssociations: item.labels,
        ...item.new,
      })),
      labelMappings: mappings,
      missingEnvRefs: read.missingEnvRefs,
      missingSecrets,
    },
    diff: {
      ...bySection(differences, (item) => ({
        kind: item.kind.kind,
        stateStatus: item.stateStatus,
        id: idOf(item),
        templateMetaName: item.metaName,
        new: item.new,
        old: item.old,
      })),
      labelMappings: mappings,
    },
    errors: read.problems,
  }
}

function mappingJson(mapping: LabelDifference, idOf: (item: Difference) => string): object {
  const { status, resource, label } = mapping
  return {
    status,
    resourceTemplateMetaName: resource.metaName,
    resourceName: resource.name,
    resourceID: idOf(resource),
    resourceType: resource.kind.type,
    labelTemplateMetaName: label.metaName,
    labelName: label.name,
    labelID: idOf(label),
  }
}
