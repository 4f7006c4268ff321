// PostgreSQL's data sources: `postgres://user:password@host:port/database?sslmode=verify-full`. Parameters that name a
// file of the machine, or another host than the one that stands in the address, are refused.

import type { PostgresTarget, SqlEncryption } from '../../../platform/sql-connection.js'
import { FluxError } from '../../value/error.js'

const encryptions: ReadonlyMap<string, SqlEncryption> = new Map([
  ['disable', 'none'],
  ['allow', 'preferred'],
  ['prefer', 'preferred'],
  ['require', 'unverified'],
  ['verify-ca', 'authority'],
  ['verify-full', 'full'],
])

const refused: ReadonlySet<string> = new Set([
  'database',
  'dbname',
  'host',
  'hostaddr',
  'krbspn',
  'krbsrvname',
  'options',
  'passfile',
  'password',
  'port',
  'service',
  'servicefile',
  'sslcert',
  'sslkey',
  'sslpassword',
  'sslrootcert',
  'user',
])

/** Of the client, and without a meaning for this one. */
const ignored: ReadonlySet<string> = new Set([
  'connect_timeout',
  'default_query_exec_mode',
  'description_cache_capacity',
  'fallback_application_name',
  'sslnegotiation',
  'sslsni',
  'statement_cache_capacity',
  'target_session_attrs',
])

const defaultPort = 5432

export function postgresTarget(source: string): PostgresTarget {
  const url = parseUrl(source)
  let encryption: SqlEncryption = 'preferred'
  const settings = new Map<string, string>()
  for (const [name, value] of url.searchParams) {
    if (refused.has(name)) throw invalid(`parameter ${name} is not supported`)
    if (name === 'sslmode') encryption = encryptionOf(value)
    else if (!ignored.has(name)) settings.set(name, value)
  }
  const user = decoded(url.username)
  if (user === '') throw invalid('no user is named')
  return {
    kind: 'postgres',
    host: url.hostname === '' ? 'localhost' : decoded(url.hostname),
    port: url.port === '' ? defaultPort : Number(url.port),
    user,
    password: decoded(url.password),
    database: decoded(url.pathname.slice(1)),
    encryption,
    settings,
  }
}

/** What is wrong is told without the source: there is a password in it. */
function parseUrl(source: string): URL {
  const url = URL.canParse(source) ? new URL(source) : undefined
  if (url?.protocol === 'postgres:' || url?.protocol === 'postgresql:') return url
  throw invalid('must be of the form postgres://user:password@host:port/database')
}

function encryptionOf(mode: string): SqlEncryption {
  const encryption = encryptions.get(mode)
  if (encryption === undefined) throw invalid('sslmode is invalid')
  return encryption
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('invalid URL escape')
  }
}

function invalid(reason: string): FluxError {
  return new FluxError(`invalid data source url: ${reason}`)
}
