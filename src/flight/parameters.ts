// Parameters of prepared statements: found in the text, and read from the Arrow stream that a client binds.
// Arrow's own library reads that stream, loaded when the first one comes.

import { UserError } from '../errors.js'
import { type ArrowSchema, arrowSchema, utf8 } from '../result/arrow-schema.js'
import type { Parameter } from './caller.js'
import type { FlightData } from './messages.js'

/** Quoted texts and comments, in which nothing is a placeholder, or a placeholder. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w+)/g

export function placeholdersOf(query: string): string[] {
  const names = new Set<string>()
  for (const [, name] of query.matchAll(tokens)) if (name !== undefined) names.add(name)
  return [...names]
}

/** Their types follow from where they stand, which only the language knows: texts fit everywhere. */
export function parameterSchema(query: string): ArrowSchema {
  const names = placeholdersOf(query)
  return arrowSchema(names.map((name) => ({ name: `$${name}`, type: utf8, isNullable: true })))
}

/** The messages of a stream as a file of Arrow's streaming format. */
export function streamBytes(messages: readonly FlightData[]): Buffer {
  const parts: Uint8Array[] = []
  for (const { header, body } of messages) {
    if (header.length === 0) continue
    const padding = -header.length & 7
    const prefix = Buffer.alloc(8)
    prefix.writeUInt32LE(0xffffffff, 0)
    prefix.writeUInt32LE(header.length + padding, 4)
    parts.push(prefix, header, new Uint8Array(padding), body)
  }
  return Buffer.concat(parts)
}

/** Named as their columns are, and also by their places, counted from 1. */
export async function readParameters(stream: Uint8Array): Promise<Map<string, Parameter>> {
  const params = new Map<string, Parameter>()
  if (stream.length === 0) return params
  const { tableFromIPC } = await import('apache-arrow')
  const table = readTable(() => tableFromIPC(stream))
  if (table.numRows > 1) throw badParameters('there is more than one row')
  if (table.numRows === 0) return params
  for (const [i, field] of table.schema.fields.entries()) {
    const value: unknown = table.getChildAt(i)?.get(0) ?? null
    if (!isPlain(value)) throw badParameters(`type ${field.type} is not supported`)
    const name = field.name.replace(/^\$/, '')
    if (name !== '') params.set(name, value)
    if (!params.has(String(i + 1))) params.set(String(i + 1), value)
  }
  return params
}

function readTable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw badParameters((error as Error).message)
  }
}

function badParameters(reason: string): UserError {
  return new UserError('invalid', `cannot read the parameters: ${reason}`)
}

function isPlain(value: unknown): value is Parameter {
  return value === null || ['boolean', 'number', 'bigint', 'string'].includes(typeof value)
}
