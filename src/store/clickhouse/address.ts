// Where a ClickHouse is, as `--store` says it: `clickhouse://USER@h1:8123,h2:8123/DATABASE?cluster=NAME`. The ports
// are those of HTTP; `clickhouses://` encrypts. A password may stand in the address, but is better kept in a file.

import { UserError } from '../../errors.js'

export interface ClickhouseAddress {
  /** `http://h1:8123`, ... */
  readonly endpoints: readonly string[]
  readonly user: string
  readonly password: string
  readonly database: string
  /** Of several servers: the name that they have for all of them together. */
  readonly cluster: string | undefined
}

const shape = new RegExp(
  [
    '^clickhouse(s?)://(?:([^:@/?#]+)(?::([^@/?#]*))?@)?([^@/?#]+)',
    '/([A-Za-z_]\\w{0,62})(?:\\?cluster=([A-Za-z_][\\w-]{0,62}))?$',
  ].join(''),
)
const host = /^(?:[\w.-]+|\[[0-9a-fA-F:.]+\]):\d{1,5}$/

export const expectedAddress =
  'a URL such as clickhouse://user@h1:8123,h2:8123/database?cluster=name'

/** undefined: it is none. */
export function parseAddress(text: string, password?: string): ClickhouseAddress | undefined {
  const found = shape.exec(text)
  if (found === null) return undefined
  const [, secure, user = 'default', inline = '', hosts, database, cluster] = found
  const all = hosts.split(',')
  if (!all.every((one) => host.test(one))) return undefined
  try {
    return {
      endpoints: all.map((one) => `${secure === '' ? 'http' : 'https'}://${one}`),
      user: decodeURIComponent(user),
      password: password ?? decodeURIComponent(inline),
      database,
      cluster,
    }
  } catch {
    return undefined
  }
}

/** `password`: from a file, and then instead of the one in the address. */
export function requireAddress(text: string, password?: string): ClickhouseAddress {
  const address = parseAddress(text, password)
  if (address !== undefined) return address
  throw new UserError('invalid', `the address of the store is not ${expectedAddress}`)
}
