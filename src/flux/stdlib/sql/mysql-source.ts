// MySQL's data sources: `user:password@tcp(host:port)/database?name=value`. The last slash divides; user and password
// are taken as they stand, the database's name and the values of parameters are escaped as in URLs. Parameters that the
// driver does not know are variables of the session.

import type { MysqlTarget, SqlEncryption } from '../../../platform/sql-connection.js'
import { FluxError } from '../../value/error.js'

const encryptions: ReadonlyMap<string, SqlEncryption> = new Map([
  ['true', 'full'],
  ['1', 'full'],
  ['false', 'none'],
  ['0', 'none'],
  ['skip-verify', 'unverified'],
  ['preferred', 'preferred'],
])

/** How Go's client works inside, or what this one does anyway. */
const ignored: ReadonlySet<string> = new Set([
  'allowCleartextPasswords',
  'allowFallbackToPlaintext',
  'allowNativePasswords',
  'allowOldPasswords',
  'charset',
  'checkConnLiveness',
  'clientFoundRows',
  'collation',
  'compress',
  'connectionAttributes',
  'interpolateParams',
  'maxAllowedPacket',
  'multiStatements',
  'parseTime',
  'readTimeout',
  'rejectReadOnly',
  'timeTruncate',
  'timeout',
  'writeTimeout',
])

const defaultPort = 3306

interface Parts {
  readonly user: string
  readonly password: string
  /** `tcp`, `unix`. */
  readonly network: string
  readonly address: string
  readonly database: string
  readonly parameters: string
}

export function mysqlTarget(source: string): MysqlTarget {
  const parts = partsOf(source)
  const { user, password, network } = parts
  if (network !== 'tcp') throw invalid(`network '${network}' is not supported`)
  const parameters = parametersOf(parts.parameters)
  return {
    kind: 'mysql',
    ...hostAndPort(parts.address),
    user,
    password,
    database: unescaped(parts.database, 'invalid dbname'),
    ...parameters,
  }
}

function partsOf(source: string): Parts {
  const slash = source.lastIndexOf('/')
  if (slash < 0) throw invalid('invalid DSN: missing the slash separating the database name')
  const before = source.slice(0, slash)
  const [database, ...rest] = source.slice(slash + 1).split('?')
  const at = before.lastIndexOf('@')
  const login = at < 0 ? '' : before.slice(0, at)
  const colon = login.indexOf(':')
  return {
    user: colon < 0 ? login : login.slice(0, colon),
    password: colon < 0 ? '' : login.slice(colon + 1),
    ...networkOf(before.slice(at + 1)),
    database,
    parameters: rest.join('?'),
  }
}

/** `tcp(host:port)`, `tcp`, or nothing. */
function networkOf(text: string): Pick<Parts, 'network' | 'address'> {
  const brace = text.indexOf('(')
  const network = brace < 0 ? text : text.slice(0, brace)
  if (brace >= 0 && !text.endsWith(')')) {
    throw invalid(
      text.includes(')', brace)
        ? 'invalid DSN: did you forget to escape a param value?'
        : 'invalid DSN: network address not terminated (missing closing brace)',
    )
  }
  const address = brace < 0 ? '' : text.slice(brace + 1, -1)
  return { network: network === '' ? 'tcp' : network, address }
}

function hostAndPort(address: string): Pick<MysqlTarget, 'host' | 'port'> {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(address)
  if (match === null) throw invalid(`invalid address ${address}`)
  const port = match[3] === undefined ? defaultPort : Number(match[3])
  if (port > 65535) throw invalid(`invalid port ${port}`)
  const host = match[1] ?? match[2]
  return { host: host === '' ? '127.0.0.1' : host, port }
}

function parametersOf(
  text: string,
): Pick<MysqlTarget, 'encryption' | 'areTablesNamed' | 'settings'> {
  let encryption: SqlEncryption = 'none'
  let areTablesNamed = false
  const settings = new Map<string, string>()
  for (const parameter of text.split('&')) {
    const equals = parameter.indexOf('=')
    if (equals < 0) continue
    const name = parameter.slice(0, equals)
    const value = unescaped(parameter.slice(equals + 1), `invalid value for ${name}`)
    if (name === 'allowAllFiles') refuseFiles(value)
    else if (name === 'tls') encryption = encryptionOf(value)
    else if (name === 'columnsWithAlias') areTablesNamed = isTrue(name, value)
    else if (name === 'loc') refuseOtherZone(value)
    else if (name === 'serverPubKey') throw invalid('serverPubKey is not supported')
    else if (!ignored.has(name)) settings.set(settingName(name), value)
  }
  return { encryption, areTablesNamed, settings }
}

function refuseFiles(value: string): void {
  if (isTrue('allowAllFiles', value)) throw invalid('may not set allowAllFiles')
}

function refuseOtherZone(value: string): void {
  if (value !== 'UTC') throw invalid('loc: only UTC is supported')
}

/** It becomes part of a statement. */
function settingName(name: string): string {
  if (!/^[A-Za-z_][\w.]*$/.test(name)) throw invalid(`invalid parameter ${name}`)
  return name
}

function encryptionOf(value: string): SqlEncryption {
  const encryption = encryptions.get(value.toLowerCase())
  if (encryption === undefined) throw invalid('invalid value / unknown config name: tls')
  return encryption
}

function isTrue(name: string, value: string): boolean {
  if (/^(?:1|true)$/i.test(value)) return true
  if (/^(?:0|false)$/i.test(value)) return false
  throw invalid(`invalid bool value: ${value} (${name})`)
}

function unescaped(text: string, failure: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid(failure)
  }
}

function invalid(reason: string): FluxError {
  return new FluxError(`invalid data source dsn: ${reason}`)
}
