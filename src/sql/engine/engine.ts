// An SQL engine as the service sees it: a process with DuckDB (`sql-engine.ts`) that handles one request at a time.
// A crash ends only that process: the request that waits for it fails, and the engine is not used again.

import { UserError } from '../../errors.js'
import { ChildProgram, type ProgramEnd } from '../../platform/child-program.js'
import { missingDuckdb } from './missing-duckdb.js'
import {
  type FailureText,
  type Frame,
  FrameReader,
  frameHead,
  type Input,
  type Request,
  replies,
  requests,
} from './protocol.js'

/** What Node and DuckDB take before the first statement: 95 MB were seen, of which 22 MB hold something. */
const startBytes = 256 * 1024 * 1024
/** Allocators hold as much again in reserve and between what is in use. */
const reserveFactor = 2
/** Of the program and its libraries, which are not written to. */
const codeBytes = 96 * 1024 * 1024
const heapMegabytesMax = 96
/** An engine that does not respond to an interrupt by then is ended. */
const interruptMilliseconds = 1000
/** An engine that has not started by then is ended. */
const startMilliseconds = 60_000

const lastReplies: ReadonlySet<number> = new Set([
  replies.done,
  replies.text,
  replies.end,
  replies.failed,
  replies.idle,
  replies.ready,
])

interface Waiting {
  resolve(frame: Frame): void
  reject(error: Error): void
}

export class Engine {
  readonly memoryBytesMax: number
  readonly ended: Promise<void>
  readonly #program: ChildProgram
  readonly #inbox: Frame[] = []
  #waiting: Waiting | undefined
  #death: Error | undefined
  #isBusy = true
  #isKilled = false
  #killTimer: NodeJS.Timeout | undefined
  #lastLook: NodeJS.Immediate | undefined
  #onRoom: (() => void) | undefined
  #startResidentBytes = 0

  /** 0: as much memory as DuckDB allows itself. */
  constructor(program: URL, memoryBytesMax: number) {
    this.memoryBytesMax = memoryBytesMax
    const isBounded = memoryBytesMax > 0
    const dataBytesMax = isBounded ? startBytes + reserveFactor * memoryBytesMax : 0
    const residentBytesMax = isBounded ? dataBytesMax + codeBytes : 0
    const args = [memoryBytesMax, residentBytesMax].map(String)
    this.#program = new ChildProgram(program, args, { dataBytesMax, heapMegabytesMax })
    const reader = new FrameReader((frame) => this.#receive(frame))
    this.#program.control.on('data', (piece) => reader.push(piece))
    this.#program.input.on('drain', () => this.#onRoom?.())
    this.ended = this.#program.ended.then((end) => this.#die(end))
  }

  get hasEnded(): boolean {
    return this.#death !== undefined
  }

  get pid(): number | undefined {
    return this.#program.pid
  }

  /** Bytes that it holds more than when it had just started. */
  grownBytes(residentBytes: number): number {
    return residentBytes - this.#startResidentBytes
  }

  /** Once, before anything else. */
  async start(): Promise<void> {
    this.#killLater(startMilliseconds)
    this.#startResidentBytes = countOf(await this.nextReply())
  }

  /** While it works, it keeps the process of the service alive. */
  hold(isHeld: boolean): void {
    this.#program.hold(isHeld)
  }

  kill(): void {
    this.#isKilled = true
    this.#program.kill()
  }

  send(request: Request, payload: Uint8Array | string): void {
    this.#isBusy = true
    this.#write(request, typeof payload === 'string' ? Buffer.from(payload) : payload)
  }

  /** The next reply. Throws where it is a failure, or where none can come any more. */
  async nextReply(): Promise<Frame> {
    const frame = this.#inbox.shift() ?? (await this.#arrival())
    if (frame.kind === replies.failed) throw failureOf(frame)
    return frame
  }

  /** Acknowledges so many bytes of rows, for flow control. */
  acknowledgeRows(byteCount: number): void {
    const payload = Buffer.alloc(4)
    payload.writeUInt32LE(byteCount)
    this.#write(requests.more, payload)
  }

  /** The current request fails, or the process is ended. */
  interrupt(): void {
    if (!this.#isBusy) return
    this.#write(requests.interrupt, new Uint8Array(0))
    this.#killLater(interruptMilliseconds)
  }

  /** Forgets the statement; the bytes that it holds then. Throws where the process has ended. */
  async reset(fedCount: number): Promise<number> {
    this.interrupt()
    while (this.#isBusy) await this.nextReply().catch((error) => this.#throwIfEnded(error))
    this.#inbox.length = 0
    const payload = Buffer.alloc(4)
    payload.writeUInt32LE(fedCount)
    this.send(requests.reset, payload)
    this.#killLater(interruptMilliseconds)
    const reply = await this.nextReply()
    // Its reply may have been on the way when it was killed: whoever got it next would see it end.
    if (this.#isKilled) throw new Error('the SQL engine did not respond in time')
    return countOf(reply)
  }

  /** Sends a frame of rows in pieces. `written` is called when the pieces may be changed again. */
  feed(pieces: readonly Uint8Array[], written: () => void): void {
    const { input } = this.#program
    input.cork()
    pieces.forEach((piece, i) => {
      if (i === pieces.length - 1) input.write(piece, written)
      else input.write(piece)
    })
    input.uncork()
  }

  endFeed(kind: Input): void {
    this.#program.input.write(frameHead(kind, 0))
  }

  /** Until more rows may be fed. */
  async room(signal: AbortSignal): Promise<void> {
    if (!this.#program.input.writableNeedDrain) return
    const onAbort = () => this.#onRoom?.()
    signal.addEventListener('abort', onAbort)
    await new Promise<void>((resolve) => {
      this.#onRoom = resolve
      if (signal.aborted || this.hasEnded) resolve()
    })
    signal.removeEventListener('abort', onAbort)
    this.#onRoom = undefined
    if (this.#death !== undefined) throw this.#death
    signal.throwIfAborted()
  }

  #arrival(): Promise<Frame> {
    return new Promise((resolve, reject) => {
      if (this.#death !== undefined) reject(this.#death)
      else this.#waiting = { resolve, reject }
    })
  }

  #write(request: Request, payload: Uint8Array): void {
    const { control } = this.#program
    control.cork()
    control.write(frameHead(request, payload.length))
    if (payload.length > 0) control.write(payload)
    control.uncork()
  }

  #receive(frame: Frame): void {
    if (lastReplies.has(frame.kind)) {
      this.#isBusy = false
      this.#killNoMore()
    }
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) this.#inbox.push(frame)
    else waiting.resolve(frame)
  }

  /** A thread that was held up finds its timers due before it reads: what has come is read before anybody is killed. */
  #killLater(milliseconds: number): void {
    this.#killNoMore()
    const look = () => {
      this.#lastLook = setImmediate(() => this.kill())
    }
    this.#killTimer = setTimeout(look, milliseconds).unref()
  }

  #killNoMore(): void {
    clearTimeout(this.#killTimer)
    clearImmediate(this.#lastLook)
  }

  #die(end: ProgramEnd): void {
    this.#killNoMore()
    this.#isBusy = false
    this.#death = this.#causeOf(end)
    this.#waiting?.reject(this.#death)
    this.#onRoom?.()
  }

  #causeOf({ code, signal, said }: ProgramEnd): Error {
    if (/out of memory|bad_alloc|cannot allocate memory/i.test(said)) {
      const limit = `(${this.memoryBytesMax} bytes)`
      return new UserError('invalid', `query memory limit exceeded: ${limit}`)
    }
    const missing = missingDuckdb(said, 'SQL')
    if (missing !== undefined) return missing
    const last = said.trim().split('\n').at(-1)
    const how = signal === null ? `exit code ${code}` : signal
    return new Error(`the SQL engine ended unexpectedly (${how})${last ? `: ${last}` : ''}`)
  }

  #throwIfEnded(error: unknown): void {
    if (this.hasEnded) throw error
  }
}

function countOf({ payload }: Frame): number {
  return Number(Buffer.from(payload.buffer).readBigUInt64LE(0))
}

function failureOf({ payload }: Frame): Error {
  const { message, isOurs } = JSON.parse(Buffer.from(payload.buffer).toString()) as FailureText
  return isOurs ? new UserError('invalid', message) : new Error(message)
}
