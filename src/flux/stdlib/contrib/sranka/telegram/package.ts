// The package `contrib/sranka/telegram`: messages of a Telegram bot to a channel.
// The bot's token is part of the URL.

import type { PackageDefinition } from '../../../define.js'
import { endpointSource } from '../../../http/endpoint.js'

export const telegramPackage: PackageDefinition = {
  path: 'contrib/sranka/telegram',
  name: 'telegram',
  builtins: [],
  source: `package telegram

import "http"
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
${endpointSource(
  `url=defaultURL,
    token,
    parseMode=defaultParseMode,
    disableWebPagePreview=defaultDisableWebPagePreview`,
  `message(
    url: url,
    token: token,
    channel: obj.channel,
    text: obj.text,
    parseMode: parseMode,
    disableWebPagePreview: disableWebPagePreview,
    silent: obj.silent,
  )`,
)}`,
}
