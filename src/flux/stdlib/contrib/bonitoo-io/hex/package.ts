// The package `contrib/bonitoo-io/hex`: integers and bytes from and to hexadecimal digits, in the spellings
// that Go reads.

import { type Call, type Definitions, native } from '../../../../package/define.js'
import { toText } from '../../../../value/conversion.js'
import { FluxError } from '../../../../value/error.js'
import { quoted } from '../../../../value/quote.js'
import { typeText } from '../../../../value/type-name.js'
import { Bytes, type FluxValue, Uint } from '../../../../value/value.js'

export const hexBuiltins: Definitions = {
  int: native('(v: string) => int', hexInt),
  string: native('(v: A) => string', (call) => hexText(call.required('v'))),
  uint: native('(v: string) => uint', hexUint),
  bytes: native('(v: string) => bytes', hexBytes),
}

/** Only integers and bytes are written in digits of base 16, everything else as always. */
function hexText(value: FluxValue): FluxValue {
  if (typeof value === 'bigint') return value.toString(16)
  if (value instanceof Uint) return value.value.toString(16)
  if (value instanceof Bytes) return Buffer.from(value.bytes).toString('hex')
  return toText(value)
}

/** With a sign, digits may be parted by `_` behind `0x`: Go then reads them as it reads its own literals. */
const signedPattern = /^(?:0x)?([+-]?)([\da-f]+)$|^([+-])0x((?:_?[\da-f])+)$/i

function hexInt(call: Call): FluxValue {
  const text = given(call, 'int')
  if (text === null) return null
  const match = text.startsWith('0X') ? null : signedPattern.exec(text)
  if (match === null) return refuse(text, 'int')
  const digits = (match[2] ?? match[4]).replaceAll('_', '')
  const size = digits.length > 1_000 ? 2n ** 64n : BigInt(`0x${digits}`)
  const value = (match[1] ?? match[3]) === '-' ? -size : size
  return BigInt.asIntN(64, value) === value ? value : refuse(text, 'int')
}

function hexUint(call: Call): FluxValue {
  const text = given(call, 'uint')
  if (text === null) return null
  const digits = text.startsWith('0x') ? text.slice(2) : text
  const isInRange = /^[\da-f]+$/i.test(digits) && digits.replace(/^0+/, '').length <= 16
  return isInRange ? new Uint(BigInt(`0x${digits}`)) : refuse(text, 'uint')
}

function hexBytes(call: Call): FluxValue {
  const text = given(call, 'bytes')
  if (text === null) throw new FluxError('hex cannot convert null to bytes')
  const wrong = /[^\da-f]/iu.exec(text)
  // Go tells of a byte that is no digit before it tells of a digit without a second one.
  if (wrong === null && text.length % 2 === 0) return new Bytes(Buffer.from(text, 'hex'))
  const cause =
    wrong === null
      ? 'encoding/hex: odd length hex string'
      : `encoding/hex: invalid byte: ${byteText(wrong[0])}`
  const what = `cannot convert string ${quoted(text)} to bytes due to hex decoding error`
  throw new FluxError(`${what}: ${cause}`)
}

/** Its first byte as Go shows one: `U+0067 'g'`. */
function byteText(character: string): string {
  const code = Buffer.from(character)[0]
  const shown = String.fromCharCode(code)
  const isPrintable = quoted(shown).length === 3 || shown === '"' || shown === '\\'
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}${isPrintable ? ` '${shown}'` : ''}`
}

/** null: without a value. */
function given(call: Call, type: string): string | null {
  const value = call.required('v')
  if (value === null || typeof value === 'string') return value
  throw new FluxError(`hex cannot convert ${typeText(value)} to ${type}`)
}

function refuse(text: string, type: string): never {
  throw new FluxError(`cannot convert string ${quoted(text)} to ${type} due to invalid syntax`)
}
