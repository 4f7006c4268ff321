// Functions of a script called with the rows of a table, chunk by chunk. The record is a view that is
// moved along; calls that give their value synchronously are never waited for. A failure of the function
// says which function of the library it was given to.

import { UserError } from '../../errors.js'
import type { Chunk, TableColumn } from '../../query/table.js'
import { FluxError, LimitError } from '../value/error.js'
import type { FluxFunction, FluxValue, PositionalCall } from '../value/value.js'
import { RowRecord } from './row-record.js'

/** A function of `r`, for the rows of one table. */
export class RowCalls {
  readonly record: RowRecord
  readonly #call: PositionalCall
  readonly #args: FluxValue[]
  readonly #failure: string

  /** `call`: the function prepared for `r` and whatever `others` are. `failure` stands before what it says. */
  constructor(
    call: PositionalCall,
    columns: readonly TableColumn[],
    failure: string,
    others: readonly FluxValue[] = [],
  ) {
    this.record = new RowRecord(columns)
    this.#call = call
    this.#args = [this.record, ...others]
    this.#failure = failure
  }

  /** Argument number `place`, `r` being 0, from now on. */
  set(place: number, value: FluxValue): void {
    this.#args[place] = value
  }

  /** Its rows come next. */
  set chunk(chunk: Chunk) {
    this.record.chunk = chunk
  }

  at(row: number): FluxValue | Promise<FluxValue> {
    this.record.row = row
    try {
      const result = this.#call(this.#args)
      return result instanceof Promise ? result.catch((error) => this.#fail(error)) : result
    } catch (error) {
      return this.#fail(error)
    }
  }

  #fail(error: unknown): never {
    throw rowFailure(this.#failure, error)
  }
}

/** What a script does wrong is told with the words before it; everything else, limits too, stays as it is. */
export function rowFailure(words: string, error: unknown): unknown {
  if (!(error instanceof UserError) || error instanceof LimitError || words === '') return error
  return new FluxError(`${words}: ${error.message}`, error.code, error.status)
}

export function rowCall(fn: FluxFunction): PositionalCall {
  return fn.prepare(['r'])
}

/** The rows for which the function says true; null: all. */
export async function matchingRows(calls: RowCalls, chunk: Chunk): Promise<Uint32Array | null> {
  const { rowCount } = chunk
  calls.chunk = chunk
  const rows = new Uint32Array(rowCount)
  let count = 0
  for (let row = 0; row < rowCount; row++) {
    const result = calls.at(row)
    const value = result instanceof Promise ? await result : result
    if (value === true) rows[count++] = row
  }
  return count === rowCount ? null : rows.subarray(0, count)
}
