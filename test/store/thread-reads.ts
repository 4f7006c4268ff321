// A store whose reads and schema are asked for as a query thread asks: questions and answers are copied as messages
// are, and what is handed over is read from the copy. Everything else is the store's own.

import { setImmediate } from 'node:timers'
import type { Disk } from '../../src/platform/disk.js'
import { describeFailure } from '../../src/platform/thread-failure.js'
import type { ThreadQuestion, ThreadReply } from '../../src/service/query-thread/messages.js'
import { Questions } from '../../src/service/query-thread/questions.js'
import { ThreadDesk } from '../../src/service/query-thread/thread-desk.js'
import { ThreadStore } from '../../src/service/query-thread/thread-store.js'
import { readHanded } from '../../src/store/engines/handed-reads.js'
import type { Store } from '../../src/store/store.js'

const askedOnThread: readonly (string | symbol)[] = [
  'read',
  'readSeveral',
  'prepare',
  'measurementSchema',
  'schemaVersion',
  'names',
  'fields',
  'series',
  'cardinality',
  'extent',
  'shards',
]

export function readOnThread<S extends Store>(store: S, disk: Disk): S {
  const desk = new ThreadDesk(store)
  const send = (reply: ThreadReply) => {
    if (reply.kind !== 'question') return
    const { number, question } = structuredClone(reply)
    setImmediate(() => void answer(number, question as Exclude<ThreadQuestion, { about: 'scope' }>))
  }
  const questions = new Questions(send)
  const answer = async (
    number: number,
    question: Exclude<ThreadQuestion, { about: 'scope' }>,
  ): Promise<void> => {
    try {
      const value = structuredClone(await desk.answer(question))
      questions.take({ kind: 'answer', question: number, value })
    } catch (error) {
      const failure = describeFailure(error as Error)
      questions.take({ kind: 'refusal', question: number, failure })
    }
  }
  const thread = new ThreadStore(questions, (job, signal) => readHanded(job, disk, signal))
  return new Proxy(store, {
    get(target, name) {
      const owner: object = askedOnThread.includes(name) ? thread : target
      const value = Reflect.get(owner, name, owner)
      return typeof value === 'function' ? value.bind(owner) : value
    },
  })
}
