// A small store and a way to ask it in SQL, for the tests: what comes back is a table of texts, one line a
// row.

import { type Column, valueAt } from '../../src/column/column.js'
import { timeAt } from '../../src/column/time.js'
import { UserError } from '../../src/errors.js'
import { LineProtocolParser } from '../../src/line-protocol/parser.js'
import { ManualClock } from '../../src/platform/clock.js'
import type { ResultBatch, ResultColumn, ResultPiece } from '../../src/query/language.js'
import type { SqlScope } from '../../src/sql/plan/scope.js'
import { SqlLanguage } from '../../src/sql/sql.js'
import { type Engine, openEngine } from '../../src/store/embedded/engine.js'
import { SimulatedDisk } from '../platform/simulated-disk.js'

/** Its engines end with the test's process. */
export const sql = new SqlLanguage()

export const testBucket = '00000000000000aa'
export const now = 1_641_034_800_000_000_000n // 2022-01-01T11:00:00Z

/** The example of the v3 products' documentation: two rooms, an hour apart; and what is odd. */
export const homeLines = `
home,room=Kitchen temp=21.0,hum=35.9,co=0i 1641024000000000000
home,room=Kitchen temp=23.0,hum=36.2,co=0i 1641027600000000000
home,room=Kitchen temp=22.7,hum=36.1,co=1i 1641031200000000000
home,room=Living\\ Room temp=21.1,hum=35.9,co=0i 1641024000000000000
home,room=Living\\ Room temp=21.4,hum=35.9,co=3i 1641027600000000000
home,room=Living\\ Room hum=36.0 1641031200000000000
Mixed,Host=A,host=b Temp=1,temp=2,note="a text that is longer than twelve bytes" 1641024000123456789
Mixed,Host=A Temp=3,ok=true,n=18446744073709551615u,big=9007199254740993i 1641024001000000000
`

export async function openTestStore(lines: string = homeLines): Promise<Engine> {
  const disk = new SimulatedDisk()
  await disk.makeDir('data')
  const clock = new ManualClock(now)
  const engine = await openEngine({ disk, folder: 'data', clock, jobs: 'inline' })
  await writeLines(engine, testBucket, lines)
  return engine
}

export async function writeLines(engine: Engine, bucket: string, lines: string): Promise<void> {
  const parser = new LineProtocolParser()
  const { batch, errors } = parser.parse(Buffer.from(lines), { precision: 'ns', now })
  if (errors.length > 0) throw new Error(errors[0].message)
  await engine.write(bucket, batch)
  parser.release(batch)
}

export const noLimits = {
  timeoutSeconds: 0,
  pointsMax: 0,
  seriesMax: 0,
  bucketsMax: 0,
  concurrentMax: 0,
  memoryBytesMax: 256_000_000,
}

export function testScope(given: Pick<SqlScope, 'store'> & Partial<SqlScope>): SqlScope {
  return {
    clock: new ManualClock(now),
    limits: noLimits,
    database: 'd',
    bucket: async () => testBucket,
    ...given,
  }
}

export async function batches(
  text: string,
  scope: SqlScope,
  signal: AbortSignal = new AbortController().signal,
  language: SqlLanguage = sql,
  values?: ReadonlyMap<string, unknown>,
): Promise<ResultBatch[]> {
  return batchesOf(language.prepare(text, { values }).run(scope, signal))
}

async function batchesOf(pieces: AsyncIterable<ResultPiece>): Promise<ResultBatch[]> {
  const found: ResultBatch[] = []
  for await (const piece of pieces) {
    if (piece.kind === 'failure') throw piece.error
    if (piece.kind === 'batch') found.push(piece)
  }
  return found
}

export async function ask(
  text: string,
  scope: SqlScope,
  signal?: AbortSignal,
  language?: SqlLanguage,
  values?: ReadonlyMap<string, unknown>,
): Promise<string[]> {
  return linesOf(await batches(text, scope, signal, language, values))
}

/** As `ask`, or the error. */
export async function outcome(text: string, scope: SqlScope): Promise<string[]> {
  try {
    return await ask(text, scope)
  } catch (error) {
    if (!(error instanceof UserError)) throw new Error(`not answered: ${text}`, { cause: error })
    return [`error, ${error.code}: ${error.message}`]
  }
}

export async function rowsOf(pieces: AsyncIterable<ResultPiece>): Promise<string[]> {
  return linesOf(await batchesOf(pieces))
}

/** A line of names, and one for each row. */
export function linesOf(found: readonly ResultBatch[]): string[] {
  const lines = [found[0].columnNames.join(' | ')]
  for (const { columns, rowCount } of found) {
    for (let row = 0; row < rowCount; row++) {
      lines.push(columns.map((column) => cellText(column, row)).join(' | '))
    }
  }
  return lines
}

function cellText(column: ResultColumn, row: number): string {
  if (column.validity !== undefined && column.validity[row] === 0) return 'null'
  if (column.type === 'time') {
    const ns = timeAt(column.times, row)
    const seconds = new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19)
    const rest = String(((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)
    return rest === '0' ? `${seconds}Z` : `${seconds}.${rest.padStart(9, '0')}Z`
  }
  if (column.type === 'list') return column.lists[row].join(',')
  return String(valueAt(column as Column, row))
}
