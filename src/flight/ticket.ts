// Tickets: what a client wants to be sent. Those of the v3 clients are JSON or a ReadInfo message with the
// query itself; those of Flight SQL were made here, and hold the command that they stand for.

import { UserError } from '../errors.js'
import { JsonNumber, JsonSyntaxError, parseJson } from '../query/json-text.js'
import type { FlightQuery, Parameter } from './caller.js'
import {
  bytesField,
  type FieldValue,
  MessageWriter,
  numberField,
  readFields,
  textField,
  textOf,
} from './protobuf.js'

export type Ticket =
  | { readonly kind: 'query'; readonly query: FlightQuery }
  | { readonly kind: 'command'; readonly database: string; readonly command: Uint8Array }

const readInfoType = 'type.googleapis.com/influxdata.iox.querier.v1.ReadInfo'
const queryTypes = { unspecified: 0n, sql: 1n, influxql: 2n, flightSql: 3n } as const

/** Throws UserError where the bytes are none of the three forms. */
export function readTicketContent(bytes: Uint8Array): Ticket {
  if (bytes[0] === 0x7b) return readJson(bytes)
  try {
    return readInfo(anyContent(bytes) ?? bytes)
  } catch (error) {
    if (error instanceof TicketError) throw error
    throw invalidTicket('it is neither JSON nor a ReadInfo message')
  }
}

/** A ticket that could be read, and asks for something that there is not. */
class TicketError extends UserError {}

function invalidTicket(reason: string): UserError {
  return new UserError('invalid', `Invalid ticket. Error: ${reason}`)
}

export function commandTicket(database: string, command: Uint8Array): Buffer {
  const info = new MessageWriter()
    .text(1, database)
    .number(3, queryTypes.flightSql)
    .bytes(4, command)
    .finish()
  return new MessageWriter().text(1, readInfoType).bytes(2, info).finish()
}

function anyContent(bytes: Uint8Array): Uint8Array | undefined {
  const fields = readFields(bytes)
  const [type] = fields
  const isAny = type?.field === 1 && type.kind === 'bytes' && textOf(type.value) === readInfoType
  return isAny ? bytesField(fields, 2) : undefined
}

function readInfo(bytes: Uint8Array): Ticket {
  const fields = readFields(bytes)
  const database = textField(fields, 1)
  const type = numberField(fields, 3)
  if (database === '') throw new TicketError('invalid', 'Invalid ticket. Error: no database')
  if (type === queryTypes.flightSql) {
    return { kind: 'command', database, command: bytesField(fields, 4) }
  }
  if (type > queryTypes.flightSql) throw unknownQueryType(String(type))
  const language = type === queryTypes.influxql ? 'influxql' : 'sql'
  const params = new Map<string, Parameter>()
  for (const field of fields) {
    if (field.field !== 6 || field.kind !== 'bytes') continue
    const parameter = readFields(field.value)
    params.set(textField(parameter, 1), parameterValue(parameter))
  }
  const query = { language, database, text: textField(fields, 2), params } as const
  return { kind: 'query', query }
}

function parameterValue(fields: readonly FieldValue[]): Parameter {
  const value = fields.findLast(({ field }) => field >= 2)
  if (value === undefined) return null
  if (value.field === 3 && value.kind === 'number') return value.value !== 0n
  if (value.field === 4 && value.kind === 'number') return value.value
  if (value.field === 5 && value.kind === 'number') return BigInt.asIntN(64, value.value)
  if (value.field === 6 && value.kind === 'fixed64') return doubleOf(value.value)
  if (value.field === 7 && value.kind === 'bytes') return textOf(value.value)
  return null
}

function doubleOf(bits: bigint): number {
  return new Float64Array(BigUint64Array.of(bits).buffer)[0]
}

const databaseKeys = ['database', 'namespace_name', 'bucket', 'bucket-name']

function readJson(bytes: Uint8Array): Ticket {
  const ticket = parseObject(textOf(bytes))
  const database = databaseKeys.map((key) => ticket.get(key)).find((name) => name !== undefined)
  const text = ticket.get('sql_query')
  const type = ticket.get('query_type') ?? 'sql'
  if (typeof database !== 'string' || database === '') throw invalidTicket('no database')
  if (typeof text !== 'string') throw invalidTicket('no sql_query')
  if (type !== 'sql' && type !== 'influxql') throw unknownQueryType(String(type))
  const params = jsonParams(ticket.get('params') ?? new Map())
  return { kind: 'query', query: { language: type, database, text, params } }
}

function parseObject(text: string): ReadonlyMap<string, unknown> {
  try {
    const json = parseJson(text)
    if (json instanceof Map) return json
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw invalidTicket(error.message)
  }
  throw invalidTicket('it is no JSON object')
}

function unknownQueryType(type: string): UserError {
  const text = `Unknown query type. Expected 'sql' or 'influxql', got ${type}`
  return new TicketError('invalid', text)
}

function jsonParams(params: unknown): ReadonlyMap<string, Parameter> {
  if (!(params instanceof Map)) throw invalidTicket('params must be an object')
  const plain = new Map<string, Parameter>()
  for (const [name, value] of params as Map<string, unknown>)
    plain.set(name, plainValue(name, value))
  return plain
}

/** Whole numbers stay exact: moments in nanoseconds are beyond what a float64 tells apart. */
function plainValue(name: string, value: unknown): Parameter {
  if (value instanceof JsonNumber) {
    const isWhole = /^-?\d{1,19}$/.test(value.text)
    return isWhole ? BigInt(value.text) : Number(value.text)
  }
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
  throw invalidTicket(`parameter ${name} must be a plain value`)
}
