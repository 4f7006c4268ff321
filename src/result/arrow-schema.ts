// Schemas of Arrow's IPC format: what the columns of a result are called and what they hold, as the
// message that goes before all rows. The numbers of slots and types are those of Arrow's Message.fbs and
// Schema.fbs, version 5 of its metadata.

import { FlatBuffer, type Place, type TableField } from './arrow-flatbuffer.js'

export type ArrowType =
  | { readonly kind: 'utf8' | 'binary' | 'boolean' | 'float64' | 'list' | 'struct' | 'map' }
  | { readonly kind: 'integer'; readonly bits: 8 | 32 | 64; readonly isSigned: boolean }
  /** In nanoseconds. Without a zone the moments are told in UTC. */
  | { readonly kind: 'timestamp'; readonly zone: string | undefined }
  /** Dense; the type ids of its children are their positions. */
  | { readonly kind: 'union' }
  /** Run-end encoded: its children are where runs end (the row behind each) and what their rows have. */
  | { readonly kind: 'runs' }

export interface ArrowField {
  readonly name: string
  readonly type: ArrowType
  readonly isNullable: boolean
  readonly children?: readonly ArrowField[]
  readonly metadata?: ReadonlyMap<string, string> | undefined
}

export interface ArrowSchema {
  readonly fields: readonly ArrowField[]
  readonly metadata: ReadonlyMap<string, string>
}

const noMetadata: ReadonlyMap<string, string> = new Map()

export function arrowSchema(
  fields: readonly ArrowField[],
  metadata: ReadonlyMap<string, string> = noMetadata,
): ArrowSchema {
  return { fields, metadata }
}

export const utf8: ArrowType = { kind: 'utf8' }
export const int64: ArrowType = { kind: 'integer', bits: 64, isSigned: true }
export const uint64: ArrowType = { kind: 'integer', bits: 64, isSigned: false }
export const int32: ArrowType = { kind: 'integer', bits: 32, isSigned: true }
export const uint32: ArrowType = { kind: 'integer', bits: 32, isSigned: false }

const metadataVersion5 = 4
export const headerTypes = { schema: 1, recordBatch: 3 } as const

/** A Message table around a header; the last thing in its buffer. */
export function messageBytes(
  buffer: FlatBuffer,
  type: keyof typeof headerTypes,
  header: Place,
  bodyBytes: number,
): Uint8Array {
  return buffer.finish(
    buffer.table([
      { slot: 3, kind: 'int64', value: bodyBytes },
      { slot: 2, kind: 'place', value: header },
      { slot: 0, kind: 'int16', value: metadataVersion5 },
      { slot: 1, kind: 'int8', value: headerTypes[type] },
    ]),
  )
}

export function schemaMessage({ fields, metadata }: ArrowSchema): Uint8Array {
  const buffer = new FlatBuffer()
  const list = buffer.places(fields.map((field) => fieldTable(buffer, field)))
  const schema = buffer.table([
    { slot: 1, kind: 'place', value: list },
    ...metadataFields(buffer, 2, metadata),
  ])
  return messageBytes(buffer, 'schema', schema, 0)
}

/** The schema as it stands in FlightInfo and other messages: with a mark and its length in front. */
export function encapsulatedSchema(schema: ArrowSchema): Uint8Array {
  const message = schemaMessage(schema)
  const bytes = new Uint8Array(8 + message.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 0xffffffff, true)
  view.setUint32(4, message.length, true)
  bytes.set(message, 8)
  return bytes
}

function fieldTable(buffer: FlatBuffer, field: ArrowField): Place {
  const { name, type, isNullable, children = [], metadata = noMetadata } = field
  const fields: TableField[] = [
    { slot: 0, kind: 'place', value: buffer.text(name) },
    ...typeFields(buffer, type, children.length),
    // Some readers want the list of children also where it is empty.
    {
      slot: 5,
      kind: 'place',
      value: buffer.places(children.map((child) => fieldTable(buffer, child))),
    },
    ...metadataFields(buffer, 6, metadata),
  ]
  if (isNullable) fields.push({ slot: 1, kind: 'int8', value: 1 })
  return buffer.table(fields)
}

/** Numbers of Arrow's Type union. */
const typeNumbers: Readonly<Record<ArrowType['kind'], number>> = {
  integer: 2,
  float64: 3,
  binary: 4,
  utf8: 5,
  boolean: 6,
  timestamp: 10,
  list: 12,
  struct: 13,
  union: 14,
  map: 17,
  runs: 22,
}

const doublePrecision = 2
const nanoseconds = 3
const denseUnion = 1

function typeFields(buffer: FlatBuffer, type: ArrowType, childCount: number): TableField[] {
  const value = buffer.table(typeDetails(buffer, type, childCount))
  return [
    { slot: 3, kind: 'place', value },
    { slot: 2, kind: 'int8', value: typeNumbers[type.kind] },
  ]
}

function typeDetails(buffer: FlatBuffer, type: ArrowType, childCount: number): TableField[] {
  switch (type.kind) {
    case 'integer':
      return [
        { slot: 0, kind: 'int32', value: type.bits },
        { slot: 1, kind: 'int8', value: Number(type.isSigned) },
      ]
    case 'float64':
      return [{ slot: 0, kind: 'int16', value: doublePrecision }]
    case 'timestamp':
      return [
        { slot: 0, kind: 'int16', value: nanoseconds },
        ...(type.zone === undefined
          ? []
          : [{ slot: 1, kind: 'place', value: buffer.text(type.zone) } as const]),
      ]
    case 'union': {
      const ids = buffer.int32s(Array.from({ length: childCount }, (_, i) => i))
      return [
        { slot: 1, kind: 'place', value: ids },
        { slot: 0, kind: 'int16', value: denseUnion },
      ]
    }
    default:
      return []
  }
}

function metadataFields(
  buffer: FlatBuffer,
  slot: number,
  metadata: ReadonlyMap<string, string>,
): TableField[] {
  if (metadata.size === 0) return []
  const pairs = Array.from(metadata, ([key, text]) => {
    const value = buffer.text(text)
    return buffer.table([
      { slot: 0, kind: 'place', value: buffer.text(key) },
      { slot: 1, kind: 'place', value },
    ])
  })
  return [{ slot, kind: 'place', value: buffer.places(pairs) }]
}
