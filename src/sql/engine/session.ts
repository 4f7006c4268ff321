// A statement's use of an engine: the requests to DuckDB while it runs, and the rows that are fed meanwhile. An
// aborted signal interrupts what the engine is doing.

import { UserError } from '../../errors.js'
import type { ResultBatch } from '../../query/language.js'
import { parserError } from '../statement/failure.js'
import { outsideName } from '../statement/names.js'
import { parseTree, printTree, type TreeNode } from '../statement/tree.js'
import { decodeBatch, resultBatch } from './batch-bytes.js'
import type { Engine } from './engine.js'
import type { EnginePool } from './engine-pool.js'
import type { Feed } from './feed.js'
import { type Request, replies, requests, type SourceColumn } from './protocol.js'

export class Session {
  readonly #engine: Engine
  readonly #pool: EnginePool
  readonly #signal: AbortSignal
  readonly #interrupt = () => this.#engine.interrupt()
  #sourceCount = 0
  #fedCount = 0

  private constructor(pool: EnginePool, engine: Engine, signal: AbortSignal) {
    this.#pool = pool
    this.#engine = engine
    this.#signal = signal
    signal.addEventListener('abort', this.#interrupt)
  }

  static async open(
    pool: EnginePool,
    memoryBytesMax: number,
    signal: AbortSignal,
  ): Promise<Session> {
    return new Session(pool, await pool.acquire(memoryBytesMax, signal), signal)
  }

  /** Whatever it is doing ends. Resolves when the engine is ready for the next statement. */
  close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#interrupt)
    return this.#pool.release(this.#engine, this.#fedCount)
  }

  /** The tree of a single query. */
  async parse(text: string): Promise<TreeNode> {
    const answer = parseTree(await this.#text(requests.parse, text)) as ParseAnswer
    if (answer.error) {
      const offset = answer.position === undefined ? undefined : Number(answer.position)
      throw parserError(answer.error_message ?? 'syntax error', text, offset)
    }
    if (answer.statements?.length !== 1) {
      throw new UserError('invalid', 'Error while planning query: exactly one statement is needed')
    }
    return answer.statements[0].node
  }

  print(node: TreeNode): Promise<string> {
    const statements = [{ node, named_param_map: [] }]
    return this.#text(requests.print, printTree({ error: false, statements }))
  }

  /** With a feed: the statement that reads its source. Fails as the feed does. */
  async run(sql: string, feed?: Feed): Promise<void> {
    const fed = feed === undefined ? undefined : this.#start(feed)
    try {
      this.#send(requests.run, sql)
      await this.#engine.nextReply()
    } catch (error) {
      await fed?.stop()
      throw fed?.failure ?? error
    }
    await fed?.stop()
  }

  /** A table of DuckDB that will be fed, or described only; what it is called in a statement. */
  async source(columns: readonly SourceColumn[]): Promise<string> {
    const number = this.#sourceCount++
    this.#send(requests.source, JSON.stringify({ number, columns }))
    await this.#engine.nextReply()
    return `mr_source(${number})`
  }

  /** The first row, as the columns of a batch with at least that row. */
  async row(sql: string): Promise<ResultBatch> {
    let first: ResultBatch | undefined
    for await (const batch of this.query(sql)) first ??= batch
    return first!
  }

  /** The columns of an answer, as a batch without rows. */
  async describe(sql: string): Promise<ResultBatch> {
    this.#send(requests.describe, sql)
    let first: ResultBatch | undefined
    for await (const batch of this.#batches()) first ??= batch
    return first!
  }

  /** At least one batch. With a feed: of a statement that reads its source. */
  async *query(sql: string, feed?: Feed): AsyncGenerator<ResultBatch, void, void> {
    const fed = feed === undefined ? undefined : this.#start(feed)
    try {
      this.#send(requests.query, sql)
      yield* this.#batches()
    } catch (error) {
      await fed?.stop()
      throw fed?.failure ?? error
    } finally {
      // A statement may have enough before all rows are read.
      await fed?.stop()
    }
  }

  async *#batches(): AsyncGenerator<ResultBatch, void, void> {
    let names: readonly string[] = []
    for (;;) {
      const { kind, payload } = await this.#engine.nextReply()
      if (kind === replies.end) return
      if (kind === replies.columns) {
        const inside = JSON.parse(Buffer.from(payload.buffer).toString()) as string[]
        names = inside.map(outsideName)
        continue
      }
      yield resultBatch(names, decodeBatch(payload))
      this.#engine.acknowledgeRows(payload.length)
    }
  }

  #start(feed: Feed): Feed {
    this.#fedCount++
    feed.start(this.#engine)
    return feed
  }

  /** Between two requests nothing else notices that the statement was aborted. */
  #send(request: Request, text: string): void {
    this.#signal.throwIfAborted()
    this.#engine.send(request, text)
  }

  async #text(request: Request, text: string): Promise<string> {
    this.#send(request, text)
    const { payload } = await this.#engine.nextReply()
    return Buffer.from(payload.buffer).toString()
  }
}

interface ParseAnswer {
  readonly error: boolean
  readonly error_message?: string
  readonly position?: string
  readonly statements?: readonly { readonly node: TreeNode }[]
}
