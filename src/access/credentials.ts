// Credentials as requests carry them, taken out of the header and the query string without judging
// them. Which schemes an endpoint takes is the caller's choice; who stands behind a credential is
// the authenticator's.

export type Credential =
  /** Nothing was sent. */
  | { readonly kind: 'none' }
  /** Something was sent that no accepted scheme can read. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string; readonly address?: string | undefined }
  /** On v1 paths. The password may be a token; then the name does not matter. */
  | {
      readonly kind: 'password'
      readonly username: string
      readonly password: string
      /** Where it came from, where the transport knows. */
      readonly address?: string | undefined
    }

export interface CredentialSource {
  readonly authorization: string | undefined
  /** The `u` and `p` of the query string, where the endpoint takes them. */
  readonly username?: string | undefined
  readonly password?: string | undefined
  /** Whether `Basic` is read. */
  readonly acceptsBasic: boolean
  readonly address?: string | undefined
}

const none: Credential = { kind: 'none' }
const malformed: Credential = { kind: 'malformed' }

/**
 * `u` and `p` win over the header, as in InfluxDB 1. The word `Token` is case-sensitive, the others
 * are not.
 */
export function parseCredential(source: CredentialSource): Credential {
  const { address } = source
  if (source.password !== undefined && source.password !== '') {
    const { username = '', password } = source
    return { kind: 'password', username, password, address }
  }
  const header = source.authorization
  if (header === undefined || header === '') {
    return source.username === undefined || source.username === '' ? none : malformed
  }
  const space = header.indexOf(' ')
  if (space < 0) return malformed
  const scheme = header.slice(0, space)
  const value = header.slice(space + 1).trim()
  if (value === '') return malformed
  if (scheme === 'Token') return { kind: 'token', token: value, address }
  if (scheme.toLowerCase() === 'bearer') return { kind: 'token', token: value, address }
  if (scheme.toLowerCase() === 'basic' && source.acceptsBasic) return parseBasic(value, address)
  return malformed
}

function parseBasic(value: string, address: string | undefined): Credential {
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0 || colon + 1 === text.length) return malformed
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)]
  return { kind: 'password', username, password, address }
}
