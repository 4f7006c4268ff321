// What failures of ClickHouse mean to whoever asked: come back later, nobody is there, or our own mistake. Passwords
// are never in these texts: they travel in a header.

import { UnavailableError } from '../../errors.js'
import { networkCodes } from '../../platform/network-codes.js'
import { NativeFormatError } from './native-format.js'

/** Codes of ClickHouse: it has no room or no memory now, or may not write now. */
const busyCodes = new Map([
  [202, 'it has too many queries under way'],
  [209, 'it waits for its network'],
  [241, 'it has no memory left'],
  [225, 'it has no keeper'],
  [242, 'it is read-only: it has lost its keeper'],
  [252, 'it has too many parts that are not merged yet'],
  [285, 'too few replicas are there'],
  [286, 'its quorum is busy'],
  [243, 'its disk is full'],
  [394, 'the query was stopped there'],
])

/** It is not known whether what was sent was done, or nobody answered: another replica may be asked. */
const elsewhereCodes = new Set([3, 32, 209, 210, 225, 236, 242, 279, 285, 319, 425, 999])

/** In the midst of an answer, and in bodies of the oldest version, the code stands in the text. */
export function codeOf(error: unknown): number | undefined {
  if (error instanceof NativeFormatError) return codeIn(error.serverText)
  if (!(error instanceof Error)) return undefined
  if ('code' in error && /^\d+$/.test(`${error.code}`)) return Number(error.code)
  return codeIn(error.message)
}

function codeIn(text: string): number | undefined {
  const found = /Code: (\d+)/.exec(text)
  return found === null ? undefined : Number(found[1])
}

/** The client's own word for a connection that broke. */
const brokenSocket = 'UND_ERR_SOCKET'

/** How TLS says that it does not know who answers. */
const certificateCode = /^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_)/

export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? `${error.code}` : ''
  if (networkCodes.has(code) || code === brokenSocket) return true
  return codeOf(error) === undefined && /socket hang up|Timeout error|aborted/.test(error.message)
}

/** Whether the same statement may succeed with another replica. */
export function isWorthAnother(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) return elsewhereCodes.has(code)
  return isUnreachable(error) || error instanceof NativeFormatError
}

/** What is told above: nothing of addresses, and of the server's words the first line. */
export function explain(error: unknown): unknown {
  if (isUnreachable(error)) return new UnavailableError('the store cannot be reached')
  const code = codeOf(error)
  if (code === undefined) {
    const word = error instanceof Error && 'code' in error ? `${error.code}` : ''
    if (certificateCode.test(word)) {
      const how = 'NODE_EXTRA_CA_CERTS names a file of further authorities'
      return new UnavailableError(`the certificate of the store is not trusted (${word}): ${how}`)
    }
    if (!(error instanceof NativeFormatError)) return error
    return new UnavailableError('the store broke off its answer')
  }
  const reason = busyCodes.get(code)
  if (reason !== undefined) return new UnavailableError(`the store cannot do this now: ${reason}`)
  if (elsewhereCodes.has(code)) return new UnavailableError('the store cannot be reached')
  const text = error instanceof NativeFormatError ? error.serverText : (error as Error).message
  return new Error(`the store failed with code ${code}: ${firstLine(text)}`)
}

function firstLine(text: string): string {
  return text.replace(/\s*\n[\s\S]*$/, '').slice(0, 500)
}
