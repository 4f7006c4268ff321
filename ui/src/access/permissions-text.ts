// What a token may do, in a few words: everything, or what it may read and write, as long as that is not too much to
// read.

import { isOperator, type Permission } from '../api/accounts.js'

const shownMax = 4

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
