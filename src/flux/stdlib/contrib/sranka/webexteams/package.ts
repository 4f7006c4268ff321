// The package `contrib/sranka/webexteams`: messages to a room of Webex, as plain text and as Markdown.
// A client shows the one that it can.

import type { PackageDefinition } from '../../../define.js'
import { endpointSource } from '../../../http/endpoint.js'

export const webexteamsPackage: PackageDefinition = {
  path: 'contrib/sranka/webexteams',
  name: 'webexteams',
  builtins: [],
  source: `package webexteams

import "http"
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
${endpointSource(
  'url="https://webexapis.com", token',
  'message(url: url, token: token, roomId: obj.roomId, text: obj.text, markdown: obj.markdown)',
)}`,
}
