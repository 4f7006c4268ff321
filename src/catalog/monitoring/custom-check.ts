// Custom checks: a whole script that somebody wrote. It must say what it is in the two places where
// the service and the statuses look: the options of the task and the record `check`, into which the
// id of the check is written here.

import { UserError } from '../../errors.js'
import { FluxProperties, type TokenProperty } from '../flux-text/flux-properties.js'
import { fluxString, fluxTokens } from '../flux-text/flux-tokens.js'
import { readTaskOptions } from '../tasks/task-options.js'

interface FoundRecord {
  /** undefined: assigned, but no record. */
  readonly properties: readonly TokenProperty[] | undefined
  /** Behind the opening brace. */
  readonly start: number
}

/** The script with the id in it. Throws where a part is missing. */
export function customScript(source: string, check: { id: string; name: string }): string {
  const found = findAssigned(source, 'check')
  requireCheckRecord(found, check.name)
  requireTaskOptions(findAssigned(source, 'task', 'option'), check.name)
  readTaskOptions(source)
  const properties = found?.properties ?? []
  const id = properties.find(({ key }) => key === '_check_id')
  const text = fluxString(check.id)
  if (id !== undefined) return source.slice(0, id.start) + text + source.slice(id.end)
  const at = found?.start ?? 0
  return `${source.slice(0, at)}_check_id: ${text}, ${source.slice(at)}`
}

function requireCheckRecord(found: FoundRecord | undefined, name: string): void {
  if (found === undefined) throw invalid("Custom flux must have an object called 'check'")
  const properties = found.properties ?? []
  if (!has(properties, '_check_name', name)) {
    throw invalid('_check_name parameter on check object must match check name')
  }
  if (!has(properties, '_type', 'custom')) {
    throw invalid("_type parameter on check object must be set to 'custom'")
  }
}

function requireTaskOptions(found: FoundRecord | undefined, name: string): void {
  if (found === undefined) throw invalid('Custom flux missing task option statement')
  const properties = found.properties ?? []
  const keys = properties.map(({ key }) => key)
  const missing = (key: string) =>
    invalid(`Custom flux missing ${key} parameter from task option statement`)
  if (!keys.includes('name')) throw missing('name')
  if (!has(properties, 'name', name)) {
    throw invalid('Name parameter from task option statement must match check name')
  }
  if (!keys.includes('every')) throw missing('every')
  if (!keys.includes('offset')) throw missing('offset')
}

function has(properties: readonly TokenProperty[], key: string, value: string): boolean {
  return properties.some((one) => one.key === key && one.stringValue === value)
}

/** `name = {...}`, behind a word that has to stand before it. */
function findAssigned(source: string, name: string, before?: string): FoundRecord | undefined {
  const tokens = fluxTokens(source)
  const index = tokens.findIndex(({ kind, text }, i) => {
    if (kind !== 'word' || text !== name || tokens[i + 1]?.text !== '=') return false
    if (tokens[i + 2]?.text === '=') return false
    return before === undefined || tokens[i - 1]?.text === before
  })
  if (index < 0) return undefined
  const open = index + 2
  if (tokens[open]?.text !== '{') return { properties: undefined, start: 0 }
  return { properties: new FluxProperties(tokens).within(open), start: tokens[open].end }
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
