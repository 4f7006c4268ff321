// `import` and `write`: files of every format, or standard input, into a running server, in batches. What was guessed
// of a file is shown before anything is written. Rows and lines that are refused go to a file with their reason; the
// others are written.

import { appendFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { UserError } from '../errors.js'
import { pointBatches } from '../formats/point-batches.js'
import { columnWord, type PointColumn } from '../formats/points/point-column.js'
import type { PointBatch } from '../formats/points/point-rows.js'
import { typedRows } from '../formats/typed-rows.js'
import { fastLines } from '../line-protocol/fast-lines.js'
import { LineProtocolParser } from '../line-protocol/parser.js'
import { ServerRefusal } from '../migrate/connection/v1-client.js'
import { parquetRows } from '../sql/parquet/parquet-file.js'
import { judgeArguments, UsageError } from './arguments.js'
import { contextParts } from './export-context.js'
import { type ImportArguments, type ImportInput, readImportArguments } from './import-arguments.js'
import { ProgressLine } from './progress-line.js'
import { printJson } from './rows.js'

const sampleLines = 5

export async function importCommand(args: readonly string[]): Promise<number> {
  return new Import(judgeArguments(() => readImportArguments(args))).run()
}

class Import {
  readonly #wanted: ImportArguments
  readonly #line = new ProgressLine()
  #database: string | undefined
  #policy: string | undefined
  #errorCount = 0
  #pointCount = 0
  #lineCount = 0
  #bytesDone = 0
  /** What is to be shown before the next batch is written. */
  #columns: readonly PointColumn[] | undefined

  constructor(wanted: ImportArguments) {
    this.#wanted = wanted
    this.#database = wanted.database
    this.#policy = wanted.policy
    if (wanted.errorsFile !== undefined) writeFileSync(wanted.errorsFile, '')
  }

  async run(): Promise<number> {
    const { inputs, errorsMax, isDryRun } = this.#wanted
    const started = performance.now()
    for (const input of inputs) {
      try {
        await this.#read(input)
      } catch (error) {
        this.#line.end()
        if (error instanceof UsageError) throw error
        const reason = error instanceof Error ? error.message : String(error)
        throw new Error(`${input.name}: ${reason}${isDryRun ? '' : this.#advice(input)}`)
      }
    }
    this.#line.end()
    this.#tell((performance.now() - started) / 1000)
    return this.#errorCount > errorsMax || (this.#errorCount > 0 && this.#pointCount === 0) ? 1 : 0
  }

  /** How to go on behind what is written. */
  #advice(input: ImportInput): string {
    const { inputs } = this.#wanted
    const left = inputs.slice(inputs.indexOf(input))
    const lines = this.#lineCount
    if (lines === 0 && left.length === inputs.length) return ''
    const names = inputs.length === 1 ? [] : left.map(({ name }) => name)
    const skip = lines === 0 ? [] : ['--skip-lines', String(lines)]
    return `\nlines up to ${lines} are written: go on with ${[...names, ...skip].join(' ')}`
  }

  #tell(seconds: number): void {
    const { isDryRun, isJson } = this.#wanted
    const [points, refused] = [this.#pointCount, this.#errorCount]
    if (isJson) {
      printJson({ points, refused, seconds: Number(seconds.toFixed(3)), dryRun: isDryRun })
      return
    }
    const what = isDryRun ? 'points, nothing was written,' : `points in ${seconds.toFixed(1)} s,`
    process.stdout.write(`${points} ${what} ${refused} refused\n`)
  }

  async #read(input: ImportInput): Promise<void> {
    const { inputs, errorsMax } = this.#wanted
    // Of several files those behind the first were not begun.
    const skipLines = input === inputs[0] ? this.#wanted.skipLines : 0
    this.#lineCount = 0
    const total = inputs.reduce((sum, { size }) => sum + size, 0)
    for await (const batch of this.#batches(input)) {
      if (this.#columns !== undefined) await this.#show(batch)
      for (const { row, reason } of batch.refused) this.#refuse(row, reason)
      this.#errorCount += batch.refused.length
      const isWanted = batch.lastRow > skipLines
      if (input.format === 'lp') await this.#takeLines(batch, isWanted)
      else if (isWanted && batch.pointCount > 0) await this.#write(batch.bytes, batch.rowOf)
      this.#lineCount = batch.lastRow
      const what = `line ${batch.lastRow}`
      this.#line.update({ done: this.#bytesDone, total, points: this.#pointCount, what })
      if (this.#errorCount > errorsMax) {
        throw new Error(`more than ${errorsMax} lines were refused (--errors-max)`)
      }
    }
  }

  #batches({ format, path, chunks }: ImportInput): AsyncIterable<PointBatch> {
    const onColumns = (columns: readonly PointColumn[]) => {
      this.#columns = columns
    }
    const options = { ...this.#wanted.options, onColumns }
    if (format === 'parquet') return typedRows(parquetRows(path ?? ''), options, 1 << 20)
    const counted = chunks((bytes) => {
      this.#bytesDone += bytes
    })
    return pointBatches(counted, format, options)
  }

  /** What was found out about the file, and the first of its points; somebody at a terminal is asked. */
  async #show({ bytes }: PointBatch): Promise<void> {
    const columns = this.#columns ?? []
    this.#columns = undefined
    const words = columns.map((column) => `  ${column.name || '(no name)'}: ${columnWord(column)}`)
    const text = Buffer.from(bytes.subarray(0, 10_000)).toString()
    const lines = text
      .trimEnd()
      .split('\n', sampleLines)
      .map((line) => `  ${line}`)
    this.#line.note(['columns:', ...words, 'points:', ...lines].join('\n'))
    const isAsked = process.stdin.isTTY === true && process.stderr.isTTY === true
    if (this.#wanted.isSure || !isAsked) return
    const asking = createInterface({ input: process.stdin, output: process.stderr })
    const answer = await asking.question('Write them like this? [Y/n] ')
    asking.close()
    if (/^n/i.test(answer)) {
      throw new UsageError('nothing was written: say with --columns NAME=TYPE,... what they are')
    }
  }

  /** Context lines count also where the points are written already. */
  async #takeLines({ bytes, rowOf }: PointBatch, isWanted: boolean): Promise<void> {
    for (const part of contextParts(bytes)) {
      if (part.statement !== undefined && !this.#wanted.isDryRun) {
        await this.#wanted.client.query(part.statement)
      }
      this.#database = part.database ?? this.#database
      this.#policy = part.policy ?? this.#policy
      if (part.bytes !== undefined && isWanted) {
        await this.#write(part.bytes, (line) => rowOf(part.line + line))
      }
    }
  }

  async #write(bytes: Uint8Array, rowOf: (line: number) => number): Promise<void> {
    const { client, bucket, org, precision, isDryRun, pace } = this.#wanted
    const parser = new LineProtocolParser({ fastLines })
    const parsed = parser.parse(bytes, { precision, now: 0n })
    const good = parsed.lineCount - parsed.errorCount
    for (const { line, message } of parsed.errors) this.#refuse(rowOf(line), message)
    this.#errorCount += parsed.errorCount
    if (isDryRun) this.#pointCount += good
    if (good === 0 || isDryRun) return
    const database = this.#database
    if (bucket === undefined && database === undefined) {
      throw new UsageError('flag --bucket or --database is required: the file names no database')
    }
    const waitMs = pace?.take(bytes.length, performance.now()) ?? 0
    if (waitMs > 0) await pause(waitMs)
    try {
      if (bucket !== undefined) await client.writeBucket(bucket, org, precision, bytes)
      else await client.write(database ?? '', this.#policy ?? '', bytes, precision)
      this.#pointCount += good
    } catch (error) {
      if (!(error instanceof ServerRefusal)) throw error
      this.#takeRefusal(error, good, new Set(parsed.errors.map(({ line }) => line)), rowOf)
    }
  }

  /**
   * Of a batch that was written in part, or not at all although it is line protocol; what is malformed was counted
   * already. Servers say how many points they dropped, or name the lines.
   */
  #takeRefusal(
    refusal: ServerRefusal,
    good: number,
    malformed: ReadonlySet<number>,
    rowOf: (line: number) => number,
  ): void {
    const { message, lines } = refusal
    const isOfPoints = /dropped=\d|partial write|error writing line/.test(message)
    if (!isOfPoints && malformed.size === 0) throw new UserError('invalid', message)
    const dropped = /dropped=(\d+)/.exec(message)?.[1]
    const named = message.match(/error writing line/g)?.length ?? 0
    const isNothing = message.includes('no data written') && named > 0
    const droppedCount = isNothing ? good : Number(dropped ?? named)
    this.#pointCount += good - droppedCount
    this.#errorCount += droppedCount
    const told = lines.filter(({ line }) => !malformed.has(line))
    for (const { line, reason } of told) this.#refuse(rowOf(line), reason)
    if (droppedCount > 0 && told.length === 0) this.#refuse(rowOf(1), message)
  }

  #refuse(line: number, message: string): void {
    const { errorsFile } = this.#wanted
    const text = `# line ${line}: ${message}`
    if (errorsFile !== undefined) appendFileSync(errorsFile, `${text}\n`)
    else this.#line.note(text)
  }
}
