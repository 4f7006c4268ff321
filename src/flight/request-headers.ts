// What a call says beside its message: the credential, the database, how tables are to be called. Reads
// them as the v3 products do; who somebody is and what there is are judged by others.

import type { Metadata } from '@grpc/grpc-js'
import { UserError } from '../errors.js'
import type { BaseTableType } from './catalog-answers.js'

/** A header sent several times arrives as one, joined by commas: where all parts are the same, that is meant. */
export function headerText(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name)
  if (typeof value !== 'string' || value === '') return undefined
  const parts = new Set(value.split(', '))
  const [first] = parts
  return parts.size === 1 ? first : value
}

const databaseHeaders = ['database', 'bucket', 'bucket-name', 'iox-namespace-name']

export function databaseHeader(metadata: Metadata): string {
  const given = databaseHeaders.filter((name) => headerText(metadata, name) !== undefined)
  const values = new Set(given.map((name) => headerText(metadata, name)))
  const [database] = values
  if (database === undefined) throw new UserError('invalid', `no 'database' header in request`)
  if (values.size > 1) {
    const names = given.map((name) => `"${name}"`).join(', ')
    const text = `More than one headers are found in request: [${names}]`
    throw new UserError('invalid', `${text}. Please include only one of them`)
  }
  return database
}

export function baseTableType(metadata: Metadata): BaseTableType {
  const asked = headerText(metadata, 'x-influxdata-base-table-type')
  return asked === 'TABLE' ? 'TABLE' : 'BASE TABLE'
}

/**
 * The header that a handshake is answered with: the token of the request, whoever it belongs to. It is checked where it
 * is used.
 */
export function handshakeCredential(metadata: Metadata): string | undefined {
  const given = headerText(metadata, 'authorization')
  const [scheme, value] = given?.split(' ', 2) ?? []
  if (value === undefined) return undefined
  if (scheme === 'Bearer' || scheme === 'Token') return `Bearer ${value}`
  if (scheme !== 'Basic') return undefined
  const pair = Buffer.from(value, 'base64').toString()
  const token = pair.slice(pair.indexOf(':') + 1)
  return /^[\x21-\x7e]+$/.test(token) ? `Bearer ${token}` : undefined
}
