package slack

import "http"
import "internal/notification"
import "json"

option defaultURL = "https://slack.com/api/chat.postMessage"

message = (url=defaultURL, token="", channel, text, color) => {
    attachment = {color: validateColorString(color: color), text: string(v: text), mrkdwn_in: ["text"]}

    return
        http.post(
            url: url,
            headers: {"Authorization": "Bearer " + token, "Content-Type": "application/json"},
            data: json.encode(v: {channel: channel, attachments: [attachment]}),
        )
}

endpoint = (url=defaultURL, token="") =>
    notification.endpoint(
        send: (obj) =>
            message(url: url, token: token, channel: obj.channel, text: obj.text, color: obj.color),
    )
