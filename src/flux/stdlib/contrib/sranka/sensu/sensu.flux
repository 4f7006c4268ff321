package sensu

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
