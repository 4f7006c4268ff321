// The package `contrib/sranka/opsgenie`: alerts for Opsgenie, whose texts have a largest length each.
// Whoever shall respond is told as `user:name` or `team:name`.

import { type Definitions, native } from '../../../../package/define.js'
import { FluxError } from '../../../../value/error.js'
import { jsonText } from '../../../json/encode.js'

export const opsgenieBuiltins: Definitions = {
  respondersToJSON: native(
    '(v: [string]) => string',
    (call) => `[${call.strings('v').map(responderText).join(',')}]`,
  ),
}

/** How the name of each sort is called. */
const responders: ReadonlyMap<string, string> = new Map([
  ['user', 'username'],
  ['team', 'name'],
  ['escalation', 'name'],
  ['schedule', 'name'],
])

function responderText(responder: string): string {
  const colon = responder.indexOf(':')
  const sort = responder.slice(0, Math.max(colon, 0))
  const property = responders.get(sort)
  if (property !== undefined) {
    return `{"type":"${sort}","${property}":${jsonText(responder.slice(colon + 1))}}`
  }
  const sorts = "['user:','team:','escalation:','schedule:']"
  throw new FluxError(`unsupported responder "${responder}", it must start with one of ${sorts}`)
}
