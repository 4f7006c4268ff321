// DuckDB, loaded in an engine's process and nowhere else. Besides its classes we use some functions of the layer below
// them, which move whole columns as bytes; its own classes move value by value. That layer is a part of the package and
// has its version, so it is asked for from there.

import { createRequire } from 'node:module'
import type * as Duckdb from '@duckdb/node-api'

export type {
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBPreparedStatement,
  DuckDBResult,
  DuckDBType,
} from '@duckdb/node-api'

export interface Vector {
  readonly __duckdb_type: 'duckdb_vector'
}

type Chunk = Duckdb.DuckDBDataChunk['chunk']

/** What is used of the lower layer. Bytes that it returns are copies. */
interface LowLevel {
  data_chunk_get_vector(chunk: Chunk, column: number): Vector
  data_chunk_set_size(chunk: Chunk, rowCount: number): void
  vector_get_data(vector: Vector, byteCount: number): Uint8Array
  /** Null: every row has a value. */
  vector_get_validity(vector: Vector, byteCount: number): Uint8Array | null
  vector_ensure_validity_writable(vector: Vector): void
  vector_assign_string_element_len(vector: Vector, row: number, bytes: Uint8Array): void
  copy_data_to_vector(
    vector: Vector,
    to: number,
    source: ArrayBufferLike,
    from: number,
    byteCount: number,
  ): void
  copy_data_to_vector_validity(
    vector: Vector,
    to: number,
    source: ArrayBufferLike,
    from: number,
    byteCount: number,
  ): void
  get_data_from_pointer(source: ArrayBufferLike, offset: number, byteCount: number): Uint8Array
}

export interface Bindings {
  readonly api: typeof Duckdb
  readonly low: LowLevel
}

export async function loadBindings(): Promise<Bindings> {
  const api = await import('@duckdb/node-api')
  const beside = createRequire(createRequire(import.meta.url).resolve('@duckdb/node-api'))
  return { api, low: beside('@duckdb/node-bindings') as LowLevel }
}
