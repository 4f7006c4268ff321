package opsgenie

import "http"
import "internal/notification"
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
            "\"message\": " + _cut(v: message, max: 130),
            "\"alias\": " + _cut(v: if alias == "" then message else alias, max: 512),
            "\"description\": " + _cut(v: description, max: 15000),
            "\"responders\": " + respondersToJSON(v: responders),
            "\"visibleTo\": " + respondersToJSON(v: visibleTo),
            "\"actions\": " + _json(v: actions),
            "\"tags\": " + _json(v: tags),
            "\"details\": " + details,
            "\"entity\": " + _cut(v: entity, max: 512),
            "\"priority\": " + _cut(v: priority, max: 2),
        ]
        body = "{\n" + strings.joinStr(arr: fields, v: ",\n") + "\n}"

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

endpoint = (url="https://api.opsgenie.com/v2/alerts", apiKey, entity="") =>
    notification.endpoint(
        send: (obj) =>
            sendAlert(
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
            ),
    )
