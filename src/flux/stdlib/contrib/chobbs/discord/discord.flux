// The package `contrib/chobbs/discord`: messages to a channel of Discord through a webhook.
// Its token is part of the URL.

package discord

import "http"
import "internal/notification"
import "json"

option discordURL = "https://discordapp.com/api/webhooks/"

send = (webhookToken, webhookID, username, content, avatar_url="") =>
    http.post(
        url: discordURL + webhookID + "/" + webhookToken,
        headers: {"Content-Type": "application/json"},
        data: json.encode(v: {username: username, content: content, avatar_url: avatar_url}),
    )

endpoint = (webhookToken, webhookID, username, avatar_url="") =>
    notification.endpoint(
        send: (obj) =>
            send(
                webhookToken: webhookToken,
                webhookID: webhookID,
                username: username,
                avatar_url: avatar_url,
                content: obj.content,
            ),
    )
