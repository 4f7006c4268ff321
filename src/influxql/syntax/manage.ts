// Statements that change something other than databases and their policies: users and what they may
// do, continuous queries, subscriptions, running queries, and what is deleted.

import type { Expression, Position, Privilege, Select, Source, Statement } from './ast.js'
import { printDuration } from './durations.js'
import { parseCondition, parseOptionalSources, parseSelect } from './select.js'
import type { TokenReader } from './token-reader.js'
import { someExpression } from './walk.js'

export function parseCreateUser(reader: TokenReader, at: Position): Statement {
  const name = reader.name()
  reader.expect('WITH', 'PASSWORD')
  const password = reader.string()
  const admin = reader.accept('WITH')
  if (admin) reader.expect('ALL', 'PRIVILEGES')
  return { kind: 'create-user', name, password, admin, at }
}

export function parseDropUser(reader: TokenReader, at: Position): Statement {
  return { kind: 'drop-user', name: reader.name(), at }
}

export function parseSetPassword(reader: TokenReader, at: Position): Statement {
  const name = reader.name()
  reader.expect('=')
  return { kind: 'set-password', name, password: reader.string(), at }
}

export function parseGrant(reader: TokenReader, at: Position): Statement {
  const privilege = parsePrivilege(reader)
  if (!parseOn(reader, privilege, 'TO')) return { kind: 'grant-admin', user: reader.name(), at }
  const database = reader.name()
  reader.expect('TO')
  return { kind: 'grant', privilege, database, user: reader.name(), at }
}

export function parseRevoke(reader: TokenReader, at: Position): Statement {
  const privilege = parsePrivilege(reader)
  if (!parseOn(reader, privilege, 'FROM')) return { kind: 'revoke-admin', user: reader.name(), at }
  const database = reader.name()
  reader.expect('FROM')
  return { kind: 'revoke', privilege, database, user: reader.name(), at }
}

/** Whether ON comes, and not the word that goes with all privileges on everything. */
function parseOn(reader: TokenReader, privilege: Privilege, other: 'TO' | 'FROM'): boolean {
  const token = reader.read()
  if (token.kind === 'ON') return true
  if (privilege !== 'ALL PRIVILEGES') throw reader.unexpected(token, 'ON')
  if (token.kind === other) return false
  throw reader.unexpected(token, 'ON', other)
}

function parsePrivilege(reader: TokenReader): Privilege {
  const token = reader.read()
  switch (token.kind) {
    case 'READ':
    case 'WRITE':
      return token.kind
    case 'ALL':
      reader.accept('PRIVILEGES')
      return 'ALL PRIVILEGES'
    default:
      throw reader.unexpected(token, 'READ', 'WRITE', 'ALL [PRIVILEGES]')
  }
}

export function parseCreateContinuousQuery(reader: TokenReader, at: Position): Statement {
  const name = reader.name()
  reader.expect('ON')
  const database = reader.name()
  const resample = reader.accept('RESAMPLE') ? parseResample(reader) : noResample
  reader.expect('BEGIN', 'SELECT')
  const select = parseSelect(reader, at, true)
  const interval = intervalOf(select)
  const isAggregated = select.fields.some(({ expression }) =>
    someExpression(expression, (e) => e.kind === 'call'),
  )
  if (isAggregated && (interval.problem !== undefined || isNone(interval))) {
    throw missingInterval(reader, interval.problem)
  }
  reader.expect('END')
  if (interval.problem !== undefined) throw reader.fail(interval.problem)
  checkResample(reader, resample, interval.ns)
  const { resampleEveryNs, resampleForNs } = resample
  const kind = 'create-continuous-query'
  return { kind, name, database, select, resampleEveryNs, resampleForNs, at }
}

interface Resample {
  readonly resampleEveryNs: bigint
  readonly resampleForNs: bigint
}

const noResample: Resample = { resampleEveryNs: 0n, resampleForNs: 0n }

function parseResample(reader: TokenReader): Resample {
  const resampleEveryNs = reader.accept('EVERY') ? reader.duration() : 0n
  const resampleForNs = reader.accept('FOR') ? reader.duration() : 0n
  if (resampleEveryNs === 0n && resampleForNs === 0n) {
    throw reader.unexpected(reader.read(), 'EVERY', 'FOR')
  }
  return { resampleEveryNs, resampleForNs }
}

function checkResample(reader: TokenReader, resample: Resample, intervalNs: bigint): void {
  const { resampleEveryNs, resampleForNs } = resample
  const leastNs = resampleEveryNs > intervalNs ? resampleEveryNs : intervalNs
  if (resampleForNs === 0n || leastNs <= resampleForNs) return
  throw reader.fail(
    'FOR duration must be >= GROUP BY time duration: must be a minimum of ' +
      `${printDuration(leastNs)}, got ${printDuration(resampleForNs)}`,
  )
}

interface Interval {
  readonly ns: bigint
  readonly months: number
  readonly problem?: string
}

function isNone({ ns, months }: Interval): boolean {
  return ns === 0n && months === 0
}

/** Of `GROUP BY time(…)`; zero where there is none. */
function intervalOf(select: Select): Interval {
  for (const { expression } of select.dimensions) {
    if (expression.kind !== 'call' || expression.name !== 'time') continue
    const { args } = expression
    if (args.length < 1 || args.length > 2) {
      return { ns: 0n, months: 0, problem: 'time dimension expected 1 or 2 arguments' }
    }
    const [length] = args
    if (length.kind === 'duration') return length
    return { ns: 0n, months: 0, problem: 'time dimension must have duration argument' }
  }
  return { ns: 0n, months: 0 }
}

/** InfluxDB goes back a blank and a token, to name the last one of the SELECT. */
function missingInterval(reader: TokenReader, problem: string | undefined) {
  reader.unread()
  reader.unread()
  const expected = ['GROUP BY time(...)']
  if (problem !== undefined) expected.push(problem)
  return reader.unexpected(reader.read(), ...expected)
}

export function parseDropContinuousQuery(reader: TokenReader, at: Position): Statement {
  const name = reader.name()
  reader.expect('ON')
  return { kind: 'drop-continuous-query', name, database: reader.name(), at }
}

export function parseCreateSubscription(reader: TokenReader, at: Position): Statement {
  const target = parseSubscriptionName(reader)
  reader.expect('DESTINATIONS')
  const mode = reader.read()
  if (mode.kind !== 'ALL' && mode.kind !== 'ANY') throw reader.unexpected(mode, 'ALL', 'ANY')
  const destinations = reader.strings()
  return { kind: 'create-subscription', ...target, mode: mode.kind, destinations, at }
}

export function parseDropSubscription(reader: TokenReader, at: Position): Statement {
  return { kind: 'drop-subscription', ...parseSubscriptionName(reader), at }
}

/** `name ON database.policy` */
function parseSubscriptionName(reader: TokenReader) {
  const name = reader.name()
  reader.expect('ON')
  const database = reader.name()
  const dot = reader.scan()
  if (dot.kind !== '.') throw reader.unexpected(dot, '.')
  return { name, database, policy: reader.name() }
}

export function parseKillQuery(reader: TokenReader, at: Position): Statement {
  const id = reader.id()
  if (!reader.accept('ON')) return { kind: 'kill-query', id, at }
  const host = reader.name()
  return host === '' ? { kind: 'kill-query', id, at } : { kind: 'kill-query', id, host, at }
}

/** A policy may be named since InfluxDB 1.12. */
export function parseDelete(reader: TokenReader, at: Position): Statement {
  return { kind: 'delete-series', ...parseDeleted(reader, true), at }
}

export function parseDropSeries(reader: TokenReader, at: Position): Statement {
  return { kind: 'drop-series', ...parseDeleted(reader, false), at }
}

function parseDeleted(
  reader: TokenReader,
  takesPolicy: boolean,
): { sources: Source[]; condition?: Expression } {
  const first = reader.read()
  reader.unread()
  const sources = parseOptionalSources(reader)
  checkUnqualified(reader, sources, takesPolicy)
  const condition = parseCondition(reader)
  if (condition !== undefined) return { sources, condition }
  if (sources.length === 0) throw reader.unexpected(first, 'FROM', 'WHERE')
  return { sources }
}

/** What is deleted is deleted in the request's database. InfluxDB names the last fault. */
function checkUnqualified(
  reader: TokenReader,
  sources: readonly Source[],
  takesPolicy: boolean,
): void {
  let refused: string | undefined
  for (const source of sources) {
    if (source.kind !== 'measurement') continue
    if (source.database !== undefined) refused = 'database not supported'
    if (source.policy !== undefined && !takesPolicy) refused = 'retention policy not supported'
  }
  if (refused !== undefined) throw reader.failAt(refused, undefined)
}

export function parseDropMeasurement(reader: TokenReader, at: Position): Statement {
  return { kind: 'drop-measurement', name: reader.name(), at }
}

export function parseDropShard(reader: TokenReader, at: Position): Statement {
  return { kind: 'drop-shard', id: reader.id(), at }
}
