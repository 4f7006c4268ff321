// What a token may do, in a few words: everything, or what it may read and write, as long as that is not too much to
// read.

import type { Permission } from '../api/accounts.js'

const shownMax = 4

/** Whether they manage the whole installation. */
export function isOperator(permissions: readonly Permission[]): boolean {
  return permissions.some(
    ({ action, resource }) =>
      action === 'write' &&
      (resource.type === 'orgs' || resource.type === 'instance') &&
      resource.id === undefined &&
      resource.orgID === undefined,
  )
}

export function permissionsText(permissions: readonly Permission[]): string {
  if (isOperator(permissions)) return 'everything'
  const byType = new Map<string, Set<string>>()
  for (const { action, resource } of permissions) {
    const name = resource.id === undefined ? `all ${resource.type}` : resource.type
    byType.set(name, (byType.get(name) ?? new Set()).add(action))
  }
  const texts = [...byType].map(([name, actions]) => `${[...actions].sort().join(' and ')} ${name}`)
  const more = texts.length > shownMax ? ` and ${texts.length - shownMax} more` : ''
  return `${texts.slice(0, shownMax).join(', ')}${more}`
}

/** All of them, a line for each resource. */
export function permissionLines(permissions: readonly Permission[]): string[] {
  const actions = new Map<string, Set<string>>()
  for (const { action, resource } of permissions) {
    const { type, id, name } = resource
    const what = id === undefined ? `all ${type}` : `${type} ${name ?? id}`
    actions.set(what, (actions.get(what) ?? new Set()).add(action))
  }
  return [...actions].map(([what, of]) => `${[...of].sort().join(' and ')} ${what}`).sort()
}
