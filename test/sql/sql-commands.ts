// The commands of the text cases under corpus/sql, carried out on an engine.
//
//   write [precision=s]                                    input: line protocol
//   generate measurement=m series=2 rows=1000 [step=10]    rows enough for several blocks, by formula
//   query [params="{…}"]                                   input: SQL; output: a line of names and one for each row
//   reads                                                  input: SQL; output: what is read of the store for it
//
// It is always 2022-01-01T11:00:00Z.

import { UserError } from '../../src/errors.js'
import type { Precision } from '../../src/line-protocol/parser.js'
import type { ResultBatch } from '../../src/query/language.js'
import { parseParameters } from '../../src/query/parameters.js'
import type { SqlScope } from '../../src/sql/plan/scope.js'
import type { DataDrivenCase } from '../datadriven.js'
import { generatedLines, writeText } from '../influxql/query-commands.js'
import type { EngineState, EngineWorld } from '../store/engine-states.js'
import { ask, batches, linesOf, now, sql, testBucket, testScope } from './run-sql.js'

/** Optimisations that can be switched off. */
export type Switches = Pick<SqlScope, 'answersDirectly' | 'pushesAggregates' | 'streamsTables'>

/** Is shown what a query gives. */
export type Look = (c: DataDrivenCase, scope: SqlScope, given: ResultBatch) => Promise<void>

/** Carries out one case, in one state; its output. */
export async function runSqlCommand(
  world: EngineWorld,
  state: EngineState,
  c: DataDrivenCase,
  switches: Switches = {},
  look?: Look,
): Promise<string> {
  world.clock.set(now)
  const output = await perform(world, c, switches, look)
  if (c.command === 'write' || c.command === 'generate') await state.afterChange?.(world)
  await state.afterCommand?.(world)
  return output
}

async function perform(
  world: EngineWorld,
  c: DataDrivenCase,
  switches: Switches,
  look: Look | undefined,
): Promise<string> {
  const store = world.engine
  switch (c.command) {
    case 'write': {
      const precision = (c.args.get('precision')?.[0] ?? 's') as Precision
      await writeText(world, testBucket, c.input, precision)
      return ''
    }
    case 'generate':
      await writeText(world, testBucket, generatedLines(c.args), 's')
      return ''
    case 'query':
      return answer(c, testScope({ store, ...switches }), look)
    case 'reads':
      // How a statement is carried out is not the same with something switched off.
      return reads(c.input, testScope({ store, answersDirectly: false }))
    default:
      throw new Error(`unknown command ${c.command}`)
  }
}

function valuesOf(c: DataDrivenCase): ReadonlyMap<string, unknown> | undefined {
  const params = c.args.get('params')?.[0]
  return params === undefined ? undefined : parseParameters(params)
}

async function answer(c: DataDrivenCase, scope: SqlScope, look: Look | undefined): Promise<string> {
  try {
    const found = await batches(c.input, scope, undefined, undefined, valuesOf(c))
    await look?.(c, scope, found[0])
    return linesOf(found).join('\n')
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return `error, ${error.code}: ${error.message}`
  }
}

async function reads(text: string, scope: SqlScope): Promise<string> {
  const plan = await ask(`EXPLAIN ${text}`, scope)
  const found = plan.find((line) => line.startsWith('store_reads | '))
  return found?.slice('store_reads | '.length) ?? 'nothing'
}

/** The columns of a query as they are told before it runs, and as it gives them. */
export async function columnsOf(c: DataDrivenCase, scope: SqlScope, given: ResultBatch) {
  const { signal } = new AbortController()
  const told = await sql.prepare(c.input, { values: valuesOf(c) }).describe!(scope, signal)
  return [told!, given].map(({ columnNames, columns, columnRoles }) => ({
    columnNames,
    types: columns.map(({ type }) => type),
    columnRoles,
  }))
}
