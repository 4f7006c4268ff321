// The commands of Flight SQL (arrow.flight.protocol.sql): messages in an Any that names their type. Reads
// them into a closed union; a command that there is no support for is one of its members, so that it can be
// refused by name.

import { UserError } from '../errors.js'
import {
  bytesField,
  type FieldValue,
  MessageWriter,
  readFields,
  textField,
  textFieldIfAny,
  textOf,
} from './protobuf.js'

const typePrefix = 'type.googleapis.com/arrow.flight.protocol.sql.'

/** What a prepared statement is: its handle says all, so that every process can go on with it. */
export interface PreparedStatement {
  readonly query: string
  /** An Arrow IPC stream with one row; empty: nothing is bound. */
  readonly params: Uint8Array
}

export interface TablesFilter {
  readonly catalog: string | undefined
  readonly schemaPattern: string | undefined
  readonly tablePattern: string | undefined
  /** Empty: all. */
  readonly tableTypes: readonly string[]
  readonly hasSchemas: boolean
}

export type KeysKind = 'primary-keys' | 'foreign-keys'

export type Command =
  | { readonly kind: 'statement'; readonly query: string }
  | { readonly kind: 'prepared-statement'; readonly statement: PreparedStatement }
  | { readonly kind: 'catalogs' | 'table-types' | KeysKind }
  | {
      readonly kind: 'schemas'
      readonly catalog: string | undefined
      readonly pattern: string | undefined
    }
  | { readonly kind: 'tables'; readonly filter: TablesFilter }
  | { readonly kind: 'sql-info'; readonly ids: readonly number[] }
  | { readonly kind: 'type-info'; readonly dataType: number | undefined }
  | { readonly kind: 'create-prepared-statement'; readonly query: string }
  | { readonly kind: 'close-prepared-statement' }
  | { readonly kind: 'unsupported' }

export interface NamedCommand {
  /** As the protocol calls it. */
  readonly name: string
  readonly command: Command
}

export function readCommand(bytes: Uint8Array): NamedCommand {
  const any = readFields(bytes)
  const type = textField(any, 1)
  if (!type.startsWith(typePrefix)) {
    throw new UserError('invalid', `Unknown Flight SQL command: "${type}"`)
  }
  const name = type.slice(typePrefix.length)
  return { name, command: commandOf(name, readFields(bytesField(any, 2))) }
}

export function anyMessage(name: string, content: Uint8Array): Buffer {
  return new MessageWriter()
    .text(1, typePrefix + name)
    .bytes(2, content)
    .finish()
}

function commandOf(name: string, fields: readonly FieldValue[]): Command {
  switch (name) {
    case 'CommandStatementQuery':
      return { kind: 'statement', query: textField(fields, 1) }
    case 'CommandPreparedStatementQuery':
      return { kind: 'prepared-statement', statement: readHandle(bytesField(fields, 1)) }
    case 'CommandGetCatalogs':
      return { kind: 'catalogs' }
    case 'CommandGetDbSchemas':
      return {
        kind: 'schemas',
        catalog: textFieldIfAny(fields, 1),
        pattern: textFieldIfAny(fields, 2),
      }
    case 'CommandGetTables':
      return { kind: 'tables', filter: tablesFilter(fields) }
    case 'CommandGetTableTypes':
      return { kind: 'table-types' }
    case 'CommandGetSqlInfo':
      return { kind: 'sql-info', ids: numbersOf(fields, 1) }
    case 'CommandGetXdbcTypeInfo':
      return { kind: 'type-info', dataType: numbersOf(fields, 1).at(-1) }
    case 'CommandGetPrimaryKeys':
      return { kind: 'primary-keys' }
    case 'CommandGetExportedKeys':
    case 'CommandGetImportedKeys':
    case 'CommandGetCrossReference':
      return { kind: 'foreign-keys' }
    case 'ActionCreatePreparedStatementRequest':
      return { kind: 'create-prepared-statement', query: textField(fields, 1) }
    case 'ActionClosePreparedStatementRequest':
      return { kind: 'close-prepared-statement' }
    default:
      return { kind: 'unsupported' }
  }
}

function tablesFilter(fields: readonly FieldValue[]): TablesFilter {
  const types = fields.filter(({ field }) => field === 4)
  return {
    catalog: textFieldIfAny(fields, 1),
    schemaPattern: textFieldIfAny(fields, 2),
    tablePattern: textFieldIfAny(fields, 3),
    tableTypes: types.map((type) => (type.kind === 'bytes' ? textOf(type.value) : '')),
    hasSchemas: numbersOf(fields, 5).at(-1) === 1,
  }
}

/** Repeated numbers come one by one or packed into bytes. */
function numbersOf(fields: readonly FieldValue[], field: number): number[] {
  const numbers: number[] = []
  for (const each of fields) {
    if (each.field !== field) continue
    if (each.kind === 'number') numbers.push(Number(BigInt.asIntN(32, each.value)))
    else if (each.kind === 'bytes') numbers.push(...packedNumbers(each.value))
  }
  return numbers
}

function packedNumbers(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let value = 0
  let scale = 1
  for (const byte of bytes) {
    value += (byte & 0x7f) * scale
    scale *= 128
    if (byte >= 0x80) continue
    numbers.push(value)
    value = 0
    scale = 1
  }
  return numbers
}

export function handleBytes({ query, params }: PreparedStatement): Buffer {
  return new MessageWriter().text(1, query).bytes(2, params).finish()
}

function readHandle(bytes: Uint8Array): PreparedStatement {
  const fields = readFields(bytes)
  return { query: textField(fields, 1), params: bytesField(fields, 2) }
}
