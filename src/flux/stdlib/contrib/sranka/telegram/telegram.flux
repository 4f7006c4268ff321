// The package `contrib/sranka/telegram`: messages of a Telegram bot to a channel.
// The bot's token is part of the URL.

package telegram

import "http"
import "internal/notification"
import "json"

option defaultURL = "https://api.telegram.org/bot"
option defaultParseMode = "MarkdownV2"
option defaultDisableWebPagePreview = false
option defaultSilent = true

message = (
        url=defaultURL,
        token,
        channel,
        text,
        parseMode=defaultParseMode,
        disableWebPagePreview=defaultDisableWebPagePreview,
        silent=defaultSilent,
    ) =>
    http.post(
        url: url + token + "/sendMessage",
        headers: {"Content-Type": "application/json; charset=utf-8"},
        data:
            json.encode(
                v: {
                    chat_id: channel,
                    text: text,
                    parse_mode: parseMode,
                    disable_web_page_preview: disableWebPagePreview,
                    disable_notification: silent,
                },
            ),
    )

endpoint = (
    url=defaultURL,
    token,
    parseMode=defaultParseMode,
    disableWebPagePreview=defaultDisableWebPagePreview,
) =>
    notification.endpoint(
        send: (obj) =>
            message(
                url: url,
                token: token,
                channel: obj.channel,
                text: obj.text,
                parseMode: parseMode,
                disableWebPagePreview: disableWebPagePreview,
                silent: obj.silent,
            ),
    )
