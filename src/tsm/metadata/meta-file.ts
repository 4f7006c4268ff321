// What InfluxDB 1.x knows beside its points: databases, retention policies, shards, continuous queries, subscriptions
// and users. `meta.db` is one protobuf message; the `.meta` file of a portable backup has the same message as its
// field 1. InfluxDB 2.x keeps the message in its key-value file, with the ids of buckets as names of databases.

import { CorruptionError } from '../../errors.js'
import { DamageError } from '../encoding/damage.js'
import { type ProtobufField, readMessage, signed, textOf } from './protobuf-reader.js'

export interface MetaShard {
  readonly id: string
  /** Half open. */
  readonly start: bigint
  readonly stop: bigint
}

export interface MetaPolicy {
  readonly name: string
  /** 0n: for ever. */
  readonly durationNs: bigint
  readonly shardDurationNs: bigint
  readonly replication: number
  readonly shards: readonly MetaShard[]
}

export interface MetaDatabase {
  readonly name: string
  readonly defaultPolicy: string
  readonly policies: readonly MetaPolicy[]
  /** Whole statements. */
  readonly continuousQueries: readonly { readonly name: string; readonly text: string }[]
}

export interface MetaUser {
  readonly name: string
  /** bcrypt. */
  readonly hash: string
  readonly isAdmin: boolean
  readonly grants: readonly { readonly database: string; readonly privilege: MetaPrivilege }[]
}

export type MetaPrivilege = 'READ' | 'WRITE' | 'ALL'

export interface MetaData {
  readonly databases: readonly MetaDatabase[]
  readonly users: readonly MetaUser[]
}

const privileges: readonly (MetaPrivilege | undefined)[] = [undefined, 'READ', 'WRITE', 'ALL']

/** Throws CorruptionError. */
export function readMetaFile(name: string, bytes: Uint8Array): MetaData {
  return named(name, () => readData(bytes))
}

/** The `.meta` file of a portable backup. */
export function readPortableMeta(name: string, bytes: Uint8Array): MetaData {
  return named(name, () => {
    for (const field of readMessage(bytes)) if (field.number === 1) return readData(field.bytes)
    throw new DamageError('it has no metadata')
  })
}

function named<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof DamageError)) throw error
    throw new CorruptionError(name, 0, `metadata: ${error.message}`)
  }
}

function readData(bytes: Uint8Array): MetaData {
  const databases: MetaDatabase[] = []
  const users: MetaUser[] = []
  for (const field of readMessage(bytes)) {
    if (field.number === 5) databases.push(readDatabase(field.bytes))
    if (field.number === 6) users.push(readUser(field.bytes))
  }
  return { databases, users }
}

function readDatabase(bytes: Uint8Array): MetaDatabase {
  const fields = [...readMessage(bytes)]
  return {
    name: text(fields, 1),
    defaultPolicy: text(fields, 2),
    policies: all(fields, 3).map(readPolicy),
    continuousQueries: all(fields, 4).map((query) => {
      const parts = [...readMessage(query)]
      return { name: text(parts, 1), text: text(parts, 2) }
    }),
  }
}

function readPolicy(bytes: Uint8Array): MetaPolicy {
  const fields = [...readMessage(bytes)]
  return {
    name: text(fields, 1),
    durationNs: number(fields, 2),
    shardDurationNs: number(fields, 3),
    replication: Number(number(fields, 4)),
    shards: all(fields, 5).flatMap(readGroup),
  }
}

/** A group that was deleted is a mark that stays for some weeks. */
function readGroup(bytes: Uint8Array): MetaShard[] {
  const fields = [...readMessage(bytes)]
  // Moments are nanoseconds; "not deleted" is 0, or the first moment of Go's years in older files.
  if (number(fields, 4) > 0n) return []
  const [start, stop] = [number(fields, 2), number(fields, 3)]
  return all(fields, 5).map((shard) => {
    const id = String(number([...readMessage(shard)], 1))
    return { id, start, stop }
  })
}

function readUser(bytes: Uint8Array): MetaUser {
  const fields = [...readMessage(bytes)]
  const grants = all(fields, 4).flatMap((grant) => {
    const parts = [...readMessage(grant)]
    const privilege = privileges[Number(number(parts, 2))]
    return privilege === undefined ? [] : [{ database: text(parts, 1), privilege }]
  })
  return { name: text(fields, 1), hash: text(fields, 2), isAdmin: number(fields, 3) !== 0n, grants }
}

function all(fields: readonly ProtobufField[], wanted: number): Uint8Array[] {
  return fields.filter((field) => field.number === wanted).map((field) => field.bytes)
}

function text(fields: readonly ProtobufField[], wanted: number): string {
  const found = fields.find((field) => field.number === wanted)
  return found === undefined ? '' : textOf(found.bytes)
}

function number(fields: readonly ProtobufField[], wanted: number): bigint {
  const found = fields.find((field) => field.number === wanted)
  return found === undefined ? 0n : signed(found.value)
}
