// The package `slack`: messages to a channel of Slack, as attachments with a colour. The same serves a webhook, which
// needs no token.

import { type Call, type Definitions, native } from '../../package/define.js'
import { FluxError } from '../../value/error.js'
import { quoted } from '../../value/quote.js'

export const slackBuiltins: Definitions = {
  validateColorString: native('(color: string) => string', validateColor),
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
