// The package `contrib/sranka/opsgenie`: alerts for Opsgenie, whose texts have a largest length each.
// Whoever shall respond is told as `user:name` or `team:name`.

import { FluxError } from '../../../../value/error.js'
import { native, type PackageDefinition } from '../../../define.js'
import { endpointSource } from '../../../http/endpoint.js'
import { jsonText } from '../../../json/encode.js'

export const opsgeniePackage: PackageDefinition = {
  path: 'contrib/sranka/opsgenie',
  name: 'opsgenie',
  builtins: [
    [
      'respondersToJSON',
      native(
        '(v: [string]) => string',
        (call) => `[${call.strings('v').map(responderText).join(',')}]`,
      ),
    ],
  ],
  source: `package opsgenie

import "http"
import "json"
import "strings"

_json = (v) => string(v: json.encode(v: v))

// At most so many characters, as JSON.
_cut = (v, max) =>
    _json(v: if strings.strlen(v: v) > max then strings.substring(v: v, start: 0, end: max) else v)

sendAlert = (
        url="https://api.opsgenie.com/v2/alerts",
        apiKey,
        message,
        alias="",
        description="",
        priority="P3",
        responders=[],
        tags=[],
        entity="",
        actions=[],
        visibleTo=[],
        details="{}",
    ) =>
    {
        // The details come as JSON already, so that the body is put together as text.
        fields = [
            "\\"message\\": " + _cut(v: message, max: 130),
            "\\"alias\\": " + _cut(v: if alias == "" then message else alias, max: 512),
            "\\"description\\": " + _cut(v: description, max: 15000),
            "\\"responders\\": " + respondersToJSON(v: responders),
            "\\"visibleTo\\": " + respondersToJSON(v: visibleTo),
            "\\"actions\\": " + _json(v: actions),
            "\\"tags\\": " + _json(v: tags),
            "\\"details\\": " + details,
            "\\"entity\\": " + _cut(v: entity, max: 512),
            "\\"priority\\": " + _cut(v: priority, max: 2),
        ]
        body = "{\\n" + strings.joinStr(arr: fields, v: ",\\n") + "\\n}"

        return
            http.post(
                url: url,
                headers: {
                    "Content-Type": "application/json; charset=utf-8",
                    "Authorization": "GenieKey " + apiKey,
                },
                data: bytes(v: body),
            )
    }
${endpointSource(
  'url="https://api.opsgenie.com/v2/alerts", apiKey, entity=""',
  `sendAlert(
    url: url,
    apiKey: apiKey,
    entity: entity,
    message: obj.message,
    alias: obj.alias,
    description: obj.description,
    priority: obj.priority,
    responders: obj.responders,
    tags: obj.tags,
    actions: obj.actions,
    visibleTo: obj.visibleTo,
    details: obj.details,
  )`,
)}`,
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
