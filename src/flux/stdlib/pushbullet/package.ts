// The package `pushbullet`: notes to the devices of a Pushbullet account. Whose they are, the token says.
// Other sorts of pushes go through `pushData`.

import type { PackageDefinition } from '../define.js'
import { endpointSource } from '../http/endpoint.js'

export const pushbulletPackage: PackageDefinition = {
  path: 'pushbullet',
  name: 'pushbullet',
  builtins: [],
  source: `package pushbullet

import "http"
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
${endpointSource(
  'url=defaultURL, token=""',
  'pushNote(url: url, token: token, title: obj.title, text: obj.text)',
)}`,
}
