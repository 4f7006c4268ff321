// The package `internal/gen`: series of random values for tests. With a seed they are the same every time,
// and the same as elsewhere.

import type { Cells, Chunk, TableColumn } from '../../../../query/table.js'
import type { FluxContext } from '../../../context/context.js'
import { type Call, type Definitions, native } from '../../../package/define.js'
import { constantCells } from '../../../table/cells.js'
import { floatCells } from '../../../table/numbers.js'
import type { Table } from '../../../table/table.js'
import { FluxError } from '../../../value/error.js'
import { GroupKey, type KeyEntry } from '../../../value/key.js'
import { FluxRecord, type FluxValue } from '../../../value/value.js'
import { GoRandom } from './go-random.js'

const type = `(
  n: int, ?nulls: float, ?tags: [{name: string, cardinality: int}], ?seed: int
) => stream[{A with _time: time, _value: float}]`

export const genBuiltins: Definitions = {
  tables: native(type, tables),
}

const pointCountDefault = 6n
const periodNs = 10_000_000_000n
const deviation = 50
const chunkRows = 1024
const seriesCountMax = 2 ** 24
/** About what a series takes while the others are made. */
const seriesBytes = 200

interface Tag {
  readonly name: string
  readonly cardinality: number
}

interface Schema {
  readonly count: number
  /** The share of values that are null. */
  readonly nulls: number
  readonly tags: readonly Tag[]
  /** undefined: another one every time. */
  readonly seed: bigint | undefined
}

function tables(call: Call): FluxValue {
  const n = call.int('n')
  const schema: Schema = {
    count: Number(n === 0n ? pointCountDefault : n),
    nulls: call.float('nulls', 0),
    tags: call.has('tags') ? call.array('tags').map(tagOf) : [],
    seed: call.has('seed') ? call.int('seed') : undefined,
  }
  return call.node([], (_, context) => generatedTables(schema, context))
}

function tagOf(value: FluxValue, i: number): Tag {
  if (!(value instanceof FluxRecord)) throw new FluxError(`tag at index ${i} must be an object`)
  const name = value.get('name')
  if (typeof name !== 'string') {
    throw new FluxError(`missing "name" parameter in tag at index ${i}`)
  }
  const cardinality = value.get('cardinality')
  if (typeof cardinality !== 'bigint' || cardinality < 0n) {
    throw new FluxError(`missing "cardinality" parameter in tag at index ${i}`)
  }
  return { name, cardinality: Number(cardinality) }
}

async function* generatedTables(
  { count, nulls, tags, seed }: Schema,
  context: FluxContext,
): AsyncGenerator<Table, void, void> {
  const { signal, memory } = context
  const nowNs = context.scope.clock.now()
  const random = new GoRandom(seed ?? nowNs)
  const startNs = nowNs - (nowNs % periodNs) - periodNs * BigInt(Math.max(0, count))
  const used = tags.filter(({ cardinality }) => cardinality > 0)
  const seriesCount = used.reduce((all, { cardinality }) => all * cardinality, 1)
  if (seriesCount > seriesCountMax) {
    throw new FluxError(`${seriesCount} series are too many, at most ${seriesCountMax}`)
  }
  let bytes = 0
  const take = (): void => {
    signal.throwIfAborted()
    memory.take(seriesBytes)
    bytes += seriesBytes
  }
  const values = used.map(({ cardinality }) => tagValues(random, cardinality, take))
  const known = new Set<string>()
  for (const number of seriesOrder(seriesCount)) {
    const key = seriesKey(used, values, number)
    // Two tags may by chance have the same values: such a series is left out.
    if (known.has(key.text)) continue
    take()
    known.add(key.text)
    yield seriesTable(key, { count, startNs, nulls }, random, context)
  }
  memory.release(bytes)
}

/** From a heap of equals the first comes first, then the last, and so on down to the second. */
function* seriesOrder(count: number): Generator<number, void, void> {
  yield 0
  for (let number = count - 1; number > 0; number--) yield number
}

/** The last tag changes fastest. */
function seriesKey(
  tags: readonly Tag[],
  values: readonly (readonly string[])[],
  number: number,
): GroupKey {
  const entries: KeyEntry[] = []
  let rest = number
  for (let i = tags.length - 1; i >= 0; i--) {
    const { name, cardinality } = tags[i]
    entries.push({ name, type: 'string', value: values[i][rest % cardinality] })
    rest = Math.floor(rest / cardinality)
  }
  return GroupKey.of(entries)
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const characters = `${letters}0123456789`
const tagLengthMin = 3
const tagLengthMax = 7

function tagValues(random: GoRandom, cardinality: number, take: () => void): string[] {
  const values: string[] = []
  for (let i = 0; i < cardinality; i++) {
    take()
    const length = random.below(tagLengthMax + 1 - tagLengthMin) + tagLengthMin
    let value = letters[random.below(letters.length)]
    while (value.length < length) value += characters[random.below(characters.length)]
    values.push(value)
  }
  return values
}

interface Points {
  readonly count: number
  readonly startNs: bigint
  readonly nulls: number
}

function seriesTable(
  key: GroupKey,
  points: Points,
  random: GoRandom,
  { signal }: FluxContext,
): Table {
  const columns: TableColumn[] = [
    ...key.entries.map(({ name, type }) => ({ name, type })),
    { name: '_time', type: 'time' },
    { name: '_value', type: 'float' },
  ]
  const keyCells = key.entries.map(({ type, value }) => constantCells(type, value))
  const chunks = async function* (): AsyncGenerator<Chunk, void, void> {
    for (let from = 0; from < points.count; from += chunkRows) {
      signal.throwIfAborted()
      const rowCount = Math.min(chunkRows, points.count - from)
      const cells = [
        timeCells(points.startNs, from, rowCount),
        valueCells(random, points, rowCount),
      ]
      yield { rowCount, columns: [...keyCells, ...cells] }
    }
  }
  return { key, columns, chunks }
}

function timeCells(startNs: bigint, from: number, rowCount: number): Cells {
  const values = new BigInt64Array(rowCount)
  for (let row = 0; row < rowCount; row++) values[row] = startNs + periodNs * BigInt(from + row)
  return { kind: 'values', type: 'time', values, validity: undefined }
}

function valueCells(random: GoRandom, { nulls }: Points, rowCount: number): Cells {
  const values = new Float64Array(rowCount)
  const validity = nulls > 0 ? new Uint8Array(rowCount).fill(1) : undefined
  for (let row = 0; row < rowCount; row++) {
    if (validity !== undefined && nulls > random.float()) validity[row] = 0
    else values[row] = random.normal() * deviation
  }
  return floatCells(values, validity)
}
