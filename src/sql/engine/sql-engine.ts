// The program of an SQL engine: DuckDB in a process of its own, for one statement at a time. An instance that has no
// access to files, extensions or settings, with memory and threads of its own limits; a statement's tables are
// temporary ones of its connection and go with it. Ends when its parent is gone, and when it takes too much memory.

import { Socket } from 'node:net'
import { UserError } from '../../errors.js'
import { BlockingInput } from '../../platform/blocking-input.js'
import { controlDescriptor, inputDescriptor } from '../../platform/child-program.js'
import { encodeBatch } from './batch-bytes.js'
import {
  type Bindings,
  type DuckDBConnection,
  type DuckDBInstance,
  type DuckDBPreparedStatement,
  loadBindings,
} from './bindings.js'
import { ChunkReader } from './chunk-reader.js'
import { macros } from './macros.js'
import {
  type FailureText,
  type Frame,
  FrameReader,
  frameHead,
  type Reply,
  replies,
  requests,
  type SourceText,
  unreadBytesMax,
} from './protocol.js'
import { Sources } from './source-table.js'

const threads = 2
/** DuckDB itself needs some to start. */
const memoryBytesMin = 16 * 1000 * 1000
/** Behind the kernel's limit, and where that has none. */
const lookMilliseconds = 20

/** Behind such an error an instance is of no use. */
const broken = /^(FATAL|INTERNAL) Error|database has been invalidated/

const [memoryBytesMax, residentBytesMax] = process.argv.slice(2).map(Number)

/** At once, whatever DuckDB's threads do: `process.exit` waits for some of them. */
function die(): never {
  process.kill(process.pid, 'SIGKILL')
  throw new Error('killed')
}

async function openInstance({ api }: Bindings, sources: Sources): Promise<DuckDBInstance> {
  const memory = Math.ceil(Math.max(memoryBytesMax, memoryBytesMin) / 1000)
  const instance = await api.DuckDBInstance.create(':memory:', {
    threads: String(threads),
    ...(memoryBytesMax > 0 ? { memory_limit: `${memory}KB` } : {}),
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
    default_null_order: 'nulls_last_on_asc_first_on_desc',
    temp_directory: '',
  })
  const connection = await instance.connect()
  try {
    await connection.run("SET GLOBAL TimeZone = 'UTC'")
    sources.register(connection)
    for (const macro of macros) await connection.run(macro)
    // In this order: nothing can be set behind the last one.
    await connection.run('SET GLOBAL enable_external_access = false')
    await connection.run('SET GLOBAL lock_configuration = true')
  } finally {
    connection.closeSync()
  }
  return instance
}

/** DuckDB's own parser and printer, prepared once: half of the time of each use. */
interface Parser {
  readonly parse: DuckDBPreparedStatement
  readonly print: DuckDBPreparedStatement
}

async function openParser(instance: DuckDBInstance): Promise<Parser> {
  const connection = await instance.connect()
  return {
    parse: await connection.prepare('SELECT json_serialize_sql($1::VARCHAR)'),
    print: await connection.prepare('SELECT json_deserialize_sql($1::VARCHAR::JSON)'),
  }
}

class EngineProcess {
  readonly #bindings: Bindings
  readonly #instance: DuckDBInstance
  readonly #sources: Sources
  readonly #control: Socket
  readonly #parser: Parser
  readonly #waiting: Frame[] = []
  #connection: DuckDBConnection
  #isWorking = false
  #isInterrupted = false
  #unreadBytes = 0
  #onRead: (() => void) | undefined

  constructor(
    bindings: Bindings,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    sources: Sources,
    parser: Parser,
    control: Socket,
  ) {
    this.#parser = parser
    this.#bindings = bindings
    this.#instance = instance
    this.#connection = connection
    this.#sources = sources
    this.#control = control
  }

  ready(): void {
    this.#send(replies.ready, residentBytes())
  }

  /** DuckDB's own limit does not see all that is made within a vector. */
  checkMemory(): void {
    const bytes = process.memoryUsage.rss()
    if (bytes <= residentBytesMax) return
    const message = `query memory limit exceeded: (${bytes}/${memoryBytesMax} bytes)`
    this.#fail({ message, isOurs: true }, true)
  }

  take(frame: Frame): void {
    switch (frame.kind) {
      case requests.interrupt:
        this.#isInterrupted = true
        this.#connection.interrupt()
        this.#onRead?.()
        return
      case requests.more:
        this.#unreadBytes -= Buffer.from(frame.payload.buffer).readUInt32LE(0)
        this.#onRead?.()
        return
    }
    this.#waiting.push(frame)
    void this.#work()
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return
    this.#isWorking = true
    for (;;) {
      const frame = this.#waiting.shift()
      if (frame === undefined) break
      this.#isInterrupted = false
      try {
        await this.#handle(frame.kind, Buffer.from(frame.payload.buffer))
      } catch (error) {
        const { message } = error as Error
        this.#fail({ message, isOurs: error instanceof UserError }, broken.test(message))
      }
    }
    this.#isWorking = false
  }

  async #handle(kind: number, payload: Buffer): Promise<void> {
    const text = kind === requests.reset ? '' : payload.toString()
    switch (kind) {
      case requests.parse:
        return this.#text(this.#parser.parse, text)
      case requests.print:
        return this.#text(this.#parser.print, text)
      case requests.run:
        await this.#connection.run(text)
        return this.#send(replies.done)
      case requests.source:
        this.#sources.add(JSON.parse(text) as SourceText)
        return this.#send(replies.done)
      case requests.describe:
        return this.#describe(text)
      case requests.query:
        return this.#query(text)
      case requests.reset:
        return this.#reset(payload.readUInt32LE(0))
    }
  }

  async #text(prepared: DuckDBPreparedStatement, argument: string): Promise<void> {
    prepared.bindVarchar(1, argument)
    const reader = await prepared.runAndReadAll()
    this.#send(replies.text, Buffer.from(reader.getRows()[0][0] as string))
  }

  async #describe(sql: string): Promise<void> {
    const prepared = await this.#connection.prepare(sql)
    const places = Array.from({ length: prepared.columnCount }, (_, i) => i)
    const types = places.map((i) => prepared.columnType(i))
    this.#sendColumns(places.map((i) => prepared.columnName(i)))
    this.#send(replies.rows, encodeBatch(new ChunkReader(this.#bindings, types).emptyBatch()))
    prepared.destroySync()
    this.#send(replies.end)
  }

  async #query(sql: string): Promise<void> {
    const result = await this.#connection.stream(sql)
    this.#sendColumns(result.columnNames())
    const reader = new ChunkReader(this.#bindings, result.columnTypes())
    this.#unreadBytes = 0
    let isEmpty = true
    for (;;) {
      await this.#mayGoOn()
      const chunk = await result.fetchChunk()
      if (chunk === null || chunk.rowCount === 0) break
      isEmpty = false
      for (const batch of reader.batches(chunk)) this.#sendRows(encodeBatch(batch))
    }
    // An answer that fails after its first rows looks like one at its end but for this, and does not say why.
    if (this.#isInterrupted) throw new Error('Interrupt Error: interrupted')
    if (result.returnType === this.#bindings.api.ResultReturnType.INVALID) throw failedLate()
    // At least one batch, so that the types are known of an answer without rows.
    if (isEmpty) this.#sendRows(encodeBatch(reader.emptyBatch()))
    this.#send(replies.end)
  }

  /** Until enough of what was sent has been read. An interrupted query goes on too, to end in DuckDB. */
  async #mayGoOn(): Promise<void> {
    while (this.#unreadBytes >= unreadBytesMax && !this.#isInterrupted) {
      await new Promise<void>((resolve) => {
        this.#onRead = resolve
      })
    }
    this.#onRead = undefined
  }

  async #reset(fedCount: number): Promise<void> {
    this.#sources.drain(fedCount)
    this.#sources.clear()
    this.#connection.closeSync()
    this.#connection = await this.#instance.connect()
    this.#send(replies.idle, residentBytes())
  }

  #sendColumns(names: readonly string[]): void {
    this.#send(replies.columns, Buffer.from(JSON.stringify(names)))
  }

  #sendRows(bytes: Uint8Array): void {
    this.#unreadBytes += bytes.length
    this.#send(replies.rows, bytes)
  }

  #fail(failure: FailureText, isLast: boolean): void {
    const payload = Buffer.from(JSON.stringify(failure))
    this.#control.write(frameHead(replies.failed, payload.length))
    this.#control.write(payload, isLast ? die : undefined)
  }

  #send(kind: Reply, payload?: Uint8Array): void {
    this.#control.write(frameHead(kind, payload?.length ?? 0))
    if (payload !== undefined) this.#control.write(payload)
  }
}

function failedLate(): UserError {
  const reasons = 'a value could not be computed, or the memory of the query did not suffice'
  const message = `Error during execution: failed after the first rows of the answer: ${reasons}`
  return new UserError('invalid', message)
}

function residentBytes(): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(process.memoryUsage.rss()))
  return bytes
}

async function main(): Promise<void> {
  // These are meant for the service, which finishes what is under way.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const control = new Socket({ fd: controlDescriptor, readable: true, writable: true })
  const frames: Frame[] = []
  let take = (frame: Frame): void => void frames.push(frame)
  const reader = new FrameReader((frame) => take(frame))
  control.on('data', (piece) => reader.push(piece))
  control.on('close', die)
  control.on('error', die)
  const bindings = await loadBindings()
  const sources = new Sources(bindings, new BlockingInput(inputDescriptor), die)
  const instance = await openInstance(bindings, sources)
  const connection = await instance.connect()
  const parser = await openParser(instance)
  const engine = new EngineProcess(bindings, instance, connection, sources, parser, control)
  take = (frame) => engine.take(frame)
  for (const frame of frames) engine.take(frame)
  engine.ready()
  if (residentBytesMax > 0) setInterval(() => engine.checkMemory(), lookMilliseconds)
}

await main()
