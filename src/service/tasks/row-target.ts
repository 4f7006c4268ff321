// Rows of SQL as points of a measurement: the column `time` tells when (the moment of the run where there is none),
// columns that are tags where they come from stay tags, and so do other texts that the statement groups by under a
// name that the target has as a tag; everything else is a field. Points go the way of a write from outside.

import type { Identity } from '../../access/authenticator.js'
import type { Bucket } from '../../catalog/storage/buckets.js'
import { valueAt } from '../../column/column.js'
import { timeAt } from '../../column/time.js'
import { UserError } from '../../errors.js'
import { printString } from '../../line-protocol/printer.js'
import type { ResultBatch, ResultColumn } from '../../query/language.js'
import { requirePermission } from '../base/identities.js'
import type { ServiceParts } from '../base/parts.js'
import { writeFailure } from '../write/write-failure.js'
import type { Writes } from '../write/writes.js'

export interface Target {
  readonly bucket: string
  readonly measurement: string
  /** The time of rows that have none. */
  readonly now: bigint
}

/** Takes points as line protocol. */
export type TakeLines = (bucket: Bucket, lines: Uint8Array) => Promise<void>

type TargetParts = Pick<ServiceParts, 'catalog' | 'store'>

export class RowTarget {
  readonly #parts: TargetParts
  readonly #identity: Identity
  readonly #orgId: string
  readonly #target: Target
  readonly #take: TakeLines

  constructor(
    parts: TargetParts,
    identity: Identity,
    orgId: string,
    target: Target,
    take: TakeLines,
  ) {
    this.#parts = parts
    this.#identity = identity
    this.#orgId = orgId
    this.#target = target
    this.#take = take
  }

  async write(batch: ResultBatch): Promise<void> {
    const { catalog, store } = this.#parts
    const { bucket: name } = this.#target
    const bucket = await catalog.buckets.find(this.#orgId, name)
    if (bucket === undefined) throw new UserError('not found', `could not find bucket "${name}"`)
    const { id, orgId: orgID } = bucket
    requirePermission(this.#identity, { action: 'write', type: 'buckets', id, orgID })
    const tagKeys = new Set((await store.measurementSchema(id, this.#target.measurement)).tagKeys)
    const lines = this.#lines(batch, tagKeys)
    if (lines.length > 0) await this.#take(bucket, Buffer.from(lines.join('\n')))
  }

  #lines(batch: ResultBatch, tagKeys: ReadonlySet<string>): string[] {
    const { columns, columnNames, columnRoles, rowCount } = batch
    const isTag = (i: number) => columnRoles?.[i] === 'tag' || tagKeys.has(columnNames[i])
    const lines: string[] = []
    for (let row = 0; row < rowCount; row++) {
      let time = this.#target.now
      const tags: string[] = []
      const fields: string[] = []
      for (const [i, column] of columns.entries()) {
        const name = columnNames[i]
        if (name === 'time' && column.type === 'time') time = timeOf(column, row) ?? time
        else if (isTag(i)) tags.push(...tagText(name, cell(column, row)))
        else fields.push(...fieldText(name, column, row))
      }
      if (fields.length === 0) continue
      const series = [escaped(this.#target.measurement, /[, ]/g), ...tags].join(',')
      lines.push(`${series} ${fields.join(',')} ${time}`)
    }
    return lines
  }
}

/** Points go the way of a write from outside. `wrote` is told how many there were, also where some were refused. */
export function writeLines(writes: Writes, wrote: (count: number) => void): TakeLines {
  return async (bucket, lines) => {
    const outcome = await writes.write(bucket, lines)
    wrote(outcome.writtenCount)
    const failure = writeFailure(outcome, 'v2')
    if (failure !== undefined) throw failure
  }
}

function timeOf(column: ResultColumn, row: number): bigint | undefined {
  if (column.type !== 'time' || column.validity?.[row] === 0) return undefined
  return timeAt(column.times, row)
}

function cell(column: ResultColumn, row: number): string | undefined {
  if (column.type === 'list') return undefined
  if (column.type === 'time') return timeOf(column, row)?.toString()
  const value = valueAt(column, row)
  return value === null ? undefined : String(value)
}

function tagText(name: string, value: string | undefined): string[] {
  if (value === undefined || value === '') return []
  return [`${escaped(name, /[, =]/g)}=${escaped(value, /[, =]/g)}`]
}

/** Moments are kept as whole numbers of nanoseconds: a field has no type for them. */
function fieldText(name: string, column: ResultColumn, row: number): string[] {
  const key = escaped(name, /[, =]/g)
  if (column.type === 'list') return []
  if (column.type === 'time') {
    const time = timeOf(column, row)
    return time === undefined ? [] : [`${key}=${time}i`]
  }
  const value = valueAt(column, row)
  if (value === null || (typeof value === 'number' && !Number.isFinite(value))) return []
  if (typeof value === 'string') return [`${key}=${printString(value)}`]
  if (typeof value === 'bigint') return [`${key}=${value}${column.type === 'unsigned' ? 'u' : 'i'}`]
  return [`${key}=${value}`]
}

function escaped(text: string, signs: RegExp): string {
  return text.replace(signs, (sign) => `\\${sign}`)
}
