// The package `slack`: messages to a channel of Slack, as attachments with a colour. The same serves a webhook, which
// needs no token.

import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'
import { type Call, native, type PackageDefinition } from '../define.js'
import { endpointSource } from '../http/endpoint.js'

export const slackPackage: PackageDefinition = {
  path: 'slack',
  name: 'slack',
  builtins: [['validateColorString', native('(color: string) => string', validateColor)]],
  source: `package slack

import "http"
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
${endpointSource(
  'url=defaultURL, token=""',
  'message(url: url, token: token, channel: obj.channel, text: obj.text, color: obj.color)',
)}`,
}

const namedColors = new Set(['good', 'warning', 'danger'])
const whiteRgb = 0xffffffn
const intMax = 2n ** 63n - 1n

/** A name that Slack knows, or `#` and a hexadecimal number. */
function validateColor(call: Call): string {
  const color = call.string('color')
  if (namedColors.has(color)) return color
  if (!color.startsWith('#')) throw new FluxError('could not parse color string')
  const digits = color.slice(1)
  const parsing = `strconv.ParseInt: parsing ${quoted(digits)}`
  if (!/^[+-]?[0-9a-f]+$/i.test(digits)) throw new FluxError(`${parsing}: invalid syntax`)
  const size = BigInt(`0x${digits.replace(/^[+-]/, '')}`)
  if (size > intMax) throw new FluxError(`${parsing}: value out of range`)
  const isNegative = digits.startsWith('-') && size > 0n
  if (isNegative || size > whiteRgb) throw new FluxError('could not parse color string')
  return color
}
