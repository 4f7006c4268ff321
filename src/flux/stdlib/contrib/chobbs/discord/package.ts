// The package `contrib/chobbs/discord`: messages to a channel of Discord through a webhook.
// Its token is part of the URL.

import type { PackageDefinition } from '../../../define.js'
import { endpointSource } from '../../../http/endpoint.js'

export const discordPackage: PackageDefinition = {
  path: 'contrib/chobbs/discord',
  name: 'discord',
  builtins: [],
  source: `package discord

import "http"
import "json"

option discordURL = "https://discordapp.com/api/webhooks/"

send = (webhookToken, webhookID, username, content, avatar_url="") =>
    http.post(
        url: discordURL + webhookID + "/" + webhookToken,
        headers: {"Content-Type": "application/json"},
        data: json.encode(v: {username: username, content: content, avatar_url: avatar_url}),
    )
${endpointSource(
  'webhookToken, webhookID, username, avatar_url=""',
  `send(
    webhookToken: webhookToken,
    webhookID: webhookID,
    username: username,
    avatar_url: avatar_url,
    content: obj.content,
  )`,
)}`,
}
