// What one process asks all others that share the catalog, such as which queries they run. Question and answers are
// rows of the catalog, told by notifications: processes need no way to each other and no credentials for it, only the
// one to PostgreSQL that they have. Who is not connected, or does not answer in time, is named.

import { setTimeout } from 'node:timers/promises'
import type { Clock } from '../platform/clock.js'
import type { Random } from '../platform/random.js'
import type { SharedDatabase } from './base/connection.js'
import { newId } from './base/ids.js'
import { formatTimestamp } from './base/timestamps.js'

/** JSON in, JSON out. It is not waited for longer than an answer is. */
export type AnswerQuestion = (body: unknown) => unknown

/** Of a process that may be asked. */
export interface AskedNode {
  readonly id: string
  /** Empty: it serves nobody. */
  readonly url: string
  /** Undefined: a process of a version that knows no questions. */
  readonly number: number | undefined
}

export interface NodeAnswers {
  readonly answers: readonly unknown[]
  /** Ids of those that did not answer. */
  readonly missing: readonly string[]
}

export interface NodeQuestionsOptions {
  readonly shared: SharedDatabase
  readonly clock: Clock
  readonly random: Random
  readonly nodeId: () => string
  /** All whose lease has not ended. */
  readonly nodes: () => Promise<readonly AskedNode[]>
}

/** A process that is connected answers within some milliseconds, unless it is very busy. */
const answerMsMax = 2000
/** Questions whose asker has died. */
const keptNs = 60_000_000_000n
/** Whoever answers keeps to far less. */
const answerCharactersMax = 4 << 20

export class NodeQuestions {
  readonly #options: NodeQuestionsOptions
  readonly #answering = new Map<string, AnswerQuestion>()
  readonly #own = new Set<string>()

  constructor(options: NodeQuestionsOptions) {
    this.#options = options
  }

  answerWith(kind: string, answer: AnswerQuestion): void {
    this.#answering.set(kind, answer)
  }

  /** Asks all others. `isEnough`: an answer after which the rest need not be waited for. */
  async ask(
    kind: string,
    body: unknown,
    isEnough: (answer: unknown) => boolean = () => false,
  ): Promise<NodeAnswers> {
    const { shared, clock, random, nodeId, nodes } = this.#options
    const others = (await nodes()).filter(({ id, url }) => id !== nodeId() && url !== '')
    if (others.length === 0) return { answers: [], missing: [] }
    const connected = await shared.connected(others.map(({ id }) => id))
    const isAwaited = ({ id, number }: AskedNode) => connected.has(id) && number !== undefined
    const awaited = others.filter(isAwaited).map(({ id }) => id)
    const absent = others.filter((node) => !isAwaited(node)).map(({ id }) => id)
    if (awaited.length === 0) return { answers: [], missing: absent }
    const now = clock.now()
    const id = newId(random)
    const asked_at = formatTimestamp(now)
    this.#own.add(id)
    try {
      await shared.tellQuestion({ id, kind, body: JSON.stringify(body), asked_at })
      const { answers, missing } = await this.#collect(id, awaited, isEnough)
      return { answers, missing: [...absent, ...missing] }
    } finally {
      this.#own.delete(id)
      await this.#forget(id, now)
    }
  }

  async #collect(
    id: string,
    awaited: readonly string[],
    isEnough: (answer: unknown) => boolean,
  ): Promise<NodeAnswers> {
    for (let waited = 0, wait = 2; ; waited += wait, wait = Math.min(wait * 2, 50)) {
      await setTimeout(wait)
      const rows = await this.#options.shared.untracked
        .selectFrom('node_answers')
        .select(['node_id', 'body'])
        .where('question_id', '=', id)
        .execute()
      const answers = rows.map(({ body }) => JSON.parse(body) as unknown)
      const answered = new Set(rows.map(({ node_id }) => node_id))
      const missing = awaited.filter((node) => !answered.has(node))
      const isOver = missing.length === 0 || waited >= answerMsMax
      if (isOver || answers.some(isEnough)) return { answers, missing }
    }
  }

  /** Answers go with their question. */
  async #forget(id: string, now: bigint): Promise<void> {
    const old = formatTimestamp(now - keptNs)
    await this.#options.shared.untracked
      .deleteFrom('node_questions')
      .where((row) => row.or([row('id', '=', id), row('asked_at', '<', old)]))
      .execute()
      .catch(() => undefined)
  }

  /** Somebody has asked. What cannot be answered is not: the asker waits for a moment and names this process. */
  async heard(id: string): Promise<void> {
    if (this.#own.has(id)) return
    const { shared, nodeId } = this.#options
    try {
      const question = await shared.untracked
        .selectFrom('node_questions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      const answer = question && this.#answering.get(question.kind)
      if (question === undefined || answer === undefined) return
      const body = JSON.stringify((await answer(JSON.parse(question.body))) ?? null)
      if (body.length > answerCharactersMax) return
      await shared.untracked
        .insertInto('node_answers')
        .values({ question_id: id, node_id: nodeId(), body })
        .execute()
    } catch {
      // Also where the question has been taken back meanwhile.
    }
  }
}
