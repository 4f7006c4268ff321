// `import` and `write`: line protocol from files or standard input into a running server, in batches, with what an
// export of InfluxDB says between its lines: which database they belong to, and what has to be made first. Lines that
// are refused go to a file with their reason; the others are written.

import { appendFileSync, writeFileSync } from 'node:fs'
import { type Flags, parseFlags } from '../config.js'
import { UserError } from '../errors.js'
import { LineProtocolParser, type Precision } from '../line-protocol/parser.js'
import { V1Client } from '../migrate/connection/v1-client.js'
import {
  flagOrVariable,
  importFlags,
  judgeArguments,
  splitOperands,
  UsageError,
} from './arguments.js'
import { type LineBatch, lineBatches } from './line-batches.js'
import { type LineInput, openInput } from './line-input.js'
import { ProgressLine } from './progress-line.js'

/** Of a request: a server takes 25 MB. */
const batchBytes = 2 << 20

const precisions: readonly string[] = ['ns', 'us', 'ms', 's']

interface ImportArguments {
  readonly inputs: readonly LineInput[]
  readonly client: V1Client
  readonly bucket: string | undefined
  readonly org: string | undefined
  readonly database: string | undefined
  readonly policy: string | undefined
  readonly precision: Precision
  readonly skipLines: number
  readonly errorsMax: number
  readonly errorsFile: string | undefined
}

export async function importCommand(args: readonly string[]): Promise<number> {
  return new Import(judgeArguments(() => readArguments(args))).run()
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

  constructor(wanted: ImportArguments) {
    this.#wanted = wanted
    this.#database = wanted.database
    this.#policy = wanted.policy
    if (wanted.errorsFile !== undefined) writeFileSync(wanted.errorsFile, '')
  }

  async run(): Promise<number> {
    const { inputs, errorsMax } = this.#wanted
    const started = performance.now()
    for (const input of inputs) {
      try {
        await this.#read(input)
      } catch (error) {
        this.#line.end()
        const reason = error instanceof Error ? error.message : String(error)
        const advice = `lines up to ${this.#lineCount} are written: go on with --skip-lines ${this.#lineCount}`
        throw new Error(`${input.name}: ${reason}\n${advice}`)
      }
    }
    this.#line.end()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    process.stdout.write(
      `${this.#pointCount} points in ${seconds} s, ${this.#errorCount} refused\n`,
    )
    return this.#errorCount > errorsMax || (this.#errorCount > 0 && this.#pointCount === 0) ? 1 : 0
  }

  async #read(input: LineInput): Promise<void> {
    const { skipLines, errorsMax } = this.#wanted
    this.#lineCount = 0
    const chunks = input.chunks((bytes) => {
      this.#bytesDone += bytes
    })
    const total = this.#wanted.inputs.reduce((sum, { size }) => sum + size, 0)
    for await (const batch of lineBatches(chunks, batchBytes)) {
      const stop = batch.firstLine + batch.lineCount - 1
      // Context lines count also where the points are written already.
      for (const part of partsOf(batch)) {
        if (part.statement !== undefined) await this.#wanted.client.query(part.statement)
        this.#database = part.database ?? this.#database
        this.#policy = part.policy ?? this.#policy
        if (part.bytes !== undefined && stop > skipLines)
          await this.#write(part.bytes, batch.firstLine + part.line)
      }
      this.#lineCount = stop
      const what = `line ${stop}`
      this.#line.update({ done: this.#bytesDone, total, points: this.#pointCount, what })
      if (this.#errorCount > errorsMax) {
        throw new Error(`more than ${errorsMax} lines were refused (--errors-max)`)
      }
    }
  }

  async #write(bytes: Uint8Array, firstLine: number): Promise<void> {
    const { client, bucket, org, precision } = this.#wanted
    const parser = new LineProtocolParser()
    const parsed = parser.parse(bytes, { precision, now: 0n })
    const good = parsed.lineCount - parsed.errorCount
    for (const { line, message } of parsed.errors) this.#refuse(firstLine + line - 1, message)
    this.#errorCount += parsed.errorCount
    if (good === 0) return
    const database = this.#database
    if (bucket === undefined && database === undefined) {
      throw new UsageError('flag --bucket or --database is required: the file names no database')
    }
    try {
      if (bucket !== undefined) await client.writeBucket(bucket, org, precision, bytes)
      else await client.write(database ?? '', this.#policy ?? '', bytes, precision)
      this.#pointCount += good
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      this.#takeRefusal(error.message, good, parsed.errorCount > 0, firstLine)
    }
  }

  /**
   * Of a batch that was written in part, or not at all although it is line protocol; what is malformed was counted
   * already. Servers say how many points they dropped, or name the lines.
   */
  #takeRefusal(message: string, good: number, hasMalformed: boolean, firstLine: number): void {
    const isOfPoints = /dropped=\d|partial write|error writing line/.test(message) || hasMalformed
    if (!isOfPoints) throw new UserError('invalid', message)
    const dropped = /dropped=(\d+)/.exec(message)?.[1]
    const named = message.match(/error writing line/g)?.length ?? 0
    const isNothing = message.includes('no data written') && named > 0
    const droppedCount = isNothing ? good : Number(dropped ?? named)
    this.#pointCount += good - droppedCount
    this.#errorCount += droppedCount
    if (droppedCount > 0) this.#refuse(firstLine, message)
  }

  #refuse(line: number, message: string): void {
    const { errorsFile } = this.#wanted
    const text = `# line ${line}: ${message}`
    if (errorsFile !== undefined) appendFileSync(errorsFile, `${text}\n`)
    else this.#line.note(text)
  }
}

interface Part {
  /** How many lines of the batch stand before it. */
  readonly line: number
  readonly bytes?: Uint8Array
  readonly statement?: string
  readonly database?: string
  readonly policy?: string
}

/** The batch between the context lines of an export; one part where there are none. */
function* partsOf({ bytes }: LineBatch): Generator<Part> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let start = 0
  let startLine = 0
  let line = 0
  for (let at = 0; at < buffer.length; ) {
    const found = buffer.indexOf(10, at)
    const end = found < 0 ? buffer.length : found + 1
    const context = contextOf(buffer, at, end)
    line++
    if (context !== undefined) {
      if (at > start) yield { line: startLine, bytes: buffer.subarray(start, at) }
      yield { line, ...context }
      start = end
      startLine = line
    }
    at = end
  }
  if (start < buffer.length) yield { line: startLine, bytes: buffer.subarray(start) }
}

const hash = 35
const letterC = 67

function contextOf(buffer: Buffer, start: number, end: number): Omit<Part, 'line'> | undefined {
  if (buffer[start] !== hash && buffer[start] !== letterC) return undefined
  const line = buffer.toString('utf8', start, Math.min(end, start + 4096)).trim()
  const context = /^#\s*CONTEXT-(DATABASE|RETENTION-POLICY):\s*(.+)$/.exec(line)
  if (context !== null) {
    return context[1] === 'DATABASE' ? { database: context[2] } : { policy: context[2] }
  }
  // A measurement of that name would have a comma or a field behind it.
  return /^CREATE (DATABASE|RETENTION POLICY) [^=]+$/.test(line) ? { statement: line } : undefined
}

function readArguments(args: readonly string[]): ImportArguments {
  const { operands, others } = splitOperands(args, importFlags)
  const flags = parseFlags(others, importFlags)
  const precision = flags.get('precision') ?? 'ns'
  if (!precisions.includes(precision)) {
    throw new UserError(
      'invalid',
      `flag --precision: "${precision}" is not one of ${precisions.join(', ')}`,
    )
  }
  const host = flagOrVariable(flags, 'host') ?? 'http://127.0.0.1:8086'
  return {
    inputs: (operands.length === 0 ? ['-'] : operands).map(openInput),
    client: new V1Client(host, { token: flagOrVariable(flags, 'token') }),
    bucket: flags.get('bucket'),
    org: flags.get('org'),
    database: flags.get('database'),
    policy: flags.get('policy'),
    precision: precision as Precision,
    skipLines: count(flags, 'skip-lines', 0),
    errorsMax: count(flags, 'errors-max', 1000),
    errorsFile: flags.get('errors-file'),
  }
}

function count(flags: Flags, flag: string, otherwise: number): number {
  const text = flags.get(flag)
  if (text === undefined) return otherwise
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new UserError('invalid', `flag --${flag}: "${text}" is not a whole number`)
}
