// CREATE CONTINUOUS QUERY: the statement is kept as a text in which every measurement has its
// database and policy, so that it means the same later, whatever the defaults are then.

import { UserError } from '../../errors.js'
import type { InfluxqlScope } from '../scope/scope.js'
import type { ManageStatement, MeasurementSource, Select, Source } from '../syntax/ast.js'
import { printStatement } from '../syntax/printer.js'

type CreateContinuousQuery = Extract<ManageStatement, { kind: 'create-continuous-query' }>

export async function createContinuousQuery(
  statement: CreateContinuousQuery,
  scope: InfluxqlScope,
): Promise<void> {
  const { database, name } = statement
  const text = printStatement(await continuousQueryInFull(statement, scope))
  await scope.databases.createContinuousQuery({ database, name, text })
}

export async function continuousQueryInFull(
  statement: CreateContinuousQuery,
  scope: InfluxqlScope,
): Promise<CreateContinuousQuery> {
  return { ...statement, select: await selectInFull(statement.select, statement.database, scope) }
}

/** Every measurement with its database and policy; `database` is where those are that nobody places. */
export async function selectInFull(
  select: Select,
  database: string,
  scope: InfluxqlScope,
): Promise<Select> {
  const target =
    select.target === undefined
      ? undefined
      : await measurementInFull(select.target, database, scope)
  const sources: Source[] = []
  for (const source of select.sources) {
    sources.push(
      source.kind === 'measurement'
        ? await measurementInFull(source, database, scope)
        : { ...source, select: await selectInFull(source.select, database, scope) },
    )
  }
  return { ...select, ...(target === undefined ? {} : { target }), sources }
}

async function measurementInFull(
  source: MeasurementSource,
  own: string,
  scope: InfluxqlScope,
): Promise<MeasurementSource> {
  // The request's database comes before that of the continuous query.
  const database = source.database ?? scope.database ?? own
  const policies = await scope.databases.policies(database)
  const policy =
    source.policy ?? scope.policy ?? policies.find((candidate) => candidate.isDefault)?.name
  if (policy === undefined) {
    throw new UserError('invalid', `default retention policy not set for: ${database}`)
  }
  if (!policies.some(({ name }) => name === policy)) {
    throw new UserError('not found', `retention policy not found: ${database}.${policy}`)
  }
  // It runs on its own later: whether its maker may is judged now.
  await scope.databases.bucket(database, policy, source.isTarget === true ? 'write' : 'read')
  return { ...source, database, policy }
}
