// Asks the service and reads its answer, away from the page's thread: the page stays quick while a million rows come.
// Stops at the limits of what a page can show, and stops the work in the service with it.

import { AnnotatedCsv } from './annotated-csv.js'
import { ArrowStream, Unreadable } from './arrow-stream.js'
import { JsonLines, V1Results } from './json-results.js'
import { longLines } from './lines.js'
import { type Failure, type Table, transferable } from './result.js'
import type { AskedForm, WorkerAnswer, WorkerMessage, WorkerRequest } from './worker-messages.js'

const running = new Map<number, AbortController>()
const progressMs = 200

self.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
  if ('stop' in data) running.get(data.stop)?.abort()
  else void answer(data)
}

function post(message: WorkerAnswer, transfer: ArrayBuffer[] = []): void {
  ;(self as unknown as Worker).postMessage(message, transfer)
}

async function answer(request: WorkerRequest): Promise<void> {
  const { id } = request
  const controller = new AbortController()
  running.set(id, controller)
  try {
    await ask(request, controller)
  } catch (error) {
    if (controller.signal.aborted) return
    const message = error instanceof TypeError ? 'The service cannot be reached.' : String(error)
    post({ id, failure: { message, status: 0 } })
  } finally {
    running.delete(id)
  }
}

async function ask(request: WorkerRequest, controller: AbortController): Promise<void> {
  const { id, url, body } = request
  const called = request.requestId
  const headers = { ...request.headers, ...(called && { 'x-request-id': called }) }
  const { signal } = controller
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal,
    credentials: 'same-origin',
  })
  const requestId = response.headers.get('x-request-id') ?? undefined
  if (response.status === 400 && request.otherwise !== undefined) {
    await askOtherwise(request, request.otherwise, controller)
    return
  }
  if (!response.ok || response.body === null) {
    const failure = failureOf(await response.text(), response.statusText)
    post({ id, failure: { ...failure, status: response.status, requestId } })
    return
  }
  const reading = new Reading(request)
  try {
    await reading.all(response.body, controller)
  } catch (error) {
    if (!(error instanceof Unreadable) || request.otherwise === undefined) throw error
    await askOtherwise(request, request.otherwise, controller)
    return
  }
  const { tables, failure } = reading.finish()
  if (failure !== undefined && tables.length === 0) {
    post({ id, failure: { message: failure, status: 200, requestId } })
    return
  }
  const rowCount = tables.reduce((sum, table) => sum + table.rowCount, 0)
  const { byteCount, stoppedAt } = reading
  const lines = longLines(tables, rowCount, request.moments)
  post({ id, tables, rowCount, byteCount, stoppedAt, lines }, transferable(tables, lines))
}

function askOtherwise(request: WorkerRequest, other: AskedForm, controller: AbortController) {
  return ask({ ...request, ...other, otherwise: undefined }, controller)
}

function failureOf(text: string, otherwise: string): Failure {
  try {
    const { code, message, error } = JSON.parse(text) as Record<string, string>
    return { message: message ?? error ?? otherwise, code }
  } catch {
    return { message: text === '' ? otherwise : text }
  }
}

class Reading {
  byteCount = 0
  stoppedAt: 'rows' | 'bytes' | undefined
  readonly #request: WorkerRequest
  readonly #csv = new AnnotatedCsv()
  readonly #lines = new JsonLines()
  readonly #results = new V1Results()
  readonly #arrow: ArrowStream
  readonly #decoder = new TextDecoder()

  constructor(request: WorkerRequest) {
    this.#request = request
    this.#arrow = new ArrowStream(request.form === 'flux-arrow')
  }

  async all(body: ReadableStream<Uint8Array>, controller: AbortController): Promise<void> {
    const { id, rowsMax, bytesMax } = this.#request
    const reader = body.getReader()
    let told = 0
    for (;;) {
      const { done, value } = await this.#read(reader)
      if (done) break
      this.byteCount += value.length
      try {
        this.#add(value)
      } catch (error) {
        await reader.cancel()
        throw error
      }
      const now = performance.now()
      if (now - told > progressMs) {
        told = now
        post({ id, progress: { bytes: this.byteCount, rows: this.#rows() } })
      }
      if (this.#rows() > rowsMax) this.stoppedAt = 'rows'
      else if (this.byteCount >= bytesMax) this.stoppedAt = 'bytes'
      if (this.stoppedAt === undefined) continue
      await reader.cancel()
      controller.abort()
      return
    }
    if (!this.#isArrow) this.#addText(this.#decoder.decode())
    else if (!this.#arrow.isWhole) throw new Unreadable('the answer broke off')
  }

  /** An answer as Arrow that fails on the way breaks off: why, only another form can tell. */
  async #read(reader: ReadableStreamDefaultReader<Uint8Array>) {
    try {
      return await reader.read()
    } catch (error) {
      if (!this.#isArrow || !(error instanceof TypeError)) throw error
      throw new Unreadable('the answer broke off')
    }
  }

  get #isArrow(): boolean {
    const { form } = this.#request
    return form === 'arrow' || form === 'flux-arrow'
  }

  finish(): { tables: readonly Table[]; failure: string | undefined } {
    switch (this.#request.form) {
      case 'annotated-csv':
        return { tables: this.#csv.finish(), failure: this.#csv.failure }
      case 'jsonl':
        return { tables: this.#lines.finish(), failure: undefined }
      case 'arrow':
      case 'flux-arrow':
        return { tables: this.#arrow.finish(), failure: undefined }
      case 'v1':
        return {
          tables: this.#results.finish(this.stoppedAt !== undefined),
          failure: this.#results.failure,
        }
    }
  }

  #rows(): number {
    switch (this.#request.form) {
      case 'annotated-csv':
        return this.#csv.rowCount
      case 'jsonl':
        return this.#lines.rowCount
      case 'arrow':
      case 'flux-arrow':
        return this.#arrow.rowCount
      case 'v1':
        return this.#results.rowCount
    }
  }

  #add(bytes: Uint8Array): void {
    if (this.#isArrow) this.#arrow.add(bytes)
    else this.#addText(this.#decoder.decode(bytes, { stream: true }))
  }

  #addText(text: string): void {
    if (this.#request.form === 'annotated-csv') this.#csv.add(text)
    else if (this.#request.form === 'jsonl') this.#lines.add(text)
    else this.#results.add(text)
  }
}
