// The package `contrib/sranka/webexteams`: messages to a room of Webex, as plain text and as Markdown.
// A client shows the one that it can.

package webexteams

import "http"
import "internal/notification"
import "json"

message = (url="https://webexapis.com", token, roomId, text, markdown) =>
    http.post(
        url: url + "/v1/messages",
        headers: {
            "Content-Type": "application/json; charset=utf-8",
            "Authorization": "Bearer " + token,
        },
        data: json.encode(v: {text: text, markdown: markdown, roomId: roomId}),
    )

endpoint = (url="https://webexapis.com", token) =>
    notification.endpoint(
        send: (obj) =>
            message(url: url, token: token, roomId: obj.roomId, text: obj.text, markdown: obj.markdown),
    )
