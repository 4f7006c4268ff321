// How fast tables become annotated CSV: rows of a moment, a value and six columns of the group key, as `range` and
// `filter` give them, in tables of a thousand rows; the same in tables of one row, as `last` gives them; and rows whose
// texts differ. Seconds are those of CPU time. The check string counts rows and bytes.

import type { ResultTableColumn, TablePiece } from '../src/query/language.js'
import type { Cells } from '../src/query/table.js'
import { type CsvDialect, encodeTables } from '../src/result/annotated-csv.js'
import { type Figures, startTime } from './cpu-data.js'

const dialect: CsvDialect = {
  annotations: ['datatype', 'group', 'default'],
  hasHeader: true,
  delimiter: ',',
  commentPrefix: '#',
  dateTimeFormat: 'RFC3339',
}

export async function run(size: 'small' | 'large'): Promise<Figures> {
  const rowCount = size === 'small' ? 5000 : 100_000
  const rounds = size === 'small' ? 1 : 15
  const raw = await fastest(rounds, [...series(rowCount, 1000)])
  const last = await fastest(rounds, [...series(rowCount / 10, 1)])
  const texts = await fastest(rounds, [...manyTexts(rowCount)])
  return {
    name: 'annotated-csv',
    figures: {
      rawMilliseconds: raw.seconds * 1000,
      rawRowsPerSecond: rowCount / raw.seconds,
      rawMegabytesPerSecond: raw.bytes / raw.seconds / 1e6,
      smallTablesPerSecond: rowCount / 10 / last.seconds,
      textRowsPerSecond: rowCount / texts.seconds,
    },
    check: `${rowCount} rows, ${raw.bytes}, ${last.bytes} and ${texts.bytes} bytes`,
  }
}

async function fastest(
  rounds: number,
  pieces: readonly TablePiece[],
): Promise<{ seconds: number; bytes: number }> {
  let seconds = Number.POSITIVE_INFINITY
  let bytes = 0
  for (let i = 0; i < rounds; i++) {
    const start = process.cpuUsage()
    bytes = await encodedBytes(pieces)
    const { user, system } = process.cpuUsage(start)
    seconds = Math.min(seconds, (user + system) / 1e6)
  }
  return { seconds, bytes }
}

async function encodedBytes(pieces: readonly TablePiece[]): Promise<number> {
  async function* source(): AsyncGenerator<TablePiece> {
    yield* pieces
  }
  let bytes = 0
  for await (const part of encodeTables(source(), dialect)) bytes += part.length
  return bytes
}

/** One table for each series, with values of one decimal. */
function* series(rowCount: number, tableRows: number): Generator<TablePiece> {
  const stop = startTime + 3_600_000_000_000n
  for (let table = 0; table * tableRows < rowCount; table++) {
    const key: ResultTableColumn[] = [
      { name: '_start', type: 'time', isGroup: true, value: startTime },
      { name: '_stop', type: 'time', isGroup: true, value: stop },
      { name: '_field', type: 'string', isGroup: true, value: 'usage_user' },
      { name: '_measurement', type: 'string', isGroup: true, value: 'cpu' },
      { name: 'host', type: 'string', isGroup: true, value: `host_${table}` },
      { name: 'region', type: 'string', isGroup: true, value: 'eu-central-1' },
    ]
    const times = BigInt64Array.from({ length: tableRows }, (_, i) => {
      return startTime + BigInt(i) * 10_000_000_000n
    })
    const values = Float64Array.from({ length: tableRows }, (_, i) => ((i * 37) % 1000) / 10)
    yield {
      kind: 'table',
      name: '_result',
      table,
      columns: [
        { name: '_time', type: 'time', isGroup: false, value: null },
        { name: '_value', type: 'float', isGroup: false, value: null },
        ...key,
      ],
    }
    yield {
      kind: 'rows',
      rowCount: tableRows,
      columns: [
        { kind: 'values', type: 'time', values: times, validity: undefined },
        { kind: 'values', type: 'float', values, validity: undefined },
        ...key.map(({ type, value }): Cells => ({ kind: 'constant', type, value })),
      ],
    }
  }
}

/** One ungrouped table: a column of a few texts and one in which all differ. */
function* manyTexts(rowCount: number): Generator<TablePiece> {
  const columns = ['host', 'message'].map((name) => {
    return { name, type: 'string', isGroup: false, value: null } as const
  })
  yield { kind: 'table', name: '_result', table: 0, columns }
  const hosts = Array.from({ length: 100 }, (_, i) => `host_${i}`)
  const chunkRows = 1000
  for (let first = 0; first < rowCount; first += chunkRows) {
    const messages = Array.from({ length: chunkRows }, (_, i) => `request ${first + i} was refused`)
    const text = { kind: 'values', type: 'string', validity: undefined } as const
    yield {
      kind: 'rows',
      rowCount: chunkRows,
      columns: [
        { ...text, values: Uint32Array.from(messages, (_, i) => i % 100), dictionary: hosts },
        { ...text, values: Uint32Array.from(messages, (_, i) => i), dictionary: messages },
      ],
    }
  }
}
