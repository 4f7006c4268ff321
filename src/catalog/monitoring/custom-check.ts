// Custom checks: a whole script that somebody wrote. It must say what it is in the two places where
// the service and the statuses look: the options of the task and the record `check`, into which the
// id of the check is written here.

import { UserError } from '../../errors.js'
import type { OtherValue, ScriptProperty, ScriptRecord, ScriptTools } from '../base/script-tools.js'
import { readTaskOptions } from '../tasks/task-options.js'

type Found = ScriptRecord | OtherValue | undefined

/** The script with the id in it. Throws where a part is missing. */
export function customScript(
  tools: ScriptTools,
  source: string,
  check: { id: string; name: string },
): string {
  const [found] = tools.assigned(source, 'check', false)
  requireCheckRecord(found, check.name)
  requireTaskOptions(tools.assigned(source, 'task', true)[0], check.name)
  readTaskOptions(tools, source)
  const id = propertiesOf(found).find(({ key }) => key === '_check_id')
  const text = tools.quoted(check.id)
  if (id?.valueStart !== undefined) {
    return source.slice(0, id.valueStart) + text + source.slice(id.end)
  }
  const at = 'open' in found ? found.open : 0
  return `${source.slice(0, at)}_check_id: ${text}, ${source.slice(at)}`
}

function propertiesOf(found: ScriptRecord | OtherValue): readonly ScriptProperty[] {
  return 'open' in found ? found.properties : []
}

function requireCheckRecord(found: Found, name: string): void {
  if (found === undefined) throw invalid("Custom flux must have an object called 'check'")
  const properties = propertiesOf(found)
  if (!has(properties, '_check_name', name)) {
    throw invalid('_check_name parameter on check object must match check name')
  }
  if (!has(properties, '_type', 'custom')) {
    throw invalid("_type parameter on check object must be set to 'custom'")
  }
}

function requireTaskOptions(found: Found, name: string): void {
  if (found === undefined) throw invalid('Custom flux missing task option statement')
  const properties = propertiesOf(found)
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

function has(properties: readonly ScriptProperty[], key: string, value: string): boolean {
  return properties.some((one) => one.key === key && one.text === value)
}

function invalid(message: string): UserError {
  return new UserError('invalid', message)
}
