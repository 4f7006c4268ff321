// What commands and queries are answered with, whichever call brings them: metadata as a whole, results of
// queries as a stream. Also their schemas alone, which clients ask for before they fetch the rows.

import type { Metadata } from '@grpc/grpc-js'
import { UserError } from '../errors.js'
import { encodeResultsAs, withColumns } from '../result/answer-form.js'
import { arrowSchemaOf, encodeArrow } from '../result/arrow-results.js'
import { type ArrowSchema, arrowSchema } from '../result/arrow-schema.js'
import { shapeOf } from '../result/arrow-shape.js'
import type { QueryRun } from '../service/query/query-run.js'
import type { FlightPart } from './answer-stream.js'
import type { Caller, FlightQuery } from './caller.js'
import {
  catalogsAnswer,
  keysAnswer,
  schemasAnswer,
  tablesAnswer,
  tableTypesAnswer,
  typeInfoAnswer,
} from './catalog-answers.js'
import type { Command, KeysKind, NamedCommand } from './commands.js'
import type { FixedAnswer } from './fixed-answer.js'
import { ipcParts } from './ipc-messages.js'
import { placeholdersOf, readParameters } from './parameters.js'
import { baseTableType } from './request-headers.js'
import { sqlInfoAnswer } from './sql-info.js'

/** Where an answer comes from: who asks, of which database, with which headers. */
export interface AnswerScope {
  readonly caller: Caller
  readonly database: string
  readonly metadata: Metadata
}

export type Answer =
  | { readonly kind: 'fixed'; readonly answer: FixedAnswer }
  | { readonly kind: 'query'; readonly query: FlightQuery }

/** `method`: the call that brought the command, for those that do not belong there. */
export async function answerTo(
  scope: AnswerScope,
  { name, command }: NamedCommand,
  method: string,
): Promise<Answer> {
  switch (command.kind) {
    case 'statement':
      return sqlAnswer(scope, command.query)
    case 'prepared-statement': {
      const { query, params } = command.statement
      return sqlAnswer(scope, query, await readParameters(params))
    }
    case 'tables': {
      const { caller, database, metadata } = scope
      const tables = await caller.tables(database, command.filter.hasSchemas)
      return fixed(tablesAnswer(command.filter, tables, baseTableType(metadata)))
    }
    case 'catalogs':
    case 'schemas':
    case 'table-types':
    case 'sql-info':
    case 'type-info':
    case 'primary-keys':
    case 'foreign-keys':
      // The same for every database, but only told to those who may read the one they name.
      await scope.caller.requireDatabase(scope.database)
      return fixed(sameAnswer(command, scope))
    case 'create-prepared-statement':
    case 'close-prepared-statement':
      throw new UserError('invalid', `${name} cannot be used with ${method}`)
    case 'unsupported':
      throw new UserError('not implemented', `${name} is not supported`)
  }
}

type SameCommand = Extract<
  Command,
  { kind: 'catalogs' | 'schemas' | 'table-types' | 'sql-info' | 'type-info' | KeysKind }
>

function sameAnswer(command: SameCommand, { metadata }: AnswerScope): FixedAnswer {
  switch (command.kind) {
    case 'catalogs':
      return catalogsAnswer()
    case 'schemas':
      return schemasAnswer(command.catalog, command.pattern)
    case 'table-types':
      return tableTypesAnswer(baseTableType(metadata))
    case 'sql-info':
      return sqlInfoAnswer(command.ids)
    case 'type-info':
      return typeInfoAnswer(command.dataType)
    case 'primary-keys':
    case 'foreign-keys':
      return keysAnswer(command.kind)
  }
}

function fixed(answer: FixedAnswer): Answer {
  return { kind: 'fixed', answer }
}

function sqlAnswer(scope: AnswerScope, text: string, params: FlightQuery['params'] = new Map()) {
  const { database } = scope
  return { kind: 'query', query: { language: 'sql', database, text, params } } as const
}

/** Where the language does not tell them alone, its columns are those of its first rows. */
export async function answerSchema(scope: AnswerScope, answer: Answer): Promise<ArrowSchema> {
  if (answer.kind === 'fixed') return answer.answer.schema
  const { query } = answer
  const open = await scope.caller.open(query)
  try {
    return (
      (await earlySchema(open, query)) ?? (await arrowSchemaOf(withColumns(open), shapeKind(query)))
    )
  } finally {
    open.stop(new UserError('invalid', 'query interrupted'))
    open.end()
  }
}

/** Undefined: it can only be told with the rows. */
export async function earlySchema(
  open: QueryRun,
  query: FlightQuery,
): Promise<ArrowSchema | undefined> {
  const columns = await open.describe()
  return columns && shapeOf(columns, shapeKind(query)).schema
}

/** Of a statement whose parameters are not bound yet; without columns where that cannot be told. */
export async function unboundSchema(scope: AnswerScope, text: string): Promise<ArrowSchema> {
  const names = placeholdersOf(text)
  const params = new Map(names.map((name) => [name, null]))
  try {
    return await answerSchema(scope, sqlAnswer(scope, text, params))
  } catch (error) {
    if (names.length === 0 || !(error instanceof UserError) || error.code !== 'invalid') throw error
    return arrowSchema([])
  }
}

export async function* fixedParts({ schema, batch }: FixedAnswer): AsyncGenerator<FlightPart> {
  yield { kind: 'schema', schema }
  if (batch.rowCount > 0) yield { kind: 'batch', batch }
}

/** Encoded where the query runs: one that is to run elsewhere has only begun here. */
export async function* queryParts(
  open: QueryRun,
  query: FlightQuery,
): AsyncGenerator<FlightPart, void, void> {
  open.mayMove()
  const own = encodeArrow(withColumns(open), shapeKind(query))
  try {
    for await (const part of own) {
      if (open.isMoving) break
      open.stays()
      yield part
    }
  } catch (error) {
    if (!open.isMoving) throw error
  }
  if (!open.isMoving) return
  const form = { kind: 'v3', format: 'arrow', isGrouped: query.language === 'influxql' } as const
  yield* ipcParts(await open.move(form, () => encodeResultsAs(form, open, told)))
}

/** Failures of a stream of Arrow break it off. */
const told = ({ message }: Error) => message

function shapeKind({ language }: FlightQuery): 'groups' | 'rows' {
  return language === 'influxql' ? 'groups' : 'rows'
}
