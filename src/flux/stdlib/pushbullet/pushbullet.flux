// The package `pushbullet`: notes to the devices of a Pushbullet account. Whose they are, the token says.
// Other sorts of pushes go through `pushData`.

package pushbullet

import "http"
import "internal/notification"
import "json"

option defaultURL = "https://api.pushbullet.com/v2/pushes"

pushData = (url=defaultURL, token="", data) =>
    http.post(
        url: url,
        headers: {"Access-Token": token, "Content-Type": "application/json"},
        data: json.encode(v: data),
    )

pushNote = (url=defaultURL, token="", title, text) =>
    pushData(url: url, token: token, data: {type: "note", title: title, body: text})

endpoint = (url=defaultURL, token="") =>
    notification.endpoint(
        send: (obj) =>
            pushNote(url: url, token: token, title: obj.title, text: obj.text),
    )
