// Pieces of results made from rows, and their encoding as a whole: what the tests of the encoders
// share.

import type { Column } from '../../src/column/column.js'
import { UserError } from '../../src/errors.js'
import { streamOf } from '../../src/platform/pull-stream.js'
import { ColumnBuilder } from '../../src/query/column-builder.js'
import type {
  ResultBatch,
  ResultColumn,
  ResultPiece,
  ResultStart,
} from '../../src/query/language.js'
import type { ResultFormat } from '../../src/result/format.js'
import { encodeResults } from '../../src/result/results.js'

export type Cell = number | bigint | boolean | string | null
type Kind = Column['type'] | 'time'

function column(kind: Kind, cells: readonly Cell[]): ResultColumn {
  if (kind === 'time') return timeColumn(cells as readonly (bigint | null)[])
  const builder = new ColumnBuilder(kind)
  for (const cell of cells) builder.push(cell)
  return builder.finish()
}

function timeColumn(cells: readonly (bigint | null)[]): ResultColumn {
  const base = cells[0] ?? 0n
  const offsets = Float64Array.from(cells, (cell) => Number((cell ?? base) - base))
  const validity = Uint8Array.from(cells, (cell) => (cell === null ? 0 : 1))
  return { type: 'time', times: { base, offsets }, validity }
}

export interface Table {
  readonly result?: number
  readonly name?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly kinds: readonly Kind[]
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  readonly zone?: string
}

export function batch(table: Table): ResultBatch {
  const { result = 0, name = 'm', tags = {}, kinds, columns, rows, zone } = table
  return {
    kind: 'batch',
    result,
    name,
    tags: Object.entries(tags).map(([key, value]) => ({ key, value })),
    columnNames: columns,
    columns: kinds.map((kind, i) =>
      column(
        kind,
        rows.map((row) => row[i]),
      ),
    ),
    rowCount: rows.length,
    ...(zone === undefined ? {} : { zone }),
  }
}

export function start(result: number, more: Partial<ResultStart> = {}): ResultStart {
  return { kind: 'start', result, messages: [], ...more }
}

export function failure(result: number, message: string): ResultPiece {
  return { kind: 'failure', result, error: new UserError('invalid', message) }
}

export const json: ResultFormat = {
  encoding: 'json',
  isPretty: false,
  chunkRows: undefined,
  time: undefined,
}
export const csv: ResultFormat = { ...json, encoding: 'csv' }
export const msgpack: ResultFormat = { ...json, encoding: 'msgpack' }

export async function encodeBytes(
  pieces: readonly ResultPiece[],
  format: ResultFormat,
): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of encodeResults(streamOf(stream(pieces)), format))
    parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}

export async function encode(
  pieces: readonly ResultPiece[],
  format: ResultFormat,
): Promise<string> {
  return (await encodeBytes(pieces, format)).toString()
}

export async function* stream(pieces: readonly ResultPiece[]): AsyncGenerator<ResultPiece> {
  yield* pieces
}

export const floats: Table = {
  kinds: ['time', 'float'],
  columns: ['time', 'f'],
  rows: [
    [-1500000001n, 123456789.125],
    [-1n, 0.000001],
    [1n, 1.5],
    [1500000000n, 1e-7],
  ],
}
