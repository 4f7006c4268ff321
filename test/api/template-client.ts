// Templates as InfluxDB's command line tool sends them: read from a file, each object with all of its
// members, `null` where there is nothing; and what that tool needs of the answers, as its decoder says.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

export interface Entry {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>> | null
}

/** Files of a folder, and of those in it, that hold templates. */
export function templateFiles(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile() && /\.(ya?ml|json)$/.test(entry.name))
  const paths = files.map((entry) => join(entry.parentPath, entry.name))
  return paths
    .filter((path) => readFileSync(path, 'utf8').includes('influxdata.com/v2alpha'))
    .sort()
}

export function readEntries(path: string): Entry[] {
  const documents = parseAllDocuments(readFileSync(path, 'utf8'), { uniqueKeys: false })
  if (!Array.isArray(documents)) return []
  const objects = documents.flatMap((document) => document.toJS() ?? []) as Partial<Entry>[]
  return objects.map(({ apiVersion = '', kind = '', metadata, spec = null }) => ({
    apiVersion,
    kind,
    metadata: { name: metadata?.name ?? '' },
    spec,
  }))
}

/** The body of `influx apply`: optional lists and maps that were not given are `null`. */
export function applyBody(orgID: string, source: string, entries: readonly Entry[]): object {
  const sources = [`${source}.generated.json`]
  return {
    dryRun: false,
    orgID,
    templates: [{ sources, contents: entries, contentType: 'json' }],
    envRefs: null,
    secrets: null,
    remotes: null,
    actions: [],
  }
}

type Shape = 'id' | 'text' | 'number' | 'list' | 'object'

const identity = { kind: 'text', templateMetaName: 'text', id: 'id' } as const
const known = { ...identity, name: 'text', envReferences: 'list' } as const
const labelled = { ...known, labelAssociations: 'list' } as const
const changed = { ...identity, stateStatus: 'text' } as const
const mapping = {
  status: 'text',
  resourceTemplateMetaName: 'text',
  resourceName: 'text',
  resourceID: 'id',
  resourceType: 'text',
  labelTemplateMetaName: 'text',
  labelName: 'text',
  labelID: 'id',
} as const

/** Members of the answer that the tool decodes, each of a type that it refuses others for. */
const summaryShapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  buckets: { ...labelled, retentionPeriod: 'number' },
  checks: labelled,
  dashboards: labelled,
  labels: { ...known, properties: 'object' },
  labelMappings: mapping,
  notificationEndpoints: { ...labelled, status: 'text' },
  notificationRules: {
    ...labelled,
    endpointTemplateMetaName: 'text',
    endpointID: 'id',
    endpointType: 'text',
    every: 'text',
    offset: 'text',
  },
  tasks: labelled,
  telegrafConfigs: { ...labelled, telegrafConfig: 'object' },
  variables: labelled,
}

const valueShapes: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  buckets: { name: 'text', retentionRules: 'list' },
  checks: { name: 'text' },
  dashboards: { name: 'text', charts: 'list' },
  labels: { name: 'text', color: 'text' },
  notificationEndpoints: { name: 'text' },
  notificationRules: { name: 'text', endpointName: 'text', endpointID: 'id', every: 'text' },
  tasks: { name: 'text', status: 'text' },
  telegrafConfigs: { name: 'text', id: 'text' },
  variables: { name: 'text', args: 'object' },
}

/** What the tool would not be able to read, as `where: what`. */
export function decodeProblems(answer: Record<string, Record<string, unknown>>): string[] {
  const problems: string[] = []
  const check = (where: string, item: unknown, shapes: Readonly<Record<string, Shape>>) => {
    const members = (item ?? {}) as Record<string, unknown>
    for (const [member, shape] of Object.entries(shapes)) {
      if (!isOf(shape, members[member])) {
        problems.push(`${where}.${member}: ${JSON.stringify(members[member])} is no ${shape}`)
      }
    }
  }
  for (const [section, shapes] of Object.entries(summaryShapes)) {
    const summaries = answer.summary?.[section] as unknown[]
    const differences = answer.diff?.[section] as Record<string, unknown>[]
    if (!Array.isArray(summaries) || !Array.isArray(differences)) {
      problems.push(`${section}: no list`)
      continue
    }
    for (const item of summaries) check(`summary.${section}`, item, shapes)
    for (const item of differences) {
      const isMapping = section === 'labelMappings'
      check(`diff.${section}`, item, isMapping ? { ...mapping, stateStatus: 'text' } : changed)
      for (const side of ['new', 'old'].filter((name) => !isMapping && item[name] !== undefined)) {
        check(`diff.${section}.${side}`, item[side], valueShapes[section])
      }
    }
  }
  return problems
}

function isOf(shape: Shape, value: unknown): boolean {
  switch (shape) {
    case 'id':
      // Read by `JSON.parse`, which rounds: enough to tell a number from a text.
      return typeof value === 'number' && value >= 0
    case 'text':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'list':
      return Array.isArray(value)
    default:
      return typeof value === 'object' && value !== null && !Array.isArray(value)
  }
}

/** An answer about applying, with ids as all other answers have them: `JSON.parse` rounds these. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export function exactIds(text: string): any {
  const asText = (_all: string, name: string, digits: string) =>
    `"${name}":"${BigInt(digits).toString(16).padStart(16, '0')}"`
  return JSON.parse(text.replace(/"(\w*id|\w*ID)":(\d+)/g, asText))
}
