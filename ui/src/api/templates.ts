// Templates: what one would make, making it, and taking one of what is there. Texts are sent as they are; the service
// reads YAML and JSON.

import { request, requestJson } from './http.js'

export interface TemplateDifference {
  readonly kind: string
  readonly stateStatus: 'new' | 'exists' | 'remove'
  readonly templateMetaName: string
  readonly new?: { readonly name?: string }
}

export interface TemplateSummary {
  readonly stackID: string
  readonly summary: {
    readonly dashboards?: readonly { readonly id: string; readonly name: string }[]
    readonly missingEnvRefs?: readonly string[]
    readonly missingSecrets?: readonly string[]
  }
  readonly diff: Readonly<Record<string, readonly TemplateDifference[] | undefined>>
}

export interface TemplateInput {
  readonly orgID: string
  readonly texts: readonly string[]
  readonly envRefs: Readonly<Record<string, string>>
  readonly isDryRun: boolean
}

export function applyTemplate(input: TemplateInput): Promise<TemplateSummary> {
  const { orgID, texts, envRefs, isDryRun: dryRun } = input
  const templates = texts.map((contents) => ({ contentType: typeOf(contents), contents }))
  return requestJson('api/v2/templates/apply', { json: { orgID, dryRun, templates, envRefs } })
}

function typeOf(text: string): string {
  return /^\s*[[{]/.test(text) ? 'json' : 'yaml'
}

export async function exportTemplate(
  resources: readonly { readonly kind: string; readonly id: string }[],
): Promise<Blob> {
  const headers = { accept: 'application/x-yaml' }
  const response = await request('api/v2/templates/export', { json: { resources }, headers })
  return response.blob()
}
