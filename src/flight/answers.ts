// What commands and queries are answered with, whichever call brings them: metadata as a whole, results of
// queries as a stream. Also their schemas alone, which clients ask for before they fetch the rows.

import type { Metadata } from '@grpc/grpc-js'
import { UserError } from '../errors.js'
import { type ArrowPart, arrowSchemaOf, encodeArrow } from '../result/arrow-results.js'
import { type ArrowSchema, arrowSchema } from '../result/arrow-schema.js'
import {
  catalogsAnswer,
  keysAnswer,
  schemasAnswer,
  tablesAnswer,
  tableTypesAnswer,
  typeInfoAnswer,
} from './catalog-answers.js'
import type { NamedCommand } from './commands.js'
import type { FixedAnswer } from './fixed-answer.js'
import type { Asker, FlightQuery, OpenQuery } from './gateway.js'
import { placeholdersOf, readParameters } from './parameters.js'
import { baseTableType } from './request-headers.js'
import { sqlInfoAnswer } from './sql-info.js'

/** Where an answer comes from: who asks, of which database, with which headers. */
export interface AnswerScope {
  readonly asker: Asker
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
    case 'catalogs':
      return fixed(catalogsAnswer())
    case 'schemas':
      return fixed(schemasAnswer(command.catalog, command.pattern))
    case 'tables': {
      const { asker, database, metadata } = scope
      const tables = await asker.tables(database, command.filter.hasSchemas)
      return fixed(tablesAnswer(command.filter, tables, baseTableType(metadata)))
    }
    case 'table-types':
      return fixed(tableTypesAnswer(baseTableType(scope.metadata)))
    case 'sql-info':
      return fixed(sqlInfoAnswer(command.ids))
    case 'type-info':
      return fixed(typeInfoAnswer(command.dataType))
    case 'primary-keys':
    case 'foreign-keys':
      return fixed(keysAnswer(command.kind))
    case 'create-prepared-statement':
    case 'close-prepared-statement':
      throw new UserError('invalid', `${name} cannot be used with ${method}`)
    case 'unsupported':
      throw new UserError('not implemented', `${name} is not supported`)
  }
}

function fixed(answer: FixedAnswer): Answer {
  return { kind: 'fixed', answer }
}

function sqlAnswer(scope: AnswerScope, text: string, params: FlightQuery['params'] = new Map()) {
  const { database } = scope
  return { kind: 'query', query: { language: 'sql', database, text, params } } as const
}

/** Takes part of the work of the query: languages tell their columns with their first rows. */
export async function answerSchema(scope: AnswerScope, answer: Answer): Promise<ArrowSchema> {
  if (answer.kind === 'fixed') return answer.answer.schema
  const open = await scope.asker.open(answer.query)
  try {
    return await arrowSchemaOf(open.pieces, shapeKind(answer.query))
  } finally {
    open.stop(new UserError('invalid', 'query interrupted'))
    open.end()
  }
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

export async function* fixedParts({ schema, batch }: FixedAnswer): AsyncGenerator<ArrowPart> {
  yield { kind: 'schema', schema }
  if (batch.rowCount > 0) yield { kind: 'batch', batch }
}

export function queryParts(open: OpenQuery, query: FlightQuery): AsyncGenerator<ArrowPart> {
  return encodeArrow(open.pieces, shapeKind(query))
}

function shapeKind({ language }: FlightQuery): 'groups' | 'rows' {
  return language === 'influxql' ? 'groups' : 'rows'
}
