// Where the points of a shard come from: its TSM files, older ones first, and on top of them its log. Each layer is
// walked by key, in the order of the keys' bytes, and gives pieces: runs of points in time order that are decoded
// when they are needed.

import type { Column, FieldType, Value } from '../../column/column.js'
import { blockTypes, type DecodedPoints } from '../encoding/block.js'
import type { DeletedRange, Tombstones } from '../files/tombstones.js'
import { binaryText } from '../files/tombstones.js'
import { IndexCursor, type TsmFile } from '../files/tsm-file.js'
import type { WalSink } from '../files/wal-file.js'
import { integerColumn } from './points.js'

/** Points of one field of one series from one layer. */
export interface Piece {
  readonly type: FieldType
  /** Between which moments they lie, both included. */
  readonly min: bigint
  readonly max: bigint
  readonly deleted: readonly DeletedRange[]
  /** How many there are, with those that were deleted; cheaper than `load`. Throws CorruptionError. */
  count(): number
  /** Throws CorruptionError. See `decodeBlock`. */
  load(base: bigint, isNarrow: boolean): DecodedPoints
}

export interface LayerCursor {
  /** False at the end. Throws CorruptionError where the rest of the layer cannot be walked. */
  next(): boolean
  /** Its bytes stay as they are. */
  readonly key: Uint8Array
  pieces(): Piece[]
}

export interface Layer {
  open(): LayerCursor
}

const nothingDeleted: readonly DeletedRange[] = []

export class FileLayer implements Layer {
  readonly file: TsmFile
  readonly #tombstones: Tombstones

  constructor(file: TsmFile, tombstones: Tombstones) {
    this.file = file
    this.#tombstones = tombstones
  }

  open(): LayerCursor {
    const { file } = this
    const cursor = new IndexCursor(file)
    const tombstones = this.#tombstones
    return {
      next: () => cursor.next(),
      get key() {
        return cursor.key
      },
      pieces: () => {
        const type = blockTypes[cursor.type]
        const deleted = tombstones.size === 0 ? undefined : tombstones.get(binaryText(cursor.key))
        return cursor.places().map((place) => ({
          type,
          min: place.min,
          max: place.max,
          deleted: deleted ?? nothingDeleted,
          count: () => file.count(place),
          load: (base, isNarrow) => file.decode(place, base, isNarrow),
        }))
      },
    }
  }
}

interface Written {
  readonly type: FieldType
  times: bigint[]
  values: Value[]
}

/** What all segments of a log leave behind: deletes in it only meet what was written before. */
export class LogLayer implements Layer, WalSink {
  /** By key and type. */
  readonly #written = new Map<string, Map<FieldType, Written>>()

  write(key: string, type: FieldType, times: readonly bigint[], values: readonly Value[]): void {
    const types = this.#written.get(key) ?? new Map<FieldType, Written>()
    if (types.size === 0) this.#written.set(key, types)
    const known = types.get(type)
    if (known === undefined) types.set(type, { type, times: [...times], values: [...values] })
    else {
      for (const time of times) known.times.push(time)
      for (const value of values) known.values.push(value)
    }
  }

  deleteRange(key: string, min: bigint, max: bigint): void {
    for (const written of this.#written.get(key)?.values() ?? []) {
      const kept = written.times.map((time) => time < min || time > max)
      written.times = written.times.filter((_, i) => kept[i])
      written.values = written.values.filter((_, i) => kept[i])
    }
  }

  open(): LayerCursor {
    // Each character is a byte: their order is that of the bytes.
    const keys = [...this.#written.keys()].sort(byCharacters)
    let at = -1
    return {
      next: () => ++at < keys.length,
      get key() {
        return Buffer.from(keys[at], 'latin1')
      },
      pieces: () => {
        const types = this.#written.get(keys[at])?.values() ?? []
        return [...types].flatMap((written) => (written.times.length === 0 ? [] : pieceOf(written)))
      },
    }
  }
}

function byCharacters(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

function pieceOf({ type, times, values }: Written): Piece {
  const order = times.map((_, i) => i)
  order.sort((a, b) => (times[a] === times[b] ? a - b : times[a] < times[b] ? -1 : 1))
  // Of several values for one moment the last one stands.
  const rows = order.filter(
    (row, i) => i + 1 === order.length || times[order[i + 1]] !== times[row],
  )
  const chosen = rows.map((row) => values[row])
  return {
    type,
    min: times[rows[0]],
    max: times[rows[rows.length - 1]],
    deleted: nothingDeleted,
    count: () => rows.length,
    load: (base) => ({
      offsets: Float64Array.from(rows, (row) => Number(times[row] - base)),
      column: columnOf(type, chosen),
    }),
  }
}

/** Texts are bytes: see `readWal`. */
function columnOf(type: FieldType, values: readonly Value[]): Column {
  const validity = undefined
  switch (type) {
    case 'float':
      return { type, values: Float64Array.from(values as number[]), validity }
    case 'boolean':
      return { type, values: Uint8Array.from(values, (value) => (value ? 1 : 0)), validity }
    case 'string':
      return stringColumn(values as string[])
    case 'integer':
    case 'unsigned':
      return integerColumn(type, values as bigint[])
  }
}

function stringColumn(texts: readonly string[]): Column {
  const bytes = Buffer.from(texts.join(''), 'latin1')
  const offsets = new Uint32Array(texts.length + 1)
  for (let i = 0; i < texts.length; i++) offsets[i + 1] = offsets[i] + texts[i].length
  const dictionary = { offsets, bytes, count: texts.length }
  const values = Uint32Array.from(texts, (_, i) => i)
  return { type: 'string', values, dictionary, validity: undefined }
}
