// The package `contrib/sranka/sensu`: events for Sensu Go, whose names have but few characters.
// The entity is a proxy: nothing runs there that Sensu knows.

import { native, type PackageDefinition } from '../../../define.js'

export const sensuPackage: PackageDefinition = {
  path: 'contrib/sranka/sensu',
  name: 'sensu',
  builtins: [
    ['toSensuName', native('(v: string) => string', (call) => sensuName(call.string('v')))],
  ],
  source: `package sensu

import "http"
import "json"

event = (
        url,
        apiKey,
        checkName,
        text,
        handlers=[],
        status=0,
        state="",
        namespace="default",
        entityName="influxdb",
    ) =>
    {
        stateOfStatus = if status == 0 then "passing" else "failing"
        check = {
            output: text,
            state: if state == "" then stateOfStatus else state,
            status: status,
            handlers: handlers,
            interval: 60,
            metadata: {name: toSensuName(v: checkName)},
        }
        entity = {entity_class: "proxy", metadata: {name: toSensuName(v: entityName)}}

        return
            http.post(
                url: url + "/api/core/v2/namespaces/" + namespace + "/events",
                headers: {
                    "Content-Type": "application/json; charset=utf-8",
                    "Authorization": "Key " + apiKey,
                },
                data: json.encode(v: {entity: entity, check: check}),
            )
    }

// Unlike others it tells no status.
endpoint = (url, apiKey, handlers=[], namespace="default", entityName="influxdb") =>
    (mapFn) =>
        (tables=<-) =>
            tables
                |> map(
                    fn: (r) => {
                        obj = mapFn(r: r)
                        status =
                            event(
                                url: url,
                                apiKey: apiKey,
                                checkName: obj.checkName,
                                text: obj.text,
                                handlers: handlers,
                                status: obj.status,
                                namespace: namespace,
                                entityName: entityName,
                            )

                        return {r with _sent: string(v: 2 == status / 100)}
                    },
                )
`,
}

function sensuName(text: string): string {
  return text === '' ? '_' : text.replace(/[^\w.-]/gu, '_')
}
