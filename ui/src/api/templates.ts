// Templates: what one would make, making it, taking one of what is there, and what those that were applied have made.
// Texts are sent as they are; the service reads YAML and JSON.

import { useQuery } from '@tanstack/react-query'
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

/** Some resources, all of an organization, or what a template has made. */
export type TemplateContents =
  | { readonly resources: readonly { readonly kind: string; readonly id: string }[] }
  | { readonly orgIDs: readonly { readonly orgID: string }[] }
  | { readonly stackID: string }

export async function exportTemplate(contents: TemplateContents): Promise<Blob> {
  const headers = { accept: 'application/x-yaml' }
  const response = await request('api/v2/templates/export', { json: contents, headers })
  return response.blob()
}

/** What a template has made. */
export interface Stack {
  readonly id: string
  readonly name: string
  readonly updatedAt: string
  readonly resources: readonly { readonly kind: string; readonly templateMetaName: string }[]
}

export function useStacks(orgID: string) {
  return useQuery({
    queryKey: ['stacks', orgID],
    queryFn: async () =>
      (await requestJson<{ stacks: Stack[] }>('api/v2/stacks', { query: { orgID } })).stacks,
  })
}

/** With everything that it holds. */
export async function removeStack(id: string): Promise<void> {
  await request(`api/v2/stacks/${id}`, { method: 'DELETE' })
}
