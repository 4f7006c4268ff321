// Syntax trees → text, as InfluxDB's own trees print themselves: in column names, in error messages,
// in SHOW QUERIES and SHOW CONTINUOUS QUERIES. Where InfluxDB prints something that it could not read
// again, this prints what can be read: in a few places names with quotes, in fill() numbers without an
// exponent. Passwords never appear.

import type {
  CardinalityStatement,
  Expression,
  Fill,
  ManageStatement,
  MeasurementFilter,
  MeasurementSource,
  PolicyOptions,
  Select,
  ShowStatement,
  SortField,
  Source,
  Statement,
  TagKeyFilter,
} from './ast.js'
import { printDuration, printGoDuration, printMonths } from './durations.js'
import { printPlain, printThousandths } from './numbers.js'
import { quoteIdentifier, quoteString } from './quoting.js'

export { printDuration, printGoDuration } from './durations.js'
export { quoteIdentifier, quoteString } from './quoting.js'

export function printStatement(statement: Statement): string {
  switch (statement.kind) {
    case 'select':
      return printSelect(statement)
    case 'explain':
      return `EXPLAIN ${statement.analyze ? 'ANALYZE ' : ''}${printSelect(statement.select)}`
    case 'delete-series':
      return `DELETE${printFrom(statement)}${printCondition(statement)}`
    case 'drop-series':
      return `DROP SERIES${printFrom(statement)}${printCondition(statement)}`
    case 'drop-measurement':
      return `DROP MEASUREMENT ${quoteIdentifier(statement.name)}`
    case 'drop-shard':
      return `DROP SHARD ${statement.id}`
    default:
      return statement.kind.startsWith('show-')
        ? printShow(statement as ShowStatement)
        : printManage(statement as ManageStatement)
  }
}

export function printExpression(expression: Expression): string {
  if (expression.kind !== 'binary') return printOperand(expression)
  // Chains may be thousands long and lean to the left.
  const parts: string[] = []
  let at: Expression = expression
  for (; at.kind === 'binary'; at = at.left) {
    parts.push(`${at.op} ${printExpression(at.right)}`)
  }
  parts.push(printOperand(at))
  return parts.reverse().join(' ')
}

function printOperand(expression: Exclude<Expression, { kind: 'binary' }>): string {
  switch (expression.kind) {
    case 'reference': {
      const name = quoteIdentifier(expression.name)
      return expression.type === undefined ? name : `${name}::${expression.type}`
    }
    case 'call': {
      // The one keyword that is a function.
      const name = expression.name === 'distinct' ? 'distinct' : quoteIdentifier(expression.name)
      return `${name}(${expression.args.map(printExpression).join(', ')})`
    }
    case 'paren':
      return `(${printExpression(expression.inner)})`
    case 'wildcard':
      return expression.only === undefined ? '*' : `*::${expression.only}`
    case 'distinct':
      return `DISTINCT ${quoteIdentifier(expression.name)}`
    case 'integer':
    case 'unsigned':
    case 'boolean':
      return String(expression.value)
    case 'number':
      return printThousandths(expression.value)
    case 'string':
      return quoteString(expression.value)
    case 'duration':
      return expression.months === 0 ? printDuration(expression.ns) : printMonths(expression.months)
    case 'time':
      return `'${printTime(expression.ns)}'`
    case 'regex':
      return `/${expression.pattern.replaceAll('/', '\\/')}/`
    case 'nil':
      return 'nil'
    case 'list':
      return `(${expression.values.map(quoteIdentifier).join(', ')})`
  }
}

/** RFC 3339 in UTC, with as many decimals as it takes. */
function printTime(ns: bigint): string {
  const second = 1_000_000_000n
  const rest = ((ns % second) + second) % second
  const text = new Date(Number((ns - rest) / 1_000_000n)).toISOString()
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(9, '0').replace(/0+$/, '')}`
  return `${text.slice(0, 19)}${fraction}Z`
}

export function printSelect(select: Select): string {
  const fields = select.fields.map(({ expression, alias }) => {
    const text = printExpression(expression)
    return alias === undefined ? text : `${text} AS ${quoteIdentifier(alias)}`
  })
  const { target, zone } = select
  return (
    `SELECT ${fields.join(', ')}` +
    (target === undefined ? '' : ` INTO ${printTarget(target)}`) +
    printFrom(select) +
    printCondition(select) +
    printDimensions(select) +
    printFill(select.fill) +
    printOrder(select) +
    printLimits(select) +
    printSeriesLimits(select) +
    (zone === undefined ? '' : ` TZ(${quoteString(zone)})`)
  )
}

function printTarget(target: MeasurementSource): string {
  const isQualified = target.database !== undefined || target.policy !== undefined
  if (target.name !== undefined || !isQualified) return printMeasurement(target)
  return `${printQualifier(target)}:MEASUREMENT`
}

function printSource(source: Source): string {
  return source.kind === 'subquery' ? `(${printSelect(source.select)})` : printMeasurement(source)
}

export function printMeasurement(source: MeasurementSource): string {
  const { name, regex } = source
  const last = regex === undefined ? quoteIdentifier(name ?? '') : printExpression(regex)
  return printQualifier(source) + last
}

function printQualifier({ database, policy }: MeasurementSource): string {
  if (database !== undefined) {
    return `${quoteIdentifier(database)}.${policy === undefined ? '' : quoteIdentifier(policy)}.`
  }
  return policy === undefined ? '' : `${quoteIdentifier(policy)}.`
}

function printFill(fill: Fill): string {
  if (fill.kind === 'null') return ''
  if (fill.kind !== 'number') return ` fill(${fill.kind})`
  const { value } = fill
  if (typeof value === 'bigint') return ` fill(${value})`
  // Without a point it would be read as an integer, and not every one of these is.
  const point = Number.isInteger(value) && Math.abs(value) >= 2 ** 63 ? '.0' : ''
  return ` fill(${printPlain(value)}${point})`
}

function printFrom({ sources }: { readonly sources: readonly Source[] }): string {
  return sources.length === 0 ? '' : ` FROM ${sources.map(printSource).join(', ')}`
}

function printCondition({ condition }: { readonly condition?: Expression | undefined }): string {
  return condition === undefined ? '' : ` WHERE ${printExpression(condition)}`
}

function printDimensions({ dimensions }: Pick<Select, 'dimensions'>): string {
  if (dimensions.length === 0) return ''
  return ` GROUP BY ${dimensions.map((d) => printExpression(d.expression)).join(', ')}`
}

function printOrder({ sort }: { readonly sort: readonly SortField[] }): string {
  if (sort.length === 0) return ''
  const fields = sort.map(({ name, ascending }) => {
    const order = ascending ? 'ASC' : 'DESC'
    return name === '' ? order : `${quoteIdentifier(name)} ${order}`
  })
  return ` ORDER BY ${fields.join(', ')}`
}

function printLimits({ limit, offset }: Pick<Select, 'limit' | 'offset'>): string {
  return (limit > 0 ? ` LIMIT ${limit}` : '') + (offset > 0 ? ` OFFSET ${offset}` : '')
}

function printSeriesLimits({ slimit, soffset }: Pick<Select, 'slimit' | 'soffset'>): string {
  return (slimit > 0 ? ` SLIMIT ${slimit}` : '') + (soffset > 0 ? ` SOFFSET ${soffset}` : '')
}

function printShow(statement: ShowStatement): string {
  switch (statement.kind) {
    case 'show-databases':
    case 'show-continuous-queries':
    case 'show-queries':
    case 'show-users':
    case 'show-shards':
    case 'show-shard-groups':
    case 'show-subscriptions':
      return statement.kind.toUpperCase().replaceAll('-', ' ')
    case 'show-retention-policies':
      return `SHOW RETENTION POLICIES${printOn(statement)}`
    case 'show-grants':
      return `SHOW GRANTS FOR ${quoteIdentifier(statement.user)}`
    case 'show-stats':
      return `SHOW STATS${printModule(statement)}`
    case 'show-diagnostics':
      return `SHOW DIAGNOSTICS${printModule(statement)}`
    case 'show-cardinality':
      return printCardinality(statement)
    case 'show-measurements':
      return printShowMeasurements(statement)
    case 'show-series':
      return `SHOW SERIES${printFiltered(statement)}`
    case 'show-field-keys':
      return `SHOW FIELD KEYS${printFiltered(statement)}`
    case 'show-tag-keys':
      return `SHOW TAG KEYS${printFiltered(statement)}${printSeriesLimits(statement)}`
    case 'show-tag-values':
      return `SHOW TAG VALUES${printFiltered(statement)}`
  }
}

type Filtered = Extract<ShowStatement, { sort: readonly SortField[] }>

function printFiltered(statement: Filtered): string {
  return (
    printOn(statement) +
    printFrom(statement) +
    ('withKey' in statement ? printKeyFilter(statement.withKey) : '') +
    printCondition(statement) +
    printOrder(statement) +
    printLimits(statement)
  )
}

function printShowMeasurements(
  statement: Extract<ShowStatement, { kind: 'show-measurements' }>,
): string {
  const { database, policy, allDatabases, allPolicies } = statement
  const name = allDatabases ? '*' : database === undefined ? '' : quoteIdentifier(database)
  const second = allPolicies ? '*' : policy === undefined ? '' : quoteIdentifier(policy)
  return (
    'SHOW MEASUREMENTS' +
    (name === '' ? '' : ` ON ${name}${second === '' ? '' : `.${second}`}`) +
    printMeasurementFilter(statement.with) +
    printCondition(statement) +
    printOrder(statement) +
    printLimits(statement)
  )
}

function printCardinality(statement: CardinalityStatement): string {
  return (
    `SHOW ${statement.of.toUpperCase().replace('-', ' ')}` +
    `${statement.exact ? ' EXACT' : ''} CARDINALITY` +
    printOn(statement) +
    printFrom(statement) +
    printKeyFilter(statement.withKey) +
    printCondition(statement) +
    printDimensions(statement) +
    printLimits(statement)
  )
}

function printOn({ database }: { readonly database?: string }): string {
  return database === undefined ? '' : ` ON ${quoteIdentifier(database)}`
}

function printModule({ module }: { readonly module?: string }): string {
  return module === undefined ? '' : ` FOR ${quoteString(module)}`
}

function printMeasurementFilter(filter: MeasurementFilter | undefined): string {
  if (filter === undefined) return ''
  const value = 'regex' in filter ? printExpression(filter.regex) : quoteIdentifier(filter.name)
  return ` WITH MEASUREMENT ${filter.op} ${value}`
}

function printKeyFilter(filter: TagKeyFilter | undefined): string {
  if (filter === undefined) return ''
  if ('regex' in filter) return ` WITH KEY ${filter.op} ${printExpression(filter.regex)}`
  if ('key' in filter) return ` WITH KEY ${filter.op} ${quoteIdentifier(filter.key)}`
  return ` WITH KEY IN (${filter.keys.map(quoteIdentifier).join(', ')})`
}

function printManage(statement: ManageStatement): string {
  switch (statement.kind) {
    case 'create-database':
      return printCreateDatabase(statement)
    case 'drop-database':
      return `DROP DATABASE ${quoteIdentifier(statement.name)}`
    case 'create-retention-policy':
    case 'alter-retention-policy':
      return printPolicy(statement)
    case 'drop-retention-policy':
      return `DROP RETENTION POLICY ${printNameOn(statement)}`
    case 'create-user': {
      const name = quoteIdentifier(statement.name)
      const privileges = statement.admin ? ' WITH ALL PRIVILEGES' : ''
      return `CREATE USER ${name} WITH PASSWORD [REDACTED]${privileges}`
    }
    case 'drop-user':
      return `DROP USER ${quoteIdentifier(statement.name)}`
    case 'set-password':
      return `SET PASSWORD FOR ${quoteIdentifier(statement.name)} = [REDACTED]`
    case 'grant':
    case 'revoke':
      return printGrant(statement)
    case 'grant-admin':
      return `GRANT ALL PRIVILEGES TO ${quoteIdentifier(statement.user)}`
    case 'revoke-admin':
      return `REVOKE ALL PRIVILEGES FROM ${quoteIdentifier(statement.user)}`
    case 'create-continuous-query':
      return printContinuousQuery(statement)
    case 'drop-continuous-query':
      return `DROP CONTINUOUS QUERY ${printNameOn(statement)}`
    case 'create-subscription': {
      const destinations = statement.destinations.map(quoteString).join(', ')
      const name = `${printNameOn(statement)}.${quoteIdentifier(statement.policy)}`
      return `CREATE SUBSCRIPTION ${name} DESTINATIONS ${statement.mode} ${destinations}`
    }
    case 'drop-subscription':
      return `DROP SUBSCRIPTION ${printNameOn(statement)}.${quoteIdentifier(statement.policy)}`
    case 'kill-query': {
      const { id, host } = statement
      return `KILL QUERY ${id}${host === undefined ? '' : ` ON ${quoteIdentifier(host)}`}`
    }
  }
}

function printNameOn({ name, database }: { name: string; database: string }): string {
  return `${quoteIdentifier(name)} ON ${quoteIdentifier(database)}`
}

/** The member of the union that may be of this kind, also when it may be of another. */
type Of<Kind, S = ManageStatement> = S extends { kind: infer K }
  ? Kind extends K
    ? S
    : never
  : never

function printCreateDatabase({ name, policy }: Of<'create-database'>): string {
  const head = `CREATE DATABASE ${quoteIdentifier(name)}`
  if (policy === undefined) return head
  const { durationNs, replication, shardDurationNs } = policy
  return (
    `${head} WITH` +
    (durationNs === undefined ? '' : ` DURATION ${printGoDuration(durationNs)}`) +
    (replication === undefined ? '' : ` REPLICATION ${replication}`) +
    (shardDurationNs === undefined ? '' : ` SHARD DURATION ${printGoDuration(shardDurationNs)}`) +
    printWriteLimits(policy) +
    (policy.name === undefined ? '' : ` NAME ${quoteIdentifier(policy.name)}`)
  )
}

function printPolicy(statement: Of<'create-retention-policy'>): string {
  const { kind, options, isDefault } = statement
  const { durationNs, replication, shardDurationNs } = options
  const isCreate = kind === 'create-retention-policy'
  const hasShards = shardDurationNs !== undefined && !(isCreate && shardDurationNs === 0n)
  return (
    `${isCreate ? 'CREATE' : 'ALTER'} RETENTION POLICY ${printNameOn(statement)}` +
    (durationNs === undefined ? '' : ` DURATION ${printDuration(durationNs)}`) +
    (replication === undefined ? '' : ` REPLICATION ${replication}`) +
    (hasShards ? ` SHARD DURATION ${printDuration(shardDurationNs)}` : '') +
    (isDefault ? ' DEFAULT' : '') +
    printWriteLimits(options)
  )
}

function printWriteLimits({ futureLimitNs, pastLimitNs }: PolicyOptions): string {
  return (
    (futureLimitNs === undefined ? '' : ` FUTURE LIMIT ${printDuration(futureLimitNs)}`) +
    (pastLimitNs === undefined ? '' : ` PAST LIMIT ${printDuration(pastLimitNs)}`)
  )
}

function printGrant({ kind, privilege, database, user }: Of<'grant'>): string {
  const [verb, preposition] = kind === 'grant' ? ['GRANT', 'TO'] : ['REVOKE', 'FROM']
  const where = quoteIdentifier(database)
  return `${verb} ${privilege} ON ${where} ${preposition} ${quoteIdentifier(user)}`
}

function printContinuousQuery(statement: Of<'create-continuous-query'>): string {
  const { resampleEveryNs, resampleForNs, select } = statement
  const every = resampleEveryNs > 0n ? `EVERY ${printDuration(resampleEveryNs)} ` : ''
  const until = resampleForNs > 0n ? `FOR ${printDuration(resampleForNs)} ` : ''
  const resample = every + until === '' ? '' : `RESAMPLE ${every}${until}`
  const head = `CREATE CONTINUOUS QUERY ${printNameOn(statement)}`
  return `${head} ${resample}BEGIN ${printSelect(select)} END`
}
