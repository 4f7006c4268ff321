// The Parquet file that answers are written as, and the numbers of its format that are used:
//
//   PAR1 | row group | row group | ... | FileMetaData | its length, 4 bytes | PAR1
//   row group: for each column one page: PageHeader | levels | values
//   levels: their length, 4 bytes | runs of one bit a row: 1 where the row has a value
//   values: those there are, plainly: 8 bytes each (little endian), one bit each for switches, or, for
//   texts, a length of 4 bytes and UTF-8 each
//
// Nothing is compressed: HTTP does that where it is wanted. Every column is optional. Headers and the end
// are Thrift structs. No statistics: whoever reads an answer reads all of it.

import type { ArrowField, ArrowType } from './arrow-schema.js'
import {
  int32,
  int64,
  list,
  struct,
  type ThriftStruct,
  type ThriftValue,
  text,
} from './thrift-compact.js'

export const magic = Buffer.from('PAR1')

const version = 2
const physicalTypes = { boolean: 0, int64: 2, double: 5, byteArray: 6 }
const optional = 1
const convertedTypes = { utf8: 0, uint64: 14, int64: 18 }
const encodings = { plain: 0, rle: 3 }
const uncompressed = 0
const dataPage = 0

/** Where a page lies, and how much it holds. */
export interface PagePlace {
  readonly offset: number
  /** With its header. */
  readonly bytes: number
}

export interface RowGroup {
  readonly rowCount: number
  /** One per column. */
  readonly pages: readonly PagePlace[]
}

export function pageHeader(rowCount: number, pageBytes: number): ThriftStruct {
  return [
    [1, int32(dataPage)],
    [2, int32(pageBytes)],
    [3, int32(pageBytes)],
    [
      5,
      struct(
        [1, int32(rowCount)],
        [2, int32(encodings.plain)],
        [3, int32(encodings.rle)],
        [4, int32(encodings.rle)],
      ),
    ],
  ]
}

export function fileMetadata(
  fields: readonly ArrowField[],
  groups: readonly RowGroup[],
  metadata: ReadonlyMap<string, string>,
): ThriftStruct {
  const pairs = [...metadata].map(([key, value]) => struct([1, text(key)], [2, text(value)]))
  const root = struct([4, text('schema')], [5, int32(fields.length)])
  const rowCount = groups.reduce((sum, group) => sum + group.rowCount, 0)
  return [
    [1, int32(version)],
    [2, list('struct', [root, ...fields.map(schemaElement)])],
    [3, int64(rowCount)],
    [
      4,
      list(
        'struct',
        groups.map((group) => rowGroup(fields, group)),
      ),
    ],
    ...(pairs.length === 0 ? [] : [[5, list('struct', pairs)] as const]),
    [6, text('millrace')],
  ]
}

function rowGroup(fields: readonly ArrowField[], { rowCount, pages }: RowGroup): ThriftValue {
  const columns = pages.map((page, i) => columnChunk(fields[i], rowCount, page))
  const bytes = pages.reduce((sum, page) => sum + page.bytes, 0)
  return struct([1, list('struct', columns)], [2, int64(bytes)], [3, int64(rowCount)])
}

function columnChunk(field: ArrowField, rowCount: number, page: PagePlace): ThriftValue {
  const metadata = struct(
    [1, int32(physicalType(field.type))],
    [2, list('int32', [int32(encodings.plain), int32(encodings.rle)])],
    [3, list('text', [text(field.name)])],
    [4, int32(uncompressed)],
    [5, int64(rowCount)],
    [6, int64(page.bytes)],
    [7, int64(page.bytes)],
    [9, int64(page.offset)],
  )
  return struct([2, int64(page.offset)], [3, metadata])
}

function schemaElement({ name, type }: ArrowField): ThriftValue {
  return struct(
    [1, int32(physicalType(type))],
    [3, int32(optional)],
    [4, text(name)],
    ...meaning(type),
  )
}

function physicalType({ kind }: ArrowType): number {
  switch (kind) {
    case 'boolean':
      return physicalTypes.boolean
    case 'float64':
      return physicalTypes.double
    case 'integer':
    case 'timestamp':
      return physicalTypes.int64
    default:
      return physicalTypes.byteArray
  }
}

/** What the values mean: the older word for it, and the newer one. */
function meaning(type: ArrowType): ThriftStruct {
  switch (type.kind) {
    case 'boolean':
    case 'float64':
      return []
    case 'timestamp': {
      const nanoseconds = struct([3, struct()])
      // As in Arrow. DuckDB has moments in UTC in microseconds only, those without a zone in nanoseconds.
      const utc: ThriftValue = { kind: 'boolean', value: type.zone !== undefined }
      return [[10, struct([8, struct([1, utc], [2, nanoseconds])])]]
    }
    case 'integer': {
      const isSigned: ThriftValue = { kind: 'boolean', value: type.isSigned }
      const bits: ThriftValue = { kind: 'int8', value: type.bits }
      const converted = type.isSigned ? convertedTypes.int64 : convertedTypes.uint64
      return [
        [6, int32(converted)],
        [10, struct([10, struct([1, bits], [2, isSigned])])],
      ]
    }
    default:
      return [
        [6, int32(convertedTypes.utf8)],
        [10, struct([1, struct()])],
      ]
  }
}
