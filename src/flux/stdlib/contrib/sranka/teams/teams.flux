// The package `contrib/sranka/teams`: messages to a channel of Microsoft Teams through a webhook, as cards with a
// summary of limited length.

package teams

import "http"
import "internal/notification"
import "json"
import "strings"

option summaryCutoff = 70

_shortened = (v) =>
    if strings.strlen(v: v) > summaryCutoff then
        strings.substring(v: v, start: 0, end: summaryCutoff) + "..."
    else
        v

_json = (v) => string(v: json.encode(v: v))

message = (url, title, text, summary="") => {
    // Teams wants the type first, and JSON of a record has its names sorted: the body is put together as text.
    fields = [
        "\"@type\": \"MessageCard\"",
        "\"@context\": \"http://schema.org/extensions\"",
        "\"title\": " + _json(v: title),
        "\"text\": " + _json(v: text),
        "\"summary\": " + _json(v: _shortened(v: if summary == "" then text else summary)),
    ]

    return
        http.post(
            url: url,
            headers: {"Content-Type": "application/json; charset=utf-8"},
            data: bytes(v: "{\n" + strings.joinStr(arr: fields, v: ",\n") + "\n}"),
        )
}

endpoint = (url) =>
    notification.endpoint(
        send: (obj) =>
            message(
                url: url,
                title: obj.title,
                text: obj.text,
                summary: if exists obj.summary then obj.summary else "",
            ),
    )
